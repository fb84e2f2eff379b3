import SeaCore

/// Shared settings that are read together: the settings of a section or, in the section `type`, the settings of one
/// type. The store also returns types that differ only in case; `contains` filters them out.
package struct SharedGroup: Equatable, Sendable {
  package let beginning: String

  package init(section: String) { beginning = section + "." }

  package init(type: String) { beginning = "type.\(type)/" }

  package init(_ key: ConfigKey) {
    guard key.section == "type", let place = key.subsection, let slash = place.utf8.firstIndex(of: 0x2F) else {
      self.init(section: key.section)
      return
    }
    self.init(type: String(decoding: place.utf8[..<slash], as: UTF8.self))
  }

  package static func == (a: SharedGroup, b: SharedGroup) -> Bool { UTF8Text.equal(a.beginning, b.beginning) }

  /// Whether the group contains a setting. The comparison is case-sensitive.
  func contains(_ key: ConfigKey) -> Bool { key.description.utf8.starts(with: beginning.utf8) }
}
