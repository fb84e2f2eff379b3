internal import SeaEngine
internal import SeaWords

/// What a sync did.
public struct SyncReport: Sendable, Hashable {
  /// What came of one container.
  public struct Outcome: Sendable, Hashable {
    /// The container.
    public let name: String
    /// Blocks that were taken in, and that were handed over.
    public let pulled: Int, pushed: Int
    /// Assets that were fetched, and that were handed over.
    public let assetsPulled: Int, assetsPushed: Int
    /// Whether something is on its way there and not whole yet: a later sync takes it.
    public let isArriving: Bool
    /// What does not verify or was mended, in words; what could not be used was left out, and nothing of it counts.
    public let problems: [String]
    /// Why it was not done; nil if it was. What was done before stays.
    public let error: SeaError?
  }

  /// Of each container, in their order.
  public internal(set) var outcomes: [Outcome] = []
  /// The ids of records that disagreed and were merged.
  public internal(set) var merged: [String] = []
  /// The ids of records that came into conflict.
  public internal(set) var conflicts: [String] = []

  /// Whether all of it was done, and nothing is on its way or wrong.
  public var isComplete: Bool { outcomes.allSatisfy { $0.error == nil && !$0.isArriving && $0.problems.isEmpty } }

  mutating func add(_ name: String, _ outcome: SyncOutcome) {
    let result = outcome.result
    merged += result.merged.map(\.id)
    conflicts += result.conflicts
    outcomes.append(
      Outcome(
        name: name, pulled: result.pulled, pushed: result.pushed, assetsPulled: result.assetsPulled,
        assetsPushed: result.assetsPushed, isArriving: result.isArriving,
        problems: result.problems.map { Failure.ofLibrary($0).message },
        error: outcome.failure.map { SeaError(known: $0) }))
  }
}

extension Database {
  /// Which way a sync goes.
  public enum SyncDirection: Sendable {
    /// Takes in what others have written, merges, and hands over.
    case both
    /// Takes in.
    case pull
    /// Hands over.
    case push
  }

  /// Exchanges changes with containers. Others may read and write meanwhile.
  /// - Parameters:
  ///   - names: of containers; none for all that are automatic.
  ///   - direction: which way.
  ///   - progress: told how far it has come, on a thread of the sync; it must be quick.
  /// - Returns: what came of each. What is wrong with one of them leaves the others alone, and is its `error`.
  /// - Throws: what is wrong with this database; `not-found` for a name that is none; `CancellationError` if the task was cancelled: what
  ///   was done stays, and the next sync goes on there.
  @discardableResult
  public func sync(
    _ names: String..., direction: SyncDirection = .both, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> SyncReport {
    try await sync(named: names, direction, progress)
  }

  func sync(
    named names: [String], _ direction: SyncDirection, _ progress: (@Sendable (Progress) -> Void)?
  ) async throws -> SyncReport {
    try await working(progress) { engine in
      let way: Direction =
        switch direction {
        case .both: .both
        case .pull: .pull
        case .push: .push
        }
      var report = SyncReport()
      let settings = try engine.containers.select(names, for: way)
      try engine.exchange.sync(settings, SyncOptions(way)) { setting, outcome in report.add(setting.name, outcome) }
      // What was given up for that has no error of its own.
      try engine.settings.checkStop()
      return report
    }
  }
}
