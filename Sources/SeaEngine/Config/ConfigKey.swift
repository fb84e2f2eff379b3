import SeaCore

/// The name of a setting: `section.name` or `section.subsection.name`.
///
/// The section and the name consist of letters, digits and dashes, and are case-insensitive. The subsection can be any
/// string and is case-sensitive.
package struct ConfigKey: Hashable, Sendable, CustomStringConvertible {
  package let section: String
  package let subsection: String?
  package let name: String

  /// Whether the value is a command to run: this applies to any setting named `command`, and to `core.pager`.
  package var runsProgram: Bool { name == "command" || section == "core" && subsection == nil && name == "pager" }

  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let first = bytes.firstIndex(of: 0x2E), let last = bytes.lastIndex(of: 0x2E) else { return nil }
    var subsection: String?
    if first < last { subsection = String(decoding: bytes[(first + 1)..<last], as: UTF8.self) }
    self.init(
      section: String(decoding: bytes[..<first], as: UTF8.self), subsection: subsection,
      name: String(decoding: bytes[(last + 1)...], as: UTF8.self))
  }

  /// The prefix of the shared settings that are read together with this one: the settings of a section or, in the
  /// section `type`, the settings of one type.
  package var group: String {
    guard section == "type", let place = subsection, let slash = place.utf8.firstIndex(of: 0x2F) else {
      return section + "."
    }
    return section + "." + String(decoding: place.utf8[...slash], as: UTF8.self)
  }

  init?(section: String, subsection: String?, name: String) {
    guard ConfigKey.isWord(section), ConfigKey.isWord(name), let first = name.utf8.first, first > 0x39 else {
      return nil
    }
    if let subsection, subsection.utf8.contains(where: { $0 == 0 || $0 == 0x0A }) { return nil }
    self.section = section.lowercased()
    self.subsection = subsection
    self.name = name.lowercased()
  }

  package static func == (a: ConfigKey, b: ConfigKey) -> Bool {
    guard a.name == b.name, a.section == b.section else { return false }
    if let one = a.subsection, let other = b.subsection { return UTF8Text.equal(one, other) }
    return a.subsection == nil && b.subsection == nil
  }

  /// Whether this key is equal to `text`, which must not have a subsection. Ignores case.
  func isNamed(_ text: String) -> Bool {
    guard subsection == nil, text.utf8.count == section.utf8.count + 1 + name.utf8.count else { return false }
    var letters = text.utf8.makeIterator()
    func goesOn(with word: String) -> Bool {
      for byte in word.utf8 {
        guard let letter = letters.next() else { return false }
        guard letter == byte || (0x41...0x5A).contains(letter) && letter | 0x20 == byte else { return false }
      }
      return true
    }
    return goesOn(with: section) && letters.next() == 0x2E && goesOn(with: name)
  }

  /// Canonically equivalent subsections with different bytes may have the same hash.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(section)
    hasher.combine(subsection)
    hasher.combine(name)
  }

  static func isWord(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isWordByte) }

  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
    default: false
    }
  }

  package var description: String { subsection.map { "\(section).\($0).\(name)" } ?? "\(section).\(name)" }
}
