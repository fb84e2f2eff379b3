import SeaCore
import SeaEngine
import SeaWords

/// A line of `sea batch`: a word, and what follows it.
struct BatchLine {
  let verb: String
  private(set) var rest: ArraySlice<UInt8>

  /// Nil of an empty line.
  init?(_ bytes: [UInt8]) {
    var bytes = bytes[...]
    if bytes.last == 0x0D { bytes.removeLast() }
    rest = bytes.drop(while: BatchLine.isSpace)
    if rest.isEmpty { return nil }
    verb = String(decoding: rest.prefix { !BatchLine.isSpace($0) }, as: UTF8.self)
    rest = rest.dropFirst(verb.utf8.count).drop(while: BatchLine.isSpace)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  var isEmpty: Bool { rest.isEmpty }

  /// The next word. One that begins with a quotation mark is a text as JSON has it.
  mutating func word(_ name: String) throws -> String {
    guard let first = rest.first else { throw UsageFault.missingOperand(name) }
    var count = 0
    if first == UInt8(ascii: "\"") {
      var isEscaped = false
      count = 1
      for byte in rest.dropFirst() {
        count += 1
        if !isEscaped, byte == UInt8(ascii: "\"") { break }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      }
    } else {
      count = rest.prefix { !BatchLine.isSpace($0) }.count
    }
    guard let text = String(validating: rest.prefix(count), as: UTF8.self) else {
      throw CoreError.badName(.notUTF8, "")
    }
    rest = rest.dropFirst(count).drop(while: BatchLine.isSpace)
    guard first == UInt8(ascii: "\"") else { return text }
    guard case .string(let quoted) = try Value.json(text) else { throw UsageFault.missingOperand(name) }
    return quoted
  }

  func end() throws {
    if !rest.isEmpty { throw UsageFault.extraOperand(String(decoding: rest.prefix(40), as: UTF8.self)) }
  }
}

extension BatchLine {
  static func precondition(_ text: String) throws -> Precondition {
    guard let read = Preconditions.read(text) else {
      throw Failure(.usage, "'\(text)' is neither a revision nor none")
    }
    return read
  }
}

/// What stands behind `set`: options as those of `sea set`, a record, and what it gets.
struct BatchSet {
  private(set) var name = ""
  private(set) var change = RecordChange()
  private(set) var creates = false
  private(set) var type: String?
  private(set) var precondition = Precondition.none

  init(_ line: BatchLine, _ session: Session) throws {
    var words = line
    var isNamed = false
    while !words.isEmpty {
      let word = try words.word("RECORD")
      if word.hasPrefix("-") {
        try take(word, session)
      } else if isNamed {
        change.assignments.append(try Assignment(word, session, readsFiles: false))
      } else {
        (name, isNamed) = (word, true)
      }
    }
    guard isNamed else { throw UsageFault.missingOperand("RECORD") }
    guard !change.isEmpty || type != nil || creates else { throw UsageFault.missingOperand("KEY=VALUE") }
    if !creates, !change.initial.isEmpty {
      throw UsageFault.needs(option: SetCommand.initial.dashed, with: SetCommand.create.dashed)
    }
  }

  private mutating func take(_ word: String, _ session: Session) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      switch word {
      case SetCommand.create.dashed: creates = true
      case SetCommand.replaceType.dashed: change.replacesType = true
      default: throw UsageFault.unknownOption(word, command: "set", similar: nil)
      }
      return
    }
    switch parts[0] {
    case Option.type.dashed:
      try Name.check(parts[1])
      type = parts[1]
    case SetCommand.initial.dashed: change.initial.append(try Assignment(parts[1], session, readsFiles: false))
    case SetCommand.unset.dashed: change.removals.append(try PropertyPath(parts[1]))
    case SetCommand.rename.dashed: try change.addMove(parts[1])
    case Option.ifRevision.dashed: precondition = try BatchLine.precondition(parts[1])
    default: throw UsageFault.unknownOption(word, command: "set", similar: nil)
    }
  }
}
