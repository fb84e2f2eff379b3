internal import SeaCore
internal import SeaEngine

/// The content that a purge removes permanently.
public enum PurgeTarget: Sendable, Hashable {
  /// All content of a record. With `keepsNow`, its current content stays; otherwise the record is deleted, too.
  case record(String, keepsNow: Bool)
  /// All revisions of a record in which one of these properties had a value; the paths are names or JSON Pointers. With
  /// `keepsNow`, the current content stays; otherwise the record loses the properties.
  case properties(of: String, paths: [String], keepsNow: Bool)
  /// The content of all records before a time, by their authors' clocks, except the current content.
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
    /// The author of the block, and the number of the block in its chain.
    public let instance: Instance, block: Int
    /// The reason: `foreign` (only the author or a senior instance may purge it), `control` (it also defines members or
    /// keys), `held` (it has pending changes of other records), `large` (the purge order would not fit into a block).
    public let reason: String
  }

  /// The number of affected records, and of removed revisions.
  public let records: Int, revisions: Int
  /// The number of removed blocks, and of their other revisions, which are written again.
  public let blocks: Int, keptRevisions: Int
  /// Selected revisions that cannot be removed, and the blocks that contain them.
  public let stayingRevisions: Int, obstacles: [Obstacle]
  /// Whether the current content of the records is removed, too.
  public let endsNow: Bool
  /// Blocks that cannot be decrypted here, so their content is unknown.
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

/// The progress of all purges on other devices and in containers, as far as it is known here.
public struct PurgeStanding: Sendable, Hashable {
  /// The progress in a container.
  public struct Place: Sendable, Hashable {
    /// The name of the container.
    public let name: String
    /// Whether all purged content is gone there; nil if the container could not be checked.
    public let isDone: Bool?
    /// The number of remaining items.
    public let left: Int
    /// The error of checking or writing; may be empty.
    public let reason: String
  }

  /// The progress on another instance.
  public struct Other: Sendable, Hashable {
    /// The instance.
    public let instance: Instance
    /// Whether the instance has confirmed that it knows all purge orders.
    public let isDone: Bool
    /// Whether the instance may write, which it must to confirm.
    public let canSay: Bool
  }

  /// Whether the purges are complete on this device, and everywhere as far as is known.
  public let isDoneHere: Bool, isDone: Bool
  /// The number of purged blocks, and of blocks that the next sync will purge.
  public let purgedBlocks: Int, waitingBlocks: Int
  /// The attached containers.
  public let containers: [Place]
  /// The other instances.
  public let instances: [Other]

  init(_ report: SeaEngine.PurgeReport, _ names: Instances) {
    (isDoneHere, isDone) = (report.isDoneHere, report.isDone)
    (purgedBlocks, waitingBlocks) = (report.purged, report.waiting)
    containers = report.containers.map { place in
      Place(
        name: place.name, isDone: place.state == .unseen ? nil : place.state == .done, left: place.remainders.count,
        reason: place.reason)
    }
    instances = report.instances.map { Other(instance: names[$0.instance], isDone: $0.isDone, canSay: $0.canSay) }
  }
}

extension Database.Care {
  /// Permanently removes content: here immediately, elsewhere with later syncs. It cannot be undone. Renamed copies,
  /// backups and devices that never sync again keep the content.
  /// - Parameter target: the content to remove.
  /// - Returns: the removed content, and the blocks that had to stay.
  /// - Throws: `conflict` if a record in conflict needs the content, `not-found` for an unknown record.
  @discardableResult
  public func purge(_ target: PurgeTarget) async throws -> PurgeReport {
    try await database.writing { engine in
      let purged = try engine.purge.run(target.core(engine))
      return PurgeReport(purged.plan, try Instances(engine))
    }
  }

  /// Returns the effect that `purge` would have now; nothing is written.
  public func preview(purging target: PurgeTarget) async throws -> PurgeReport {
    try await database.reading { engine in
      let plan = try engine.purge.plan(target.core(engine))
      guard plan.conflicts.isEmpty else { throw KitError.purgeConflicts(plan.conflicts) }
      return PurgeReport(plan, try Instances(engine))
    }
  }

  /// Returns the progress of all purges. It checks the containers that are available.
  public func purgeStanding() async throws -> PurgeStanding {
    try await database.working(isLooking: true) { engine in
      PurgeStanding(try engine.purge.report(engine.containers), try Instances(engine))
    }
  }
}
