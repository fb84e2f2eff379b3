import SeaCore

/// The shared settings that are read together: those of a section, or of the section `type` those of one type. Types that differ in case alone
/// are one group.
package struct SharedGroup: Equatable, Sendable {
  /// What the names of its settings begin with.
  package let beginning: String

  package init(section: String) { beginning = section + "." }

  package init(type: String) { beginning = "type.\(type)/" }

  /// The one that a setting is in.
  package init(_ key: ConfigKey) {
    guard key.section == "type", let place = key.subsection, let slash = place.utf8.firstIndex(of: 0x2F) else {
      self.init(section: key.section)
      return
    }
    self.init(type: String(decoding: place.utf8[..<slash], as: UTF8.self))
  }

  package static func == (a: SharedGroup, b: SharedGroup) -> Bool { UTF8Text.equal(a.beginning, b.beginning) }

  /// Whether a setting is in it, and in none that differs in case.
  func contains(_ key: ConfigKey) -> Bool { key.description.utf8.starts(with: beginning.utf8) }
}
