internal import SeaCore
internal import SeaEngine

/// The size of a database on this device, as `sea stats` prints it.
public struct Statistics: Sendable, Hashable {
  /// The part of an instance.
  public struct Author: Sendable, Hashable {
    /// The instance.
    public let instance: Instance
    /// The number of its blocks, the revisions in them, and the size of the blocks in bytes.
    public let blocks: Int, changes: Int, bytes: Int64
    /// The number of its blocks without effect, and the number of its purged blocks.
    public let ignoredBlocks: Int, purgedBlocks: Int
    /// The times of its first and last change, according to its clock; nil if there is none.
    public let firstChange: Timestamp?, lastChange: Timestamp?

    init(_ instance: Instance, _ total: BlockTotal) {
      self.instance = instance
      (blocks, changes, bytes) = (total.blocks, total.changes, total.bytes)
      (ignoredBlocks, purgedBlocks) = (total.uncounted, total.removed)
      firstChange = total.first.map { Timestamp(milliseconds: $0) }
      lastChange = total.last.map { Timestamp(milliseconds: $0) }
    }
  }

  /// The number of records, of deleted records, and of records in conflict.
  public let records: Int, deletedRecords: Int, conflicts: Int
  /// The number of revisions, and the number of revisions whose parent has not arrived yet.
  public let revisions: Int, waitingRevisions: Int
  /// The number of blocks, and their size in bytes.
  public let blocks: Int, blockBytes: Int64
  /// The number of blocks without effect, and the number of purged blocks.
  public let ignoredBlocks: Int, purgedBlocks: Int
  /// The number of assets that revisions refer to, and their size in bytes.
  public let assets: Int, assetBytes: Int64
  /// The number of asset files on this device, and their size in bytes.
  public let assetFiles: Int, assetFileBytes: Int64
  /// The size of the database file in bytes, without asset files.
  public let databaseBytes: Int64
  /// The instances, beginning with the one that made most changes.
  public let authors: [Author]

  init(_ all: SeaEngine.Statistics, _ instances: Instances) {
    let totals = all.totals
    (records, deletedRecords, conflicts) = (all.records, totals.deleted, all.conflicts)
    (revisions, waitingRevisions) = (totals.revisions, all.waiting)
    (blocks, blockBytes) = (all.blocks.blocks, all.blocks.bytes)
    (ignoredBlocks, purgedBlocks) = (all.blocks.uncounted, all.blocks.removed)
    (assets, assetBytes) = totals.assets
    (assetFiles, assetFileBytes) = totals.assetFiles
    databaseBytes = totals.disk
    authors = all.authors.map { Author(instances[$0.instance], $0.total) }
  }
}

extension Database.Care {
  /// Counts records, revisions, blocks and assets, by instance, without reading their content.
  public func statistics() async throws -> Statistics {
    try await database.reading { Statistics(try $0.statistics(), try Instances($0)) }
  }
}
