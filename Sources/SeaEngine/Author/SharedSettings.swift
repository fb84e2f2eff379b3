import SeaCore
import SeaStore

/// The settings that all instances share. They are control entries of the chains; of them counts what is applied, as of
/// records.
package final class SharedSettings {
  private let author: Author
  private var store: Store { author.store }

  package init(_ author: Author) { self.author = author }

  /// Of a group so many names count.
  package static let mostNames = SharedNames.most

  /// All of them, by rising name: also those that this program would not share, and those that are too many.
  package func all() throws -> [(key: ConfigKey, value: String)] {
    SharedSettings.holding(try store.control.shared(""))
  }

  /// What a group has that counts; all that is shared for nil.
  package func settings(of group: SharedGroup?) throws -> [(key: ConfigKey, value: String)] {
    try group.map { try counting($0) } ?? all()
  }

  /// Those of a group that count: a command reads what it asks for, however many others have shared.
  package func counting(_ group: SharedGroup) throws -> [(key: ConfigKey, value: String)] {
    SharedSettings.holding(try store.control.shared(group.beginning, most: SharedNames.most)).filter {
      group.contains($0.key) && ConfigSources.isShareable($0.key, $0.value)
    }
  }

  /// The groups that have more names than count, and how many.
  package func overfull() throws -> [(group: SharedGroup, names: Int)] {
    var counts: [(group: SharedGroup, names: Int)] = []
    try store.control.forEachSharedName { name in
      guard let group = ConfigKey(name).flatMap({ SharedGroup($0) }) else { return }
      if counts.last?.group == group { counts[counts.count - 1].names += 1 } else { counts.append((group, 1)) }
    }
    return counts.filter { $0.names > SharedNames.most }
  }

  /// What holds after all of these entries, in whatever order they are given.
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
    // What claims to come late cannot be named by others, and so not overruled, as long as that is not earned.
    if a.earned != b.earned { return a.earned > b.earned }
    if a.time != b.time { return a.time > b.time }
    if a.block.instance != b.block.instance { return a.block.instance > b.block.instance }
    // Two branches of one chain.
    if a.block.digest != b.block.digest { return a.block.digest > b.block.digest }
    return a.item > b.item
  }

  /// Gives a setting a value for all instances, or takes it back, in a block of its own. Where it is so already, nothing
  /// is written.
  /// - Returns: whether it was otherwise before.
  /// - Throws: `ConfigError` if it may not be shared; `unauthorised` if what we write would count nowhere.
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
    let rows = try store.control.shared(key.description)
    let now = SharedSettings.holding(rows).first { $0.key == key }?.value
    guard let now, let value else { return (now == nil) == (value == nil) }
    return UTF8Text.equal(now, value)
  }
}
