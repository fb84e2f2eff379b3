import SeaEngine

/// Parses a command line. Option names cannot be abbreviated, so that a new option never changes the meaning of a
/// script.
package struct Parser {
  private let words: [String]
  private var next = 0
  package private(set) var globals = GlobalOptions()
  private(set) var help: Arguments.Help?

  /// - Parameter words: the arguments without the program name.
  package init(_ words: [String]) {
    self.words = words
    globals.json = Parser.asksForJSON(words)
  }

  /// Returns whether to print errors as JSON. This is checked before parsing, so that usage errors are also printed as
  /// JSON.
  static func asksForJSON(_ words: [String]) -> Bool {
    for word in words {
      if word == "--" { return false }
      if word == "--json" { return true }
    }
    return false
  }

  var rest: [String] { Array(words[next...]) }

  /// Parses global options up to the command name; returns nil if there is no command name.
  package mutating func commandName() throws(UsageFault) -> String? {
    var arguments = Arguments()
    while next < words.count, help == nil {
      let word = words[next]
      if word == "--" || word == "-" || !word.hasPrefix("-") { break }
      next += 1
      try option(word, command: nil, options: [], into: &arguments)
    }
    help = arguments.help
    guard next < words.count, help == nil else { return nil }
    next += 1
    return words[next - 1]
  }

  package mutating func arguments(of command: any CommandSyntax.Type) throws(UsageFault) -> Arguments {
    var arguments = Arguments()
    let options = command.options
    while next < words.count {
      let word = words[next]
      next += 1
      if word == "--" {
        arguments.dashes = arguments.operands.count
        arguments.operands += words[next...]
        next = words.count
      } else if word == "-" || !word.hasPrefix("-") {
        arguments.operands.append(word)
      } else {
        try option(word, command: command.name, options: options, into: &arguments)
        if arguments.help != nil { return arguments }
      }
    }
    try Parser.check(arguments, of: command)
    if globals.porcelain, command.kind != .frozenPorcelain {
      throw .noFormat("--porcelain", command: command.name)
    }
    return arguments
  }

  private mutating func option(
    _ word: String, command: String?, options: [Option], into arguments: inout Arguments
  ) throws(UsageFault) {
    if word.hasPrefix("--") {
      try long(word, command: command, options: options, into: &arguments)
    } else {
      try short(word, command: command, options: options, into: &arguments)
    }
  }

  private mutating func long(
    _ word: String, command: String?, options: [Option], into arguments: inout Arguments
  ) throws(UsageFault) {
    let body = word.dropFirst(2)
    let equals = body.firstIndex(of: "=")
    let name = String(body[..<(equals ?? body.endIndex)])
    let attached = equals.map { String(body[body.index(after: $0)...]) }
    if let option = options.first(where: { $0.long == name }) {
      return try parse(option, attached, local: true, into: &arguments)
    }
    if let option = GlobalOptions.all.first(where: { $0.long == name && !name.isEmpty }) {
      return try parse(option, attached, local: false, into: &arguments)
    }
    let known = (options + GlobalOptions.all).map(\.long).filter { !$0.isEmpty }
    let similar = Similarity.nearest(to: name, among: known).map { "--\($0)" }
    throw .unknownOption("--\(name)", command: command, similar: similar)
  }

  private mutating func short(
    _ word: String, command: String?, options: [Option], into arguments: inout Arguments
  ) throws(UsageFault) {
    var letters = word.unicodeScalars.dropFirst()
    if letters.allSatisfy({ $0.value >= 0x30 && $0.value <= 0x39 }), let option = options.first(where: \.digits) {
      return try parse(option, String(letters), local: true, into: &arguments)
    }
    while let letter = letters.popFirst() {
      let local = options.first { $0.short == letter }
      guard let option = local ?? GlobalOptions.all.first(where: { $0.short == letter }) else {
        throw .unknownOption("-\(letter)", command: command, similar: nil)
      }
      var attached: String?
      if option.value != .none, !option.valueIsOptional, !letters.isEmpty {
        attached = String(letters)
        letters = letters.suffix(0)
      }
      try parse(option, attached, local: local != nil, into: &arguments)
    }
  }

  private mutating func parse(
    _ option: Option, _ attached: String?, local: Bool, into arguments: inout Arguments
  ) throws(UsageFault) {
    var value = attached
    if option.value == .none {
      if attached != nil { throw .unexpectedValue(option: option.dashed) }
    } else if value == nil, !option.valueIsOptional {
      guard next < words.count else { throw .missingValue(option: option.dashed, metavar: option.metavar) }
      value = words[next]
      next += 1
    }
    if let value, !option.value.accepts(value) {
      throw .badValue(option: option.dashed, value: value, expected: option.value)
    }
    if local {
      if option.value != .none, !option.repeatable, arguments.has(option) { throw .repeated(option: option.dashed) }
      arguments.values.append((option.key, value))
    } else if option.key == GlobalOptions.usage.key {
      arguments.help = .usage
    } else if option.key == GlobalOptions.page.key {
      arguments.help = .page
    } else {
      try globals.apply(option.key, value)
    }
  }

  private static func check(_ arguments: Arguments, of command: any CommandSyntax.Type) throws(UsageFault) {
    let words = arguments.operands
    var given = words.count
    for operand in command.operands {
      if case .choice(let allowed) = operand.value {
        let isLast = operand.count == .any || operand.count == .several
        let meant = words.suffix(given).prefix(isLast ? given : 1)
        if let wrong = meant.first(where: { !allowed.contains($0) }) {
          throw .badOperand(name: operand.name, value: wrong, expected: operand.value, beside: arguments.flags)
        }
      }
      switch operand.count {
      case .one:
        if given == 0 { throw .missingOperand(operand.name) }
        given -= 1
      case .optional: given = max(0, given - 1)
      case .several:
        if given == 0 { throw .missingOperand(operand.name) }
        given = 0
      case .any: given = 0
      }
    }
    if given > 0 { throw .extraOperand(words[words.count - given], command: command.name) }
  }
}
