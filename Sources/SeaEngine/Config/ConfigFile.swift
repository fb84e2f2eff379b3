import SeaCore
import SeaSystem

/// A settings file in git's syntax. An edit does not change any other bytes of the file.
package struct ConfigFile: Sendable {
  package struct Entry: Equatable, Sendable {
    package let key: ConfigKey
    /// Nil for a name without `=`, which means true.
    package let value: String?
    package let line: Int
    /// The offsets in `bytes` where the name begins and where the entry ends.
    let start: Int, end: Int
    let nameEnd: Int
  }

  struct Section: Equatable, Sendable {
    let name: String
    let subsection: String?
    /// The offset after the line of the section's last entry, or after the section header if the section is empty.
    var end: Int
  }

  package internal(set) var bytes: [UInt8]
  package internal(set) var entries: [Entry] = []
  var sections: [Section] = []
  package let path: String

  package static let limit = 1 << 20

  package init(_ bytes: [UInt8], path: String) throws(ConfigError) {
    self.bytes = bytes
    self.path = path
    var parser = ConfigParser(bytes, path: path)
    try parser.parse()
    entries = parser.entries
    sections = parser.sections
  }

  package func values(_ key: ConfigKey) -> [Entry] { entries.filter { $0.key == key } }
}

extension ConfigFile {
  /// Writes the complete file durably. Follows a symbolic link, and preserves the mode of an existing file.
  package func save() throws(SystemError) {
    var target = path
    var mode: UInt32 = 0o666
    if let status = try Path.statusFollowing(path) {
      target = try Path.real(path)
      mode = status.mode & 0o777
    } else {
      try Path.createDirectories(Path.parent(path), mode: 0o700)
    }
    try AtomicFile.write(target, mode: mode, bytes, replace: true)
  }

  /// Sets the value of a key and replaces an existing value. A new key is added after the last entry of its section, or
  /// in a new section at the end. If `adding` is true, existing values are kept.
  package mutating func set(_ key: ConfigKey, _ value: String, adding: Bool = false) throws(ConfigError) {
    guard let text = ConfigFile.written(value) else { throw .unstorable(key: key.description) }
    let found = values(key)
    if !adding, found.count > 1 { throw .severalValues(key: key.description, count: found.count, path: path) }
    if !adding, let entry = found.first {
      try replace(entry.nameEnd..<entry.end, with: " = \(text)")
    } else if let section = sections.last(where: { $0.name == key.section && $0.subsection == key.subsection }) {
      let newline = section.end > 0 && bytes[section.end - 1] != 0x0A ? "\n" : ""
      try replace(section.end..<section.end, with: "\(newline)\t\(key.name) = \(text)\n")
    } else {
      let newline = bytes.isEmpty || bytes.last == 0x0A ? "" : "\n"
      let header = key.subsection.map { "[\(key.section) \"\(ConfigFile.escaped($0))\"]" } ?? "[\(key.section)]"
      try replace(bytes.count..<bytes.count, with: "\(newline)\(header)\n\t\(key.name) = \(text)\n")
    }
  }

  /// Removes a key; returns false if the key does not exist. If `all` is false, a key with several values is an error.
  package mutating func unset(_ key: ConfigKey, all: Bool = false) throws(ConfigError) -> Bool {
    let found = values(key)
    if !all, found.count > 1 { throw .severalValues(key: key.description, count: found.count, path: path) }
    for entry in found.reversed() { try replace(lines(of: entry), with: "") }
    return !found.isEmpty
  }

  /// Removes headers of a subsection that are followed by neither entries nor comments.
  package mutating func dropEmpty(_ section: String, _ subsection: String) throws(ConfigError) {
    while let range = emptyLines(section, subsection) { try replace(range, with: "") }
  }

  private func emptyLines(_ section: String, _ subsection: String) -> Range<Int>? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
    for one in sections where one.name == section && one.subsection == subsection {
      let line = bytes[..<max(one.end - 1, 0)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      // For a section with entries, `end` is the end of the last entry.
      guard !entries.contains(where: { (line..<one.end).contains($0.start) }),
        bytes[line..<one.end].first(where: { !isSpace($0) }) == 0x5B,
        bytes[line..<one.end].last(where: { !isSpace($0) }) == 0x5D,
        bytes[one.end...].first(where: { !isSpace($0) }).map({ $0 == 0x5B }) ?? true
      else { continue }
      return line..<one.end
    }
    return nil
  }

  private func lines(of entry: Entry) -> Range<Int> {
    let start = (bytes[..<entry.start].lastIndex(of: 0x0A) ?? -1) + 1
    guard bytes[start..<entry.start].allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return entry.start..<entry.end }
    return start..<(bytes[entry.end...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count)
  }

  private mutating func replace(_ range: Range<Int>, with text: String) throws(ConfigError) {
    var edited = bytes
    edited.replaceSubrange(range, with: text.utf8)
    self = try ConfigFile(edited, path: path)
  }

