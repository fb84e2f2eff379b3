import SeaCore
import SeaStore

/// Of which files of assets in a container the content is looked at in this sync: those that have changed since the last one, and a
/// part of the others, in the order in which they came here. All of what is remembered for it may be lost: then it begins anew.
struct AssetTurn {
  /// The part of a container whose contents are looked at in one sync, and the most bytes of it.
  static let part: Int64 = 30
  static let mostBytes: Int64 = 64 << 20
  /// In a container elsewhere contents have their turn no more often: milliseconds.
  static let pause: Int64 = 3_600_000

  private let store: Store
  private let key: String
  private let before: [Int64]
  /// Bytes that are still read in this sync.
  private var budget = AssetTurn.mostBytes
  private var share: Int64
  private var total: Int64 = 0
  /// The latest change of any file that was met, by the clock of the place.
  private var stamp: Int64
  /// Up to which sequence contents were looked at in their turn; 0 when the end was reached.
  private var cursor: Int64 = 0

  /// When contents were last looked at in their turn; 0 where that is done each time.
  private var turned: Int64 = 0

  init(_ store: Store, _ name: String, now: Int64, isFar: Bool) throws {
    self.store = store
    key = "assets:" + name
    var reader = try ByteReader(store.metaBlob(key) ?? [])
    let known = [reader.int64(), reader.int64(), reader.int64(), reader.int64()].compactMap { $0 }
    before = known.count == 4 && reader.isAtEnd ? known : [0, 0, 0, 0]
    stamp = before[0]
    share = min(AssetTurn.mostBytes, before[2] / AssetTurn.part + 1)
    guard isFar else { return }
    turned = now
    if AssetTurn.isTooSoon(now, after: before[3]) { (share, cursor, turned) = (0, before[1], before[3]) }
  }

  static func isTooSoon(_ now: Int64, after turned: Int64) -> Bool { (0..<pause).contains(now - turned) }

  /// - Parameter isFirst: whether the container was not given the file by this instance.
  mutating func isDue(_ row: StoredAsset, changed: Int64, isFirst: Bool) -> Bool {
    total += row.size
    let isNew = isFirst || changed > before[0]
    stamp = max(stamp, changed)
    if isNew, budget > 0 {
      budget -= row.size
      return true
    }
    guard share > 0, row.sequence > before[1] else { return false }
    share -= row.size
    cursor = row.sequence
    return true
  }

  /// What was written by us just now is known.
  mutating func isWritten(_ changed: Int64) { stamp = max(stamp, changed) }

  func finish() throws {
    let now = [stamp, share > 0 ? 0 : cursor, total, turned]
    guard now != before else { return }
    var writer = ByteWriter()
    for value in now { writer.int64(value) }
    let bytes = writer.array()
    try store.write { try store.setMeta(key, .blob(bytes)) }
  }
}
