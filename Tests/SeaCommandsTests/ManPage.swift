import SeaEngine
import SeaCommands

/// A page of the manual in mdoc: its sections in their order, some made from the command table.
struct ManPage {
  static let order = [
    "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "INPUT", "OUTPUT", "EXIT STATUS", "ENVIRONMENT", "FILES",
    "EXAMPLES", "SEE ALSO",
  ]
  static let required = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]

  var head: String
  var sections: [(name: String, text: String)] = []

  init(_ source: String) {
    head = ""
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix(".Sh ") {
        // mandoc knows the usual place of these two and would find ours unusual: \& makes them other names to it.
        let name = line.dropFirst(4).replacing("\\&", with: "")
        sections.append((String(name), ""))
      } else if sections.isEmpty {
        head += line + "\n"
      } else {
        sections[sections.count - 1].text += line + "\n"
      }
    }
    if let last = sections.indices.last { sections[last].text.removeLast() }
  }

  var source: String {
    let guarded = ["ENVIRONMENT", "FILES"]
    return head + sections.map { ".Sh \($0.name)\(guarded.contains($0.name) ? "\\&" : "")\n\($0.text)" }.joined()
  }

  func section(_ name: String) -> String? { sections.first { $0.name == name }?.text }

  /// A section without the paragraphs that the page adds to an item of the command table.
  func table(_ name: String) -> String? {
    section(name).map { text in ManPage.items(text).map { $0.head }.joined() }
  }

  /// The items of a list, each with the lines from the table and the paragraphs that the page adds.
  /// Text before and after the list is an item without a paragraph.
  static func items(_ text: String) -> [(head: String, added: String)] {
    var items: [(head: String, added: String)] = [("", "")]
    // A list inside a paragraph belongs to the paragraph.
    var depth = 0
    for line in text.split(separator: "\n") {
      if line.hasPrefix(".El") { depth -= 1 }
      if depth == 1 && line.hasPrefix(".It ") || depth == 0 && line.hasPrefix(".El") { items.append(("", "")) }
      let last = items.count - 1
      if depth > 0, line == ".Pp" || !items[last].added.isEmpty {
        items[last].added += "\(line)\n"
      } else {
        items[last].head += "\(line)\n"
      }
      if line.hasPrefix(".Bl ") { depth += 1 }
    }
    return items
  }

  /// Writes what the table says, and keeps what the page adds to the items that stay.
  mutating func set(table name: String, _ text: String) {
    let added = Dictionary(
      ManPage.items(section(name) ?? "").map { ($0.head.prefix { $0 != "\n" }, $0.added) },
      uniquingKeysWith: { a, _ in a })
    set(
      name,
      ManPage.items(text).map { $0.head + (added[$0.head.prefix { $0 != "\n" }] ?? "") }.joined())
  }

  mutating func set(_ name: String, _ text: String) {
    if let index = sections.firstIndex(where: { $0.name == name }) {
      sections[index].text = text
    } else {
      let rank = ManPage.order.firstIndex(of: name)!
      let place = sections.firstIndex { ManPage.order.firstIndex(of: $0.name) ?? rank > rank } ?? sections.count
      sections.insert((name, text), at: place)
    }
  }

  /// A page that has only what the table says.
  static func empty(_ page: String) -> ManPage {
    ManPage(
      """
      .\\" ManPageTests writes NAME, SYNOPSIS, OPTIONS and EXIT STATUS.
      .Dd November 26, 2026
      .Dt \(page.uppercased()) 1
      .Os Sea
      """ + "\n.Sh NAME\n")
  }
}

/// The generated sections.
enum ManSections {
  static func of(_ command: any Command.Type) -> [(String, String)] {
    [
      ("NAME", ".Nm sea-\(command.name)\n.Nd \(escaped(command.summary))\n"),
      ("SYNOPSIS", command.synopsis.map { Synopsis.mdoc("sea Cm \(command.name)", $0) }.joined()),
      (
        "OPTIONS",
        options(command.options) + (command.options.isEmpty ? "" : ".Pp\n")
          + "The global options are in\n.Xr sea-cli 7 .\n"
      ),
      ("EXIT STATUS", exits(command.exits)),
    ]
  }

  static func ofSea() -> [(String, String)] {
    var commands = ""
    for group in Group.allCases {
      let members = Commands.listed(in: group)
      if members.isEmpty { continue }
      commands += ".Ss \(group.rawValue)\n.Bl -tag -width sea-hash-record\n"
      for command in members { commands += ".It Xr sea-\(command.name) 1\n\(escaped(command.about))\n" }
      commands += ".El\n"
    }
    return [("COMMANDS", commands)]
  }