  /// Returns a value in file syntax, quoted if necessary; nil if the value has characters that a file cannot store.
  private static func written(_ value: String) -> String? {
    var text = ""
    var quotes = value.hasPrefix(" ") || value.hasSuffix(" ")
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\u{8}": text += "\\b"
      default:
        if scalar.value < 0x20 || scalar.value == 0x7F { return nil }
        if scalar == "#" || scalar == ";" { quotes = true }
        text.unicodeScalars.append(scalar)
      }
    }
    return quotes ? "\"\(text)\"" : text
  }

  private static func escaped(_ subsection: String) -> String {
    subsection.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
  }
}

/// Parses git's syntax: `[section]`, `[section "sub\"section"]`, `name = value`, `name`, `#` and `;` comments, quotes,
/// the escapes `\" \\ \n \t \b`, and a backslash that continues a line.
struct ConfigParser {
  private let bytes: [UInt8]
  private let path: String
  private var at = 0
  private var line = 1
  private(set) var entries: [ConfigFile.Entry] = []
  private(set) var sections: [ConfigFile.Section] = []

  init(_ bytes: [UInt8], path: String) {
    self.bytes = bytes
    self.path = path
  }

  private func fault(_ fault: ConfigError.FileFault) -> ConfigError { .badFile(path: path, line: line, fault) }
  private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

  mutating func parse() throws(ConfigError) {
    guard bytes.count <= ConfigFile.limit else { throw fault(.tooLarge) }
    guard bytes.withUnsafeBufferPointer({ UTF8Text.isValid($0) }) else { throw fault(.notUTF8) }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    while let next = byte {
      switch next {
      case 0x0A:
        at += 1
        line += 1
      case 0x20, 0x09, 0x0D: at += 1
      case 0x23, 0x3B: skipLine()
      case 0x5B: try header()
      default: try entry()
      }
    }
  }

  private mutating func skipLine() {
    while let next = byte, next != 0x0A { at += 1 }
  }

  private mutating func skipBlanks() {
    while let next = byte, next == 0x20 || next == 0x09 { at += 1 }
  }

  private mutating func word() -> String {
    let start = at
    while let next = byte, ConfigKey.isWordByte(next) { at += 1 }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func header() throws(ConfigError) {
    at += 1
    let name = word()
    guard !name.isEmpty else { throw fault(.badHeader) }
    var subsection: String?
    skipBlanks()
    if byte == 0x22 {
      at += 1
      subsection = try quotedName()
    }
    guard byte == 0x5D else { throw fault(.badHeader) }
    at += 1
    sections.append(.init(name: name.lowercased(), subsection: subsection, end: lineEnd()))
  }

  private mutating func quotedName() throws(ConfigError) -> String {
    var text: [UInt8] = []
    while let next = byte, next != 0x0A {
      at += 1
      if next == 0x22 { return String(decoding: text, as: UTF8.self) }
      if next == 0x5C {
        guard let escaped = byte, escaped != 0x0A else { break }
        at += 1
        text.append(escaped)
      } else {
        text.append(next)
      }
    }
    throw fault(.badHeader)
  }

  private func lineEnd() -> Int { (bytes[at...].firstIndex(of: 0x0A) ?? bytes.count - 1) + 1 }

  private mutating func entry() throws(ConfigError) {
    guard let section = sections.last else { throw fault(.nameOutsideSection) }
    let start = at
    let firstLine = line
    let name = word()
    guard let key = ConfigKey(section: section.name, subsection: section.subsection, name: name) else {
      throw fault(.badName)
    }
    let nameEnd = at
    var end = at
    var value: String?
    skipBlanks()
    if byte == 0x0D { at += 1 }
    if byte == 0x3D {
      at += 1
      (value, end) = try self.value()
    } else if let next = byte, next != 0x0A, next != 0x23, next != 0x3B {
      throw fault(.badName)
    }
    skipLine()
    entries.append(.init(key: key, value: value, line: firstLine, start: start, end: end, nameEnd: nameEnd))
    sections[sections.count - 1].end = lineEnd()
  }

  /// Returns the value at the current position, and the offset where its text ends, not counting trailing blanks or a
  /// comment.
  private mutating func value() throws(ConfigError) -> (String, Int) {
    skipBlanks()
    var text: [UInt8] = []
    var kept = 0
    var end = at
    var quoted = false
    while let next = byte {
      if next == 0x0A || next == 0x0D && (at + 1 == bytes.count || bytes[at + 1] == 0x0A) { break }
      if !quoted, next == 0x23 || next == 0x3B { break }
      at += 1
      switch next {
      case 0x22: quoted.toggle()
      case 0x5C:
        if let plain = try escaped() { text.append(plain) }
      default: text.append(next)
      }
      if quoted || next != 0x20 && next != 0x09 {
        kept = text.count
        end = at
      }
    }
    if quoted { throw fault(.openQuote) }
    return (String(decoding: text[..<kept], as: UTF8.self), end)
  }

  private mutating func escaped() throws(ConfigError) -> UInt8? {
    if byte == 0x0D, at + 1 < bytes.count, bytes[at + 1] == 0x0A { at += 1 }
    guard let next = byte else { throw fault(.badEscape) }
    at += 1
    switch next {
    case 0x0A:
      line += 1
      return nil
    case 0x6E: return 0x0A
    case 0x74: return 0x09
    case 0x62: return 0x08
    case 0x22, 0x5C: return next
    default: throw fault(.badEscape)
    }
  }
}
