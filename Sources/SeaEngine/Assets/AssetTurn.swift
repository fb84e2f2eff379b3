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
    key = AssetTurn.key(name)
    before = try AssetTurn.known(store, key)
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
    try AssetTurn.note(store, key, before, [stamp, turn.next ?? 0, turn.total, turned])
  }

  /// Notes that all that was changed there up to some time was given or read whole by this instance, which need not be read again soon.
  static func settle(_ store: Store, _ name: String, now: Int64, changed: Int64) throws {
    let before = try known(store, key(name))
    guard changed > before[0] else { return }
    try note(store, key(name), before, [changed, before[1], before[2], max(now, before[3])])
  }

  private static func key(_ name: String) -> String { "assets:" + name }

  private static func known(_ store: Store, _ key: String) throws -> [Int64] {
    var reader = try ByteReader(store.metaBlob(key) ?? [])
    let known = [reader.int64(), reader.int64(), reader.int64(), reader.int64()].compactMap { $0 }
    return known.count == 4 && reader.isAtEnd ? known : [0, 0, 0, 0]
  }

  private static func note(_ store: Store, _ key: String, _ before: [Int64], _ now: [Int64]) throws {
    guard now != before else { return }
    var writer = ByteWriter()
    for value in now { writer.int64(value) }
    let bytes = writer.array()
    try store.write { try store.setMeta(key, .blob(bytes)) }
  }
}
