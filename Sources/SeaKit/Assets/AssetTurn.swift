import SeaCore
import SeaStore

/// Of which files of assets in a container the content is looked at in this sync: those that have changed since the last one, and a
/// part of the others, in the order in which they came here. All of what is remembered for it may be lost: then it begins anew.
struct AssetTurn {
  /// The part of a container whose contents are looked at in one sync, and the most bytes of it.
  static let part: Int64 = 30
  static let mostBytes: Int64 = 64 << 20

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

  init(_ store: Store, _ name: String) throws {
    self.store = store
    key = "assets:" + name
    let bytes = try store.metaBlob(key) ?? []
    before =
      bytes.count == 24
      ? stride(from: 0, to: 24, by: 8).map { start in
        bytes[start..<start + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      } : [0, 0, 0]
    stamp = before[0]
    share = min(AssetTurn.mostBytes, before[2] / AssetTurn.part + 1)
  }

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
    let now = [stamp, share > 0 ? 0 : cursor, total]
    guard now != before else { return }
    let bytes = now.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> Int64(56 - 8 * $0)) } }
    try store.write { try store.setMeta(key, .blob(bytes)) }
  }
}
