/// What some blocks come to.
package struct BlockTotal: Sendable {
  package var blocks = 0
  /// Revisions that they hold; of those that count.
  package var changes = 0
  package var bytes: Int64 = 0
  /// How many of them do not count.
  package var uncounted = 0
  /// How many of them are removed: only the hash is here.
  package var removed = 0
  /// When the first and the last that changed records and counts were written, by the author's clock; nil without any.
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

/// What the database comes to, as the tables say it: no content of a record or a block is read.
package struct Totals: Sendable {
  package var deleted = 0
  package var revisions = 0
  /// Content that any revision names; in several places it counts once.
  package var assets: (count: Int, bytes: Int64) = (0, 0)
  /// Files of assets that are here.
  package var assetFiles: (count: Int, bytes: Int64) = (0, 0)
  /// The size of the database itself on this device.
  package var disk: Int64 = 0
  /// What each instance has written, all branches of its chain together.
  package var authors: [UUID: BlockTotal] = [:]

  package init() {}
}
