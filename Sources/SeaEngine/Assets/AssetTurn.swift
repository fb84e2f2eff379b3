import SeaCore
import SeaStore

/// Selects the asset files in a container whose content a sync reads. Files take turns in the order of their sequence
/// numbers.
struct AssetTurn {
  private let folder: SeaFolder
  private let name: String
  private let before: ContainerState.ReadContents<Int64>
  private var read: ContainerState.ReadContents<Int64>
  private var turn: ContentTurn<Int64>

  init(_ folder: SeaFolder, _ name: String, isFar: Bool) throws {
    (self.folder, self.name) = (folder, name)
    before = try folder.state(of: name).assets
    (read, turn) = before.begin(now: folder.settings.clock(), isFar: isFar)
  }

  /// - Parameter isFirst: whether this instance has not copied the file before.
  mutating func isDue(_ row: StoredAsset, changed: Int64, isFirst: Bool) -> Bool {
    read.stamp = max(read.stamp, changed)
    return turn.isDue(row.sequence, size: row.size, isNew: isFirst || changed > before.stamp)
  }

  /// A file that this instance has just written does not count as changed.
  mutating func isWritten(_ changed: Int64) { read.stamp = max(read.stamp, changed) }

  func finish() throws {
    var read = read
    (read.cursor, read.total) = (turn.next, turn.total)
    try folder.remember(of: name) { $0.assets = read }
  }

  /// Records that this instance itself wrote or read all files that changed before a given time, so that they are not
  /// read again soon.
  static func settle(_ folder: SeaFolder, _ name: String, changed: Int64) throws {
    let now = folder.settings.clock()
    try folder.remember(of: name) { state in
      guard changed > state.assets.stamp else { return }
      (state.assets.stamp, state.assets.turned) = (changed, max(now, state.assets.turned))
    }
  }
}
