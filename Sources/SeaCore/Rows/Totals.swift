package struct BlockTotal: Sendable {
  package var blocks = 0
  /// The number of revisions in blocks that count.
  package var changes = 0
  package var bytes: Int64 = 0
  package var uncounted = 0
  package var removed = 0
  /// The time, according to its author's clock, of the first block that counts and changes records. `last` is the time
  /// of the last such block.
  package var first: Int64?
  package var last: Int64?

  package init() {}

  package mutating func add(_ other: BlockTotal) {
    blocks += other.blocks
    changes += other.changes
    bytes += other.bytes
    uncounted += other.uncounted
    removed += other.removed
    if let time = other.first { first = min(first ?? time, time) }
    if let time = other.last { last = max(last ?? time, time) }
  }
}

/// The totals of the database, computed without reading the content of records or blocks.
package struct Totals: Sendable {
  package var deleted = 0
  package var revisions = 0
  /// The number and total size of the assets that revisions refer to. Content shared by several assets counts once.
  package var assets: (count: Int, bytes: Int64) = (0, 0)
  package var assetFiles: (count: Int, bytes: Int64) = (0, 0)
  package var disk: Int64 = 0
  package var authors: [UUID: BlockTotal] = [:]

  package init() {}
}
