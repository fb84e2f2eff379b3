internal import SeaCore
internal import SeaEngine

/// Syncs automatically: shortly after each write of this instance, when other instances have written to a container, and
/// at regular intervals.
///
///     let sync = database.automaticSync(every: .seconds(60)) { event in … }
///     await sync.pause()
///
/// Containers in folders report writes, and so do those on servers, and your own containers if they implement
/// ``Container/changes()``. Others are read at each interval.
///
/// Automatic sync runs until it is stopped or released. If a sync fails, it is tried again after increasingly long
/// pauses, which never exceed the interval.
public actor AutomaticSync {
  /// A notification about a sync.
  public enum Event: Sendable {
    /// A sync starts.
    case didStart
    /// A sync ended with a report or an error. The error is `CancellationError` if the sync was paused.
    case didFinish(Result<SyncReport, any Error>)
  }

  private let database: Database
  private let names: [String]
  private let interval: Duration
  private let resolvers: [Resolver]
  private let notify: @Sendable (Event) -> Void
  private var task: Task<Void, Never>?
  private var isPaused = false
  private static let least = Duration.milliseconds(100)
  /// About a year, because a clock cannot wait forever.
  private static let most = Duration.seconds(32_000_000)

  init(
    _ database: Database, _ names: [String], _ interval: Duration, _ resolvers: [Resolver],
    _ notify: @escaping @Sendable (Event) -> Void
  ) {
    (self.database, self.names, self.resolvers, self.notify) = (database, names, resolvers, notify)
    self.interval = min(max(interval, AutomaticSync.least), AutomaticSync.most)
  }

  deinit { task?.cancel() }

  /// Starts syncing. A second call has no effect.
  public func start() {
    guard task == nil else { return }
    let run = Run(database: database, names: names, interval: interval, resolvers: resolvers, notify: notify)
    task = Task { await run.go() }
  }

  /// Ends the running sync at a safe point. No sync starts until `resume` is called.
  public func pause() async {
    let ended = task
    task = nil
    isPaused = true
    ended?.cancel()
    await ended?.value
  }

  /// Resumes syncing after `pause`.
  public func resume() {
    guard isPaused else { return }
    isPaused = false
    start()
  }

  /// Stops syncing, and ends the running sync at a safe point.
  public func stop() async {
    await pause()
    isPaused = false
  }
}

private struct Run: Sendable {
  let database: Database
  let names: [String]
  let interval: Duration
  let resolvers: [Resolver]
  let notify: @Sendable (AutomaticSync.Event) -> Void

  /// The delay that allows several writes to be transferred in one sync.
  private static let gathering = Duration.milliseconds(10)

  func go() async {
    var pause = Duration.seconds(1)
    let arrivals = Bell()
    // Without a watcher, the interval remains.
    let watcher = try? ContainerWatcher { arrivals.ring() }
    // Containers elsewhere stay connected from one sync to the next.
    let lane = try? database.workLane()
    while !Task.isCancelled {
      // Later writes and arrivals may be missing in this sync, so they start the next one.
      let (written, arrived) = ((try? database.writeNotifier.count()) ?? 0, arrivals.count)
      let blocks = try? await database.ownBlocks()
      notify(.didStart)
      var isWell = false
      do {
        let report = try await database.sync(named: names, .both, resolvers, watcher: watcher, on: lane, nil)
        isWell = report.isComplete
        notify(.didFinish(.success(report)))
      } catch {
        notify(.didFinish(.failure(error)))
      }
      if Task.isCancelled { return }
      pause = isWell ? .seconds(1) : min(pause * 2, interval)
      await wait(isWell ? interval : pause, written: (written, blocks), arrived: (arrivals, arrived))
      // A container with a lasting problem must not cause one sync after another.
      if !Task.isCancelled { try? await Task.sleep(for: isWell ? Run.gathering : min(.seconds(1), interval)) }
    }
  }

  /// Waits until the time is up, this instance has written a block since the last sync, or something has arrived in a
  /// container.
  private func wait(
    _ time: Duration, written: (count: Int, blocks: UInt32??), arrived: (bell: Bell, count: Int)
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await Task.sleep(for: time) }
      group.addTask { [database] in
        var seen = written.count
        while !Task.isCancelled {
          await database.writeNotifier.wait(after: seen)
          seen = (try? database.writeNotifier.count()) ?? seen
          if let now = try? await database.ownBlocks(), now != written.blocks { break }
        }
      }
      group.addTask { await arrived.bell.wait(after: arrived.count) }
      await group.next()
      group.cancelAll()
    }
  }
}

