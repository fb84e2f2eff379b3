import SeaCore
import SeaStore

/// The settings that all instances share, stored as control entries. Like changes to records, entries are valid only
/// once they are applied.
package final class SharedSettings {
  private let author: Author
  private var store: Store { author.store }

  package init(_ author: Author) { self.author = author }

  /// Returns all shared settings, sorted by name, including settings that this program would not share and settings
  /// beyond the limit of a group.
  package func all() throws -> [(key: ConfigKey, value: String)] {
    SharedSettings.holding(try store.control.shared(""))
  }

  /// Returns the valid settings of a group, or all settings if `group` is nil. Reads only that group, however many
  /// settings were shared.
  package func settings(of group: String?) throws -> [(key: ConfigKey, value: String)] {
    guard let group else { return try all() }
    return SharedSettings.holding(try store.control.shared(group, isLimited: true)).filter {
      ConfigSources.isShareable($0.key, $0.value)
    }
  }

  /// A group with more shared settings than count.
  package struct Overfull {
    package var group: String
    package var names = 0
    package var bytes = 0

    package static let mostNames = SharedNames.most
    package static let mostBytes = SharedNames.mostBytes
  }

  package func overfull() throws -> [Overfull] {
    var groups: [Overfull] = []
    try store.control.forEachSharedName { name, bytes in
      guard let group = ConfigKey(name)?.group else { return }
      if groups.last.map({ !UTF8Text.equal($0.group, group) }) ?? true { groups.append(Overfull(group: group)) }
      groups[groups.count - 1].names += 1
      groups[groups.count - 1].bytes += bytes
    }
    return groups.filter { $0.names > SharedNames.most || $0.bytes > SharedNames.mostBytes }
  }

  /// Returns the settings that result from control entries in any order.
  package static func holding(_ rows: [ControlRow]) -> [(key: ConfigKey, value: String)] {
    var latest: [ConfigKey: (row: ControlRow, value: String?)] = [:]
    for row in rows where row.isApplied {
      guard case .shared(let name, let value) = row.entry, let key = ConfigKey(name) else { continue }
      if let other = latest[key], isLater(other.row, than: row) { continue }
      latest[key] = (row, value)
    }
    return latest.compactMap { key, one in one.value.map { (key: key, value: $0) } }
      .sorted { UTF8Text.less($0.key.description, $1.key.description) }
  }

  private static func isLater(_ a: ControlRow, than b: ControlRow) -> Bool {
    // A setting with an unearned clock might never be superseded, so a setting with an earned clock wins.
    if a.earned != b.earned { return a.earned > b.earned }
    if a.time != b.time { return a.time > b.time }
    if a.block.instance != b.block.instance { return a.block.instance > b.block.instance }
    // If only the digests differ, the blocks are in different branches of the same chain.
    if a.block.digest != b.block.digest { return a.block.digest > b.block.digest }
    return a.item > b.item
  }

  /// Sets or removes a setting for all instances, in a separate block. Writes nothing if nothing would change.
  /// - Returns: whether the setting changed.
  /// - Throws: `ConfigError` if the setting cannot be shared; `unauthorized` if no instance would accept changes by
  ///   this instance.
  @discardableResult
  package func set(_ key: ConfigKey, _ value: String?, dryRun: Bool = false) throws -> Bool {
    try ConfigSources.checkShareable(key, value)
    try author.members.requireWriter()
    if try holds(key, value) { return false }
    if dryRun { return true }
    return try author.write { transaction in
      if try holds(key, value) { return false }
      try transaction.append(controls: [.shared(key: key.description, value: value)], label: "config")
      return true
    }
  }

  private func holds(_ key: ConfigKey, _ value: String?) throws -> Bool {
    let now = SharedSettings.holding(try store.control.shared(named: key.description)).first?.value
    guard let now, let value else { return (now == nil) == (value == nil) }
    return UTF8Text.equal(now, value)
  }
}
