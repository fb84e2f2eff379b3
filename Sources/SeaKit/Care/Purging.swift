internal import SeaCore
internal import SeaEngine

/// What is to be gone for good.
public enum PurgeTarget: Sendable, Hashable {
  /// All that a record ever said; with `keepsNow` not what it says now, else it is deleted as well.
  case record(String, keepsNow: Bool)
  /// What a record said whenever it had one of these properties, by names or JSON Pointers; with `keepsNow` not what it says now, else it goes
  /// on without them.
  case properties(of: String, paths: [String], keepsNow: Bool)
  /// What records said before a time, by their authors' clocks, and do not say now.
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

/// What a purge takes out, or would.
public struct PurgeReport: Sendable, Hashable {
  /// A block that has to stay.
  public struct Obstacle: Sendable, Hashable {
    /// Whose block it is, and its number.
    public let instance: Instance, block: Int
    /// Why: `foreign` (its author has to order it, or who is senior), `control` (it says as well who belongs here, or which keys count),
    /// `held` (it has changes of other records that do not count yet), `large` (an order would fit no block).
    public let reason: String
  }

  /// Of how many records something goes, and how many revisions.
  public let records: Int, revisions: Int
  /// Blocks that go, and revisions in them that stay and are written again.
  public let blocks: Int, keptRevisions: Int
  /// Revisions that were meant and stay, with the blocks that they stand in.
  public let stayingRevisions: Int, obstacles: [Obstacle]
  /// Whether what the record says now ends as well.
  public let endsNow: Bool
  /// Blocks that cannot be read here: nobody knows what they say.
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

/// Who has not yet taken out what was ordered to be purged, as far as can be seen from here.
public struct PurgeStanding: Sendable, Hashable {
  /// A container.
  public struct Place: Sendable, Hashable {
    /// What it is called here.
    public let name: String
    /// Whether nothing of it is left there; nil if it could not be looked at.
    public let isDone: Bool?
    /// How much is left there.
    public let left: Int
    /// Why it could not be looked at, or written to; may be empty.
    public let reason: String
  }

  /// Another instance.
  public struct Other: Sendable, Hashable {
    /// Which one.
    public let instance: Instance
    /// Whether it has said that it knows all orders.
    public let isDone: Bool
    /// Whether it may write, and so can say so at all.
    public let canSay: Bool
  }

  /// Whether nothing is known to be left on this device, and anywhere that can be seen from here.
  public let isDoneHere: Bool, isDone: Bool
  /// Blocks that are purged here, and those that are ordered to be and are whole here: a sync takes them out.
  public let purgedBlocks: Int, waitingBlocks: Int
  /// The containers that are attached.
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
  /// Permanently removes what was said: here at once, in containers and elsewhere with the syncs to come. It cannot be undone. Copies under
  /// other names, backups and devices that never sync again still have the content.
  /// - Parameter target: what is meant.
  /// - Returns: what is gone, and what had to stay.
  /// - Throws: `conflict` if a record is in conflict that needs what would go, `not-found` if there is no such record; nothing was written
  ///   then.
  @discardableResult
  public func purge(_ target: PurgeTarget) async throws -> PurgeReport {
    try await database.writing { engine in
      let purged = try engine.purge.run(target.core(engine))
      return PurgeReport(purged.plan, try Instances(engine))
    }
  }

  /// What `purge` would do now; nothing is written.
  public func preview(purging target: PurgeTarget) async throws -> PurgeReport {
    try await database.reading { engine in
      let plan = try engine.purge.plan(target.core(engine))
      guard plan.conflicts.isEmpty else { throw KitError.purgeConflicts(plan.conflicts) }
      return PurgeReport(plan, try Instances(engine))
    }
  }

  /// Who has not yet taken out what was ordered to be purged: containers that can be reached are looked at.
  public func purgeStanding() async throws -> PurgeStanding {
    try await database.working(isLooking: true) { engine in
      PurgeStanding(try engine.purge.report(engine.containers), try Instances(engine))
    }
  }
}