  private static func options(_ options: [Option]) -> String {
    if options.isEmpty { return "" }
    return ".Bl -tag -width Ds\n"
      + options.map { ".It \(heading($0))\n\(sentence($0.help))\n" }.joined() + ".El\n"
  }

  private static func heading(_ option: Option) -> String {
    var forms: [String] = []
    if option.digits { forms.append("Fl Ns Ar \(option.metavar)") }
    let value = option.valueIsOptional ? " Ns Oo = Ns Ar \(option.metavar) Oc" : " Ns = Ns Ar \(option.metavar)"
    if let short = option.short {
      forms.append(option.long.isEmpty && option.value != .none ? "Fl \(short) Ar \(option.metavar)" : "Fl \(short)")
    }
    if !option.long.isEmpty { forms.append("Fl -\(option.long)" + (option.value == .none ? "" : value)) }
    return forms.joined(separator: " , ")
  }

  private static func exits(_ exits: [Exit]) -> String {
    if exits.isEmpty { return "The exit statuses are in\n.Xr sea-cli 7 .\n" }
    return ".Bl -tag -width Ds\n"
      + exits.sorted { $0.status.rawValue < $1.status.rawValue }
      .map { ".It \($0.status.rawValue)\n\(sentence($0.meaning))\n" }.joined()
      + ".El\n.Pp\nThe statuses of all commands are in\n.Xr sea-cli 7 .\n"
  }

  private static func sentence(_ text: String) -> String {
    escaped(text.prefix(1).uppercased() + text.dropFirst()) + "."
  }

  static func escaped(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\e")
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
  }
}

/// Turns a line of a synopsis, such as `[-t TYPE] [--id=ID] [FILE | -]...`, into mdoc.
enum Synopsis {
  static func mdoc(_ name: String, _ form: String) -> String {
    var lines: [String] = []
    var line: [String] = []
    var depth = 0
    for token in tokens(form) {
      line.append(macros(token))
      if token == "[" || token == "(" { depth += 1 }
      if token == "]" || token == ")" { depth -= 1 }
      if depth == 0, token != "|" {
        if token == "..." || token == "…", line.count == 1, let last = lines.popLast() { line.insert(last, at: 0) }
        if let last = lines.last, last.hasSuffix("|") { line.insert(lines.removeLast(), at: 0) }
        lines.append(line.joined(separator: " "))
        line = []
      } else if depth == 0 {
        lines[lines.count - 1] += " |"
        line = []
      }
    }
    return ".Nm \(name)\n" + lines.map { ".\($0)\n" }.joined()
  }

  private static func tokens(_ form: String) -> [String] {
    var tokens: [String] = []
    var word = ""
    var inner = 0
    for letter in form {
      // A bracket inside a word, as in --short[=N], belongs to it.
      if letter == "[", !word.isEmpty { inner += 1 }
      if letter == "]", inner > 0 {
        inner -= 1
        word.append(letter)
      } else if inner == 0, " []()".contains(letter) {
        if !word.isEmpty { tokens.append(word) }
        word = ""
        if letter != " " { tokens.append(String(letter)) }
      } else {
        word.append(letter)
      }
      if word == "..." {
        tokens.append(word)
        word = ""
      }
    }
    if !word.isEmpty { tokens.append(word) }
    return tokens
  }

  private static func macros(_ token: String) -> String {
    switch token {
    case "[": return "Oo"
    case "]": return "Oc"
    case "(": return "Po"
    case ")": return "Pc"
    case "|": return "|"
    case "...": return "Ns ..."
    case "-": return "Cm -"
    default: break
    }
    if token.hasSuffix("..."), token.count > 3 { return macros(String(token.dropLast(3))) + " Ns ..." }
    if token.hasPrefix("-") {
      var body = token.dropFirst()
      if let open = body.firstIndex(of: "["), body.hasSuffix("]") {
        let value = body[body.index(open, offsetBy: 2)...].dropLast()
        return "Fl \(body[..<open]) Ns Oo = Ns Ar \(value) Oc"
      }
      guard let equals = body.firstIndex(of: "=") else {
        return body.count == 1 && body.first!.isUppercase && body == "N" ? "Fl Ns Ar N" : "Fl \(body)"
      }
      let value = body[body.index(after: equals)...]
      body = body[..<equals]
      return "Fl \(body) Ns = Ns Ar \(value)"
    }
    return token.first!.isUppercase ? "Ar \(token)" : "Cm \(token)"
  }
}
