internal import SeaCore
internal import SeaEngine

/// The content that a purge removes permanently.
public enum PurgeTarget: Sendable, Hashable {
  /// All content of a record. With `keepsNow`, the current content is kept. Otherwise, the record is also deleted.
  case record(String, keepsNow: Bool)
  /// All revisions of a record in which any of these properties had a value. A path is a name or a JSON Pointer. With
  /// `keepsNow`, the current content is kept. Otherwise, the properties are removed from the record.
  case properties(of: String, paths: [String], keepsNow: Bool)
  /// All record content written before a given time, according to the authors' clocks, except current content.
  case before(Timestamp)

  func core(_ engine: Engine) throws -> PurgeGoal {
    switch self {
    case .record(let id, let keepsNow): .record(try engine.knownRow(id).id, keepsNow: keepsNow)
    case .properties(let id, let paths, let keepsNow):
      .properties(try engine.knownRow(id).id, try paths.map { try PropertyPath($0) }, keepsNow: keepsNow)
    case .before(let time): .before(time.milliseconds)
    }
  }
}

/// The effect of a purge.
public struct PurgeReport: Sendable, Hashable {
  /// A block that cannot be purged.
  public struct Obstacle: Sendable, Hashable {
    /// The block's author, and the block's number in its chain.
    public let instance: Instance, block: Int
    /// The reason: `foreign` (only the author or a senior instance can purge the block), `control` (the block also
    /// defines members or keys), `held` (the block has pending changes to other records), `large` (the purge order does
    /// not fit into a block).
    public let reason: String
  }

  /// The number of affected records, and the number of removed revisions.
  public let records: Int, revisions: Int
  /// The number of purged blocks, and the number of other revisions in these blocks, which are written again.
  public let blocks: Int, keptRevisions: Int
  /// The number of selected revisions that cannot be removed, and the blocks that contain them.
  public let stayingRevisions: Int, obstacles: [Obstacle]
  /// Whether the current content of the records is also removed.
  public let endsNow: Bool
  /// The number of blocks whose content is unknown because this instance cannot decrypt them.
  public let unreadBlocks: Int

  init(_ plan: PurgePlan, _ instances: Instances) {
    (records, revisions, blocks) = (plan.records, plan.revisions, plan.orders)
    (keptRevisions, stayingRevisions) = (plan.kept, plan.staying)
    (endsNow, unreadBlocks) = (plan.endsNow, plan.unread)
    obstacles = plan.obstacles.compactMap { block in
      block.obstacle.map {
        Obstacle(instance: instances[block.row.instance], block: Int(block.row.index), reason: $0.rawValue)
      }
    }
  }
}

/// The progress of all purges on other devices and in containers, to this instance's knowledge.
public struct PurgeStanding: Sendable, Hashable {
  /// The progress of all purges in a container.
  public struct Place: Sendable, Hashable {
    /// The name of the container.
    public let name: String
    /// Whether all purged content is gone from the container; nil if the container could not be checked.
    public let isDone: Bool?
    /// The number of items that are still to be purged.
    public let left: Int
    /// The error that occurred while checking the container or writing to it; empty if there was no error.
    public let reason: String
  }

  /// The progress of all purges on another instance.
  public struct Other: Sendable, Hashable {
    /// The other instance.
    public let instance: Instance
    /// Whether the instance has confirmed that it knows all purge orders.
    public let isDone: Bool
    /// Whether the instance is allowed to write, and can therefore confirm purges.
    public let canSay: Bool
  }

  /// Whether the purges are complete on this device, and whether they are complete everywhere, as far as is known.
  public let isDoneHere: Bool, isDone: Bool
  /// The number of purged blocks, and the number of blocks that the next sync will purge.
  public let purgedBlocks: Int, waitingBlocks: Int
  /// The progress in each attached container.
  public let containers: [Place]
  /// The progress on each other instance.
  public let instances: [Other]

  init(_ report: SeaEngine.PurgeReport, _ names: Instances) {
    (isDoneHere, isDone) = (report.isDoneHere, report.isDone)
    (purgedBlocks, waitingBlocks) = (report.purged, report.waiting)
    containers = report.containers.map { place in
      Place(
        name: place.name, isDone: place.state == .unseen ? nil : place.state == .done, left: place.remainders.count,
        reason: place.reason)
    }
    instances = report.instances.map { Other(instance: names[$0.instance], isDone: $0.isDone, canSay: $0.canConfirm) }
  }
}

extension Database.Care {
  /// Permanently removes content: at once on this device, and elsewhere during later syncs. A purge cannot be undone.
  /// Renamed copies, backups and devices that never sync again still have the content.
  /// - Returns: a summary of the removed content, and the blocks that could not be purged.
  /// - Throws: `conflict` if a record in conflict needs the content, `not-found` for an unknown record.
  @discardableResult
  public func purge(_ target: PurgeTarget) async throws -> PurgeReport {
    try await database.writing { engine in
      let purged = try engine.purge.run(target.core(engine))
      return PurgeReport(purged.plan, try Instances(engine))
    }
  }

  /// Returns what `purge` would remove, without removing anything.
  public func preview(purging target: PurgeTarget) async throws -> PurgeReport {
    try await database.reading { engine in
      let plan = try engine.purge.plan(target.core(engine))
      guard plan.conflicts.isEmpty else { throw KitError.purgeConflicts(plan.conflicts) }
      return PurgeReport(plan, try Instances(engine))
    }
  }

  /// Returns the progress of all purges, after checking the available containers.
  public func purgeStanding() async throws -> PurgeStanding {
    try await database.working(opensReadOnly: true) { engine in
      PurgeStanding(try engine.purge.report(engine.containers), try Instances(engine))
    }
  }
}