extension Database {
  /// Returns an automatic sync, which you start with `start`.
  /// - Parameters:
  ///   - names: the names of containers; none for all automatic ones.
  ///   - interval: the longest pause between syncs, from a tenth of a second to a year.
  ///   - resolvers: the resolvers that each sync uses, as in ``Database/sync(_:direction:full:resolving:progress:)``.
  ///   - notify: receives notifications, on any thread.
  public func automaticSync(
    with names: String..., every interval: Duration = .seconds(60), resolving resolvers: [Resolver] = [],
    _ notify: @escaping @Sendable (AutomaticSync.Event) -> Void = { _ in }
  ) -> AutomaticSync {
    AutomaticSync(self, names, interval, resolvers, notify)
  }

  fileprivate func ownBlocks() async throws -> UInt32? { try await reading { try $0.feed.ownBlocks() } }
}

/// The result of a sync.
public struct SyncReport: Sendable, Hashable {
  /// The result for one container.
  public struct Outcome: Sendable, Hashable {
    /// The name of the container.
    public let name: String
    /// The numbers of pulled and pushed blocks.
    public let pulled: Int, pushed: Int
    /// The numbers of pulled and pushed assets.
    public let assetsPulled: Int, assetsPushed: Int
    /// The number of blocks that were written again, because the container had lost or damaged them.
    public let healed: Int
    /// Whether some content is still being copied to the container; a later sync will pull it.
    public let isIncomplete: Bool
    /// Descriptions of repairs, and of invalid content that was ignored.
    public let problems: [String]
    /// The error that ended the sync of this container; nil if there was none. Content that was transferred before the
    /// error is kept.
    public let error: SeaError?
  }

  /// A conflict that stays open because of an error.
  public struct Unresolved: Sendable, Hashable, Identifiable {
    /// The id of the record.
    public let id: String
    /// The error of the resolver, or of storing its result. Errors that are not a ``SeaError`` have the code `refused`.
    public let error: SeaError

    init(_ id: String, _ error: any Error) {
      let cause = (error as? Resolver.Failure)?.error ?? error
      self.id = id
      switch SeaError.of(cause) {
      case let error as SeaError: self.error = error.about(id)
      case let other:
        self.error = SeaError(.refused, "cannot resolve the conflict of '\(id)': \(other)", ["id": id])
      }
    }
  }

  /// The results, in the order of the containers.
  public internal(set) var outcomes: [Outcome] = []
  /// The ids of the records that were merged.
  public internal(set) var merged: [String] = []
  /// The results of the resolvers.
  public internal(set) var resolved: [ResolvedConflict] = []
  /// The conflicts that a resolver could not resolve.
  public internal(set) var unresolved: [Unresolved] = []
  /// The ids of the records that are in conflict because of the sync and were neither merged nor resolved.
  public internal(set) var conflicts: [String] = []

  /// Whether all containers were synced completely, without errors or problems.
  public var isComplete: Bool { outcomes.allSatisfy { $0.error == nil && !$0.isIncomplete && $0.problems.isEmpty } }

  mutating func add(_ name: String, _ outcome: SyncOutcome) {
    let result = outcome.result
    merged += result.merged.map(\.id)
    conflicts += result.conflicts
    outcomes.append(
      Outcome(
        name: name, pulled: result.pulled, pushed: result.pushed, assetsPulled: result.assetsPulled,
        assetsPushed: result.assetsPushed, healed: result.healed, isIncomplete: result.isIncomplete,
        problems: result.problems.map { Failure.ofLibrary($0).message },
        error: outcome.failure.map { SeaError(known: $0) }))
  }
}

extension Database {
  /// The direction of a sync.
  public enum SyncDirection: Sendable {
    /// Pulls, merges and pushes.
    case both
    /// Only pulls.
    case pull
    /// Only pushes.
    case push
  }

