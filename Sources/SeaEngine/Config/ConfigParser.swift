import SeaCore

/// Reads git's syntax: `[section]`, `[section "sub\"section"]`, `name = value`, `name`, `#` and `;` comments, quotes,
/// the escapes `\" \\ \n \t \b`, and a backslash at the end of a line that is continued.
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

  /// Where the line that is being read ends, its newline included.
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

  /// The value from here on, and where its text ends before blanks and a comment.
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

  /// The byte that an escape stands for; nil for a line that goes on.
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
