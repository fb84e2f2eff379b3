import SeaSystem

extension ConfigFile {
  /// Puts the file in its place, whole and durable. A link is followed, and a file that was there keeps its mode.
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

  /// Gives the key one value: in place of the one it has, else behind the last entry of its section, else in a new
  /// section at the end. With `adding` the values that are there stay.
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

  /// Takes the key out; false if it is not there. Several values are taken out only with `all`.
  package mutating func unset(_ key: ConfigKey, all: Bool = false) throws(ConfigError) -> Bool {
    let found = values(key)
    if !all, found.count > 1 { throw .severalValues(key: key.description, count: found.count, path: path) }
    for entry in found.reversed() { try replace(lines(of: entry), with: "") }
    return !found.isEmpty
  }

  /// Takes the headers of a subsection out that have nothing behind them, not even a comment.
  package mutating func dropEmpty(_ section: String, _ subsection: String) throws(ConfigError) {
    while let range = emptyLines(section, subsection) { try replace(range, with: "") }
  }

  private func emptyLines(_ section: String, _ subsection: String) -> Range<Int>? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
    for one in sections where one.name == section && one.subsection == subsection {
      let line = bytes[..<max(one.end - 1, 0)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      // Of one that has entries the end is theirs.
      guard !entries.contains(where: { (line..<one.end).contains($0.start) }),
        bytes[line..<one.end].first(where: { !isSpace($0) }) == 0x5B,
        bytes[line..<one.end].last(where: { !isSpace($0) }) == 0x5D,
        bytes[one.end...].first(where: { !isSpace($0) }).map({ $0 == 0x5B }) ?? true
      else { continue }
      return line..<one.end
    }
    return nil
  }

  /// What goes with an entry: its lines, or less when its section's header stands on the first of them.
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

  /// A value as it is written, quoted where needed; nil when it has characters that no file can hold.
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
