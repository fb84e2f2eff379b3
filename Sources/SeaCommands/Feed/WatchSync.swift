import SeaCore
import SeaEngine
import SeaSystem

/// Schedules and runs the syncs of `sea watch`.
final class WatchSync {
  private let session: Session
  private let names: [String]
  private let interval: Int64
  var hasToPull = true
  var hasToPush = true
  private var isOwed = false
  /// Whether the kernel reports every change in the container folders.
  var isFullyWatched = false
  private let news = ContainerNews()
  private var settings: [ContainerSetting] = []
  private var areComplete: [Bool] = []
  private var own = ""
  /// The time of the next sync if no change causes an earlier sync.
  private(set) var next: Int64?
  private var pause: Int64 = 1
  private var states: [String: String] = [:]
  private var problems: [String: Set<String>] = [:]
  private var asking: Set<UUID> = []

  init(_ session: Session, _ arguments: Arguments) throws {
    self.session = session
    names = arguments.texts(WatchCommand.sync).filter { !$0.isEmpty }
    let wanted = try arguments.duration(WatchCommand.interval) ?? session.config().duration("watch.interval") ?? 60
    interval = max(1, wanted)
  }

  private var isTime: Bool { next.map { $0 <= Clock.monotonic() } ?? true }
  var isDue: Bool { hasToPull || hasToPush || isTime }

  func wantAll() { (hasToPull, hasToPush) = (true, true) }

  /// Returns the folders to watch, and listens to remote containers.
  func folders(_ database: Database) throws -> [String] {
    settings = try database.containers.select(names, for: .both)
    own = database.folder.instance.description
    database.containers.listen(to: settings, news)
    let watched = settings.map { database.containers.watched($0) }
    areComplete = watched.map(\.isComplete)
    return watched.flatMap(\.folders)
  }

  private var isComplete: Bool { zip(settings, areComplete).allSatisfy { $1 || news.isListening($0) } }

  var descriptors: [Int32] { news.descriptors }

  func processSignals() { if news.poll(ignoring: own) { hasToPull = true } }

  /// - Returns: whether anything was written locally or to a container.
  func run(_ database: Database) throws -> Bool {
    let direction: Direction = isOwed || isTime || hasToPull == hasToPush ? .both : hasToPull ? .pull : .push
    (hasToPull, hasToPush) = (false, false)
    var total = SyncResult()
    var isWell = true
    let before = try database.feed.ownBlocks()
    do {
      let settings = try database.containers.select(names, for: .both)
      let hooks = try Hooks(session, database, WatchCommand.self)
      try database.exchange.sync(
        settings, SyncOptions(direction),
        begin: {
          try hooks?.call(
            .preSync,
            Item(
              event: "sync",
              [
                "name": .text($0.name), "location": .text($0.shownLocation), "pull": .flag(direction != .push),
                "push": .flag(direction != .pull && !$0.isReadOnly),
              ]))
        },
        end: { setting, outcome in
          if !(try report(setting, outcome, hooks, &total)) { isWell = false }
        })
      // Data pulled from one container, and the resulting merges, must be pushed to all containers.
      if direction == .pull {
        hasToPush = try settings.count > 1 && total.pulled > 0 || database.feed.ownBlocks() != before
      }
    } catch {
      // A held lock or a full disk is a temporary problem.
      let failure = Failure.describing(error)
      guard [.locked, .system].contains(failure.status) else { throw error }
      report("", failure)
      isWell = false
    }
    if isWell { recovered("") }
    AccessRequestReport(terminal: session.terminal, asking: try database.access.requests.asking()).reportNew(&asking)
    let hasMoved = total.pulled + total.pushed + total.assets + total.merged.count > 0
    isOwed = !isWell
    plan(isQuiet: isWell && isFullyWatched && isComplete, hasMoved: hasMoved)
    try ConflictHook.run(total.conflicts, database, session, WatchCommand.self)
    return hasMoved
  }

  private func plan(isQuiet: Bool, hasMoved: Bool) {
    if isQuiet || hasMoved { pause = 1 }
    next = Clock.monotonic() + (isQuiet ? interval : min(pause, interval)) * 1_000_000_000
    if !isQuiet { pause = min(pause * 2, interval) }
  }

  // MARK: - Messages

  private func report(
    _ setting: ContainerSetting, _ outcome: SyncOutcome, _ hooks: Hooks?, _ total: inout SyncResult
  ) throws -> Bool {
    var item: Item = ["name": .text(setting.name)]
    let result = outcome.result
    total.add(result)
    if let error = outcome.failure {
      let failure = Failure.describing(error)
      guard error is HookRefusal || Containers.state(for: error) != nil else { throw error }
      report(setting.name, failure)
      item.add(["state": .text(Containers.state(for: error)?.rawValue ?? "refused"), "error": .text(failure.slug)])
      if !(error is HookRefusal) { try hooks?.call(.postSync, Item(event: "container", item)) }
      return false
    }
    recovered(setting.name)
    let reported = problems[setting.name] ?? []
    problems[setting.name] = Set(result.problems.map { "\($0)" })
    for problem in result.problems where !reported.contains("\(problem)") { report(problem) }
    if result.pulled + result.pushed + result.assets > 0 {
      session.terminal.notice("\(setting.name): pulled \(result.pulled), pushed \(result.pushed)")
    }
    item.add([
      "state": .text(result.isIncomplete ? "incomplete" : "ok"), "pulled": .integer(result.pulled),
      "pushed": .integer(result.pushed), "assets": .integer(result.assets), "merged": .integer(result.merged.count),
      "conflicts": .integer(result.conflicts.count),
    ])
    try hooks?.call(.postSync, Item(event: "container", item))
    return !result.isIncomplete
  }

  private func report(_ name: String, _ failure: Failure) {
    // The names of temporary files differ each time, so ignore them in the comparison.
    let words = "\(failure.slug) \(AtomicFile.withoutTemporaryNames(failure.message))"
    if states[name] == words { return }
    states[name] = words
    session.terminal.warn(failure)
  }

  private func recovered(_ name: String) {
    guard states.removeValue(forKey: name) != nil, !name.isEmpty else { return }
    session.terminal.notice("\(name) is available again")
  }

  private func report(_ problem: Problem) {
    session.terminal.warning(problem.code.rawValue, Failure.words(problem, in: session.terminal))
  }
}
