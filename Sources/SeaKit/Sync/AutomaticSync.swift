internal import SeaEngine

/// Syncs by itself: soon after something was written here, and again after an interval.
///
///     let sync = database.automaticSync(every: .seconds(60)) { event in … }
///     await sync.pause()
///
/// It goes on until it is stopped or let go. Failures are told and tried again, later and later, up to the interval.
public actor AutomaticSync {
  /// What it tells.
  public enum Event: Sendable {
    /// A sync begins.
    case didStart
    /// It has ended: with what it did, or with what stopped it, `CancellationError` if that was a pause.
    case didFinish(Result<SyncReport, any Error>)
  }

  private let database: Database
  private let names: [String]
  private let interval: Duration
  private let tell: @Sendable (Event) -> Void
  private var task: Task<Void, Never>?
  private var isPaused = false
  private static let least = Duration.milliseconds(100)
  /// About a year; no clock waits for ever.
  private static let most = Duration.seconds(32_000_000)

  init(_ database: Database, _ names: [String], _ interval: Duration, _ tell: @escaping @Sendable (Event) -> Void) {
    (self.database, self.names, self.tell) = (database, names, tell)
    self.interval = min(max(interval, AutomaticSync.least), AutomaticSync.most)
  }

  deinit { task?.cancel() }

  /// Begins; twice is once.
  public func start() {
    guard task == nil else { return }
    let run = Run(database: database, names: names, interval: interval, tell: tell)
    task = Task { await run.go() }
  }

  /// Ends what is under way at a place where nothing is half done, and begins nothing until `resume`.
  public func pause() async {
    let ended = task
    task = nil
    isPaused = true
    ended?.cancel()
    await ended?.value
  }

  /// Goes on after `pause`.
  public func resume() {
    guard isPaused else { return }
    isPaused = false
    start()
  }

  /// Ends it.
  public func stop() async {
    await pause()
    isPaused = false
  }
}

/// What an automatic sync does between being started and being cancelled.
private struct Run: Sendable {
  let database: Database
  let names: [String]
  let interval: Duration
  let tell: @Sendable (AutomaticSync.Event) -> Void

  /// What comes in short order goes together.
  private static let gathering = Duration.milliseconds(100)

  func go() async {
    var pause = Duration.seconds(1)
    while !Task.isCancelled {
      let count = (try? database.bell.count()) ?? 0
      tell(.didStart)
      var isWell = false
      do {
        let report = try await database.sync(named: names, .both, nil)
        isWell = report.isComplete
        tell(.didFinish(.success(report)))
      } catch {
        tell(.didFinish(.failure(error)))
      }
      if Task.isCancelled { return }
      pause = isWell ? .seconds(1) : min(pause * 2, interval)
      await wait(isWell ? interval : pause, after: isWell ? count : nil)
    }
  }

  /// Until the time is over, or something that this did not write itself was written.
  private func wait(_ time: Duration, after count: Int?) async {
    let before = try? await database.ownBlocks()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await Task.sleep(for: time) }
      if let count {
        group.addTask { [database] in
          var seen = count
          while !Task.isCancelled {
            await database.bell.wait(after: seen)
            seen = (try? database.bell.count()) ?? seen
            if let now = try? await database.ownBlocks(), now != before { break }
          }
          try? await Task.sleep(for: Run.gathering)
        }
      }
      await group.next()
      group.cancelAll()
    }
  }
}

extension Database {
  /// A sync that goes by itself, once it is started.
  /// - Parameters:
  ///   - names: of containers; none for all that are automatic.
  ///   - interval: how long it waits at most for what others have written; from a tenth of a second to a year.
  ///   - tell: told what it does, on any thread.
  public func automaticSync(
    with names: String..., every interval: Duration = .seconds(60),
    _ tell: @escaping @Sendable (AutomaticSync.Event) -> Void = { _ in }
  ) -> AutomaticSync {
    AutomaticSync(self, names, interval, tell)
  }

  /// The index of the last block of this instance.
  fileprivate func ownBlocks() async throws -> UInt32? { try await reading { try $0.feed.ownBlocks() } }
}

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
