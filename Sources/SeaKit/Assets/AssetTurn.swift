import SeaCore
import SeaStore

/// What is remembered of the contents of the assets in a container, whose places are the order in which they came here. All of it may be
/// lost: then it begins anew.
struct AssetTurn {
  private let store: Store
  private let key: String
  private let before: [Int64]
  private var turn: ContentTurn<Int64>
  /// The latest change of any file that was met, by the clock of the place.
  private var stamp: Int64
  /// When contents were last looked at in their turn; 0 where that is done each time.
  private var turned: Int64 = 0

  init(_ store: Store, _ name: String, now: Int64, isFar: Bool) throws {
    self.store = store
    key = "assets:" + name
    var reader = try ByteReader(store.metaBlob(key) ?? [])
    let known = [reader.int64(), reader.int64(), reader.int64(), reader.int64()].compactMap { $0 }
    before = known.count == 4 && reader.isAtEnd ? known : [0, 0, 0, 0]
    stamp = before[0]
    let hasPaused = isFar && ContentTurns.isTooSoon(now, after: before[3])
    if isFar { turned = hasPaused ? before[3] : now }
    // Sequences begin with 1.
    turn = ContentTurn(behind: before[1] == 0 ? nil : before[1], total: before[2], hasPaused: hasPaused)
  }

  /// - Parameter isFirst: whether the container was not given the file by this instance.
  mutating func isDue(_ row: StoredAsset, changed: Int64, isFirst: Bool) -> Bool {
    stamp = max(stamp, changed)
    return turn.isDue(row.sequence, size: row.size, isNew: isFirst || changed > before[0])
  }

  /// What was written by us just now is known.
  mutating func isWritten(_ changed: Int64) { stamp = max(stamp, changed) }

  func finish() throws {
    let now = [stamp, turn.next ?? 0, turn.total, turned]
    guard now != before else { return }
    var writer = ByteWriter()
    for value in now { writer.int64(value) }
    let bytes = writer.array()
    try store.write { try store.setMeta(key, .blob(bytes)) }
  }
}
