import SeaCore

/// Shared settings that are read together: those of a section, or in the section `type` those of one type. Types that
/// differ only in case are one group.
package struct SharedGroup: Equatable, Sendable {
  /// The prefix of the names of its settings.
  package let beginning: String

  package init(section: String) { beginning = section + "." }

  package init(type: String) { beginning = "type.\(type)/" }

  /// Returns the group of a setting.
  package init(_ key: ConfigKey) {
    guard key.section == "type", let place = key.subsection, let slash = place.utf8.firstIndex(of: 0x2F) else {
      self.init(section: key.section)
      return
    }
    self.init(type: String(decoding: place.utf8[..<slash], as: UTF8.self))
  }

  package static func == (a: SharedGroup, b: SharedGroup) -> Bool { UTF8Text.equal(a.beginning, b.beginning) }

  /// Whether a setting is in it, and not in a group that differs only in case.
  func contains(_ key: ConfigKey) -> Bool { key.description.utf8.starts(with: beginning.utf8) }
}