  /// Exchanges changes with containers. Others may read and write meanwhile.
  /// - Parameters:
  ///   - names: the names of containers; none for all automatic ones.
  ///   - direction: the direction.
  ///   - full: whether to verify all files in the containers, even those that have not changed since an earlier sync.
  ///   - resolvers: resolve the conflicts that remain after the automatic merge, before this instance writes to the
  ///     containers. The first resolver for the type of a record decides. Others can write while a function runs. If a
  ///     function throws, its record stays in conflict, ``SyncReport/unresolved`` contains the error, and the sync
  ///     continues. The next sync with resolvers tries again.
  ///   - progress: receives the progress on a thread of the sync; it must return quickly.
  /// - Returns: the results. A problem of one container is its `error` and does not affect the others.
  /// - Throws: errors of this database; `not-found` for an unknown name; `CancellationError` if the task was cancelled.
  ///   The next sync then continues.
  @discardableResult
  public func sync(
    _ names: String..., direction: SyncDirection = .both, full: Bool = false, resolving resolvers: [Resolver] = [],
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> SyncReport {
    try await sync(named: names, direction, resolvers, full: full, progress)
  }

  fileprivate func sync(
    named names: [String], _ direction: SyncDirection, _ resolvers: [Resolver], full: Bool = false,
    watcher: ContainerWatcher? = nil, on lane: EngineLane? = nil, _ progress: (@Sendable (Progress) -> Void)?
  ) async throws -> SyncReport {
    try await working(progress, on: lane) { [log] engine in
      let way = direction.core
      var report = SyncReport()
      let settings = try engine.containers.select(names, for: way)
      watcher?.follow(settings, engine.containers)
      func resolve() throws {
        if resolvers.isEmpty { return }
        let decide = try resolvers.decisions(engine)
        report.resolved = try engine.conflicts.resolveOpen(label: ConflictResolver.label, decide) { id, error in
          report.unresolved.append(SyncReport.Unresolved(id, error))
        }.map { ResolvedConflict($0) }
      }
      try engine.exchange.sync(settings, SyncOptions(way, isFull: full), resolve: resolve) { setting, outcome in
        report.add(setting.name, outcome)
      }
      report.conflicts = try engine.conflicts.open(among: report.conflicts)
      log.warn(of: report)
      // A cancelled sync reports no other error.
      try engine.settings.checkStop()
      return report
    }
  }
}

extension Log {
  /// Logs the problems in a report, because automatic syncs may have no other reader.
  fileprivate func warn(of report: SyncReport) {
    for one in report.outcomes {
      if let error = one.error { warn(error.message, ["container": one.name, "code": error.code.rawValue]) }
      for problem in one.problems { warn(problem, ["container": one.name]) }
    }
    for one in report.unresolved { warn(one.error.message, ["id": one.id, "code": one.error.code.rawValue]) }
  }
}

extension Database {
  /// Returns the expected results of a sync without changing anything.
  /// - Parameters:
  ///   - names: the names of containers; an empty array for all automatic ones.
  ///   - direction: the direction.
  /// - Returns: the expected results, without merges and conflicts.
  /// - Throws: errors of this database; `not-found` for an unknown name; `CancellationError` if the task was cancelled.
  public func preview(syncing names: [String], direction: SyncDirection = .both) async throws -> SyncReport {
    try await working(opensReadOnly: true) { engine in
      let settings = try engine.containers.select(names, for: direction.core)
      var report = SyncReport()
      let plans = engine.containers.plans(settings, pulls: direction != .push)
      for (setting, plan) in zip(settings, plans) {
        try engine.settings.checkStop()
        let outcome = SyncOutcome(catching: {
          try engine.planned(plan.get(), setting, pushes: direction != .pull && !setting.isReadOnly)
        })
        // An error of one container does not affect the others, but an error of the database does.
        if let error = outcome.failure, Containers.state(for: error) == nil { throw error }
        report.add(setting.name, outcome)
      }
      return report
    }
  }
}

extension Database.SyncDirection {
  var core: Direction {
    switch self {
    case .both: .both
    case .pull: .pull
    case .push: .push
    }
  }
}

extension Engine {
  fileprivate func planned(_ plan: ExchangePlan, _ setting: ContainerSetting, pushes: Bool) throws -> SyncResult {
    let look = try exchange.probe(at: setting)
    guard pushes else {
      var result = SyncResult(pulled: plan.pull.blocks)
      result.problems = look.oneWayProblems(of: setting.name)
      return result
    }
    var result = SyncResult(
      pulled: plan.pull.blocks, pushed: plan.push.blocks + look.lostBlocks(besides: plan.push),
      assetsPushed: try exchange.countAssetsToPush(setting) + look.lostAssets)
    (result.healed, result.assetsHealed) = (look.lostBlocks, look.lostAssets)
    result.problems = look.problems.filter { $0.code == .incomplete || $0.code == .crowded }
    return result
  }
}
