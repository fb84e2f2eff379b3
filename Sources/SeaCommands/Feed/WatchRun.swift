import SeaCore
import SeaEngine
import SeaSystem

/// Runs `sea watch`: waits, syncs and reports. Each folder is watched before it is read, so that no change is missed.
final class WatchRun {
  private let session: Session
  private let arguments: Arguments
  private let watch: FileWatch
  private let output: WatchOutput
  private let sync: WatchSync?
  private let ends: Int64?
  private var place = ""
  private static let database = "db"
  /// The state of the open database: the number of writes by other processes, and the identity of the file.
  private var seen: (writes: Int, file: [UInt64]?)?
  /// The state of the database when this process last closed it.
  private var left: (blocks: Int64, file: [UInt64]?)?
  private var signal: Int32?
  /// Whether the kernel cannot watch the folder, because the folder was missing or too many folders are watched.
  private var isUnwatchable = false

  /// How long to wait for each further change, and for all further changes together, in nanoseconds.
  private static let pause: Int64 = 2_000_000
  private static let longestPause: Int64 = 10_000_000
  /// The interval between checks of a state file that another process holds, in nanoseconds.
  private static let stateFileInterval: Int64 = 200_000_000
  /// The interval between checks of folders that the kernel cannot watch, in nanoseconds.
  private static let pollInterval: Int64 = 1_000_000_000
  /// The number of failed checks after which a missing database counts as removed. Until then, another process may be
  /// replacing the database.
  private static let maxMissingChecks = 10

  init(_ session: Session, _ arguments: Arguments) throws {
    self.session = session
    self.arguments = arguments
    watch = try FileWatch()
    ends = arguments.duration(WatchCommand.timeout).map { Clock.monotonic() + $0 * 1_000_000_000 }
    sync = try arguments.has(WatchCommand.sync) ? WatchSync(session, arguments) : nil
    output = try WatchOutput(session, arguments)
  }

  func run() throws -> ExitStatus {
    do { return try end(watchOn()) } catch {
      // If the database no longer exists, its removal caused the error.
      if !place.isEmpty, file == nil, signal == nil { throw CommandError.databaseGone(place) }
      throw error
    }
  }

  private func watchOn() throws -> ExitStatus {
    if let status = try begin() { return status }
    session.terminal.notice("watching from \(output.position)")
    var status: ExitStatus?
    while status == nil {
      try exchange()
      try output.deliver(current())
      if arguments.has(WatchCommand.once), output.hasDelivered { status = .success }
      if status == nil { status = try sync?.isDue == true ? processPendingEvents() : wait() }
    }
    session.terminal.summarize(["position": .text(output.position)])
    return status!
  }

  private func end(_ status: ExitStatus) throws -> ExitStatus {
    guard let signal else { return status }
    try session.terminal.conclude(ExitStatus(rawValue: 128 + signal))
    try session.terminal.output.flush()
    session.terminal.endProgress()
    session.database = nil
    watch.end(by: signal)
  }

  /// Waits until no other process holds the state file.
  /// - Returns: the status to exit with; nil to continue.
  private func begin() throws -> ExitStatus? {
    var isFirst = true
    while true {
      let database = try open()
      startWatching()
      // If the file was replaced before the watch began, the kernel does not report it.
      if file != seen?.file { continue }
      if try output.begin(database) {
        try WaitingNotice(session, database).noticeIfKeyless()
        return nil
      }
      database.close()
      if isFirst {
        let file = arguments.text(WatchCommand.state) ?? ""
        session.terminal.notice("another sea watch, or a command started by one, uses '\(file)': waiting")
      }
      isFirst = false
      let now = Clock.monotonic()
      if let ends, ends <= now { return .locked }
      let wake = try watch.wait(nanoseconds: min(ends.map { $0 - now } ?? .max, WatchRun.stateFileInterval))
      if let status = stop(wake) { return status }
    }
  }

  // MARK: - The database

  private func open() throws -> Database {
    // Without this check, the search might find a database in a parent folder.
    while true {
      let before = file
      if !place.isEmpty, before == nil { throw CommandError.databaseGone(place) }
      let database = sync == nil ? try session.reading() : try session.writing(as: WatchCommand.self)
      let isFirst = place.isEmpty
      if isFirst { place = try database.folder.absolutePath() }
      seen = (try database.feed.foreignWrites(), file)
      // If the file was replaced while it was being opened, this process has opened a file that no other process uses.
      if let file = seen?.file, isFirst || file == before { return database }
    }
  }

  private var file: [UInt64]? {
    (try? Path.status(Path.join(place, WatchRun.database))).flatMap { status in status.map { [$0.device, $0.inode] } }
  }

  /// Returns the database. Opens it again if it was closed or its file was replaced.
  private func current() throws -> Database {
    if let database = session.database, database.isOpen, let seen, seen.file == file { return database }
    let database = try open()
    let isSame = try left.map { try $0.file == file && $0.blocks == database.feed.lastBlock() } ?? false
    if !isSame { sync?.wantAll() }
    left = nil
    return database
  }

  private func hasBeenWritten() throws -> Bool {
    let database = try current()
    let writes = try database.feed.foreignWrites()
    defer { seen?.writes = writes }
    return writes != seen?.writes
  }

  // MARK: - Events

  private func startWatching() {
    let folders = try? session.database.flatMap { try sync?.folders($0) }
    let missed = watch.watch(only: [place] + (folders ?? []), deletions: place)
    sync?.isFullyWatched = missed.isEmpty
    isUnwatchable = missed.contains(place)
  }

  private func exchange() throws {
    guard let sync, sync.isDue else { return }
    startWatching()
    let database = try current()
    let hasMoved = try sync.run(database)
    try RecordHooks.run(session, WatchCommand.self)
    // Closing the database writes all data to its file, so report the changes first.
    if hasMoved {
      let database = try current()
      try output.deliver(database)
      guard database.isOpen else { return }
      left = (try database.feed.lastBlock(), file)
      // This order catches all writes by other processes: earlier writes here, and later writes when the database is
      // reopened.
      if try database.feed.foreignWrites() != seen?.writes { sync.hasToPush = true }
      session.database = nil
    }
  }

  /// Waits until something happens that may require work.
  /// - Returns: the status to exit with; nil to continue.
  private func wait() throws -> ExitStatus? {
    while true {
      let now = Clock.monotonic()
      if let ends, ends <= now {
        if output.next != nil { return .refused }
        if output.isHeld { return .badData }
        return arguments.has(WatchCommand.once) ? .no : .success
      }
      let deadlines = [ends, sync?.next, output.next, isUnwatchable ? now + WatchRun.pollInterval : nil].compactMap {
        $0
      }
      let wake = try watch.wait(nanoseconds: deadlines.min().map { $0 - now }, others: sync?.descriptors ?? [])
      if let status = stop(wake) { return status }
      if try isForeignChange(wake) { return try collectChanges() }
      if isUnwatchable {
        startWatching()
        if try file != seen?.file || hasBeenWritten() { return try collectChanges() }
      }
      let later = Clock.monotonic()
      if [sync?.next, output.next].contains(where: { $0.map { $0 <= later } ?? false }) { return nil }
    }
  }

  private func processPendingEvents() throws -> ExitStatus? {
    let wake = try watch.wait(nanoseconds: 0, others: sync?.descriptors ?? [])
    _ = try isForeignChange(wake)
    return stop(wake)
  }

  private func stop(_ wake: FileWatch.Wake) -> ExitStatus? {
    if let signal = wake.signal {
      self.signal = signal
      return ExitStatus(rawValue: 128 + signal)
    }
    return wake.readerIsGone ? .brokenPipe : nil
  }

  private func isForeignChange(_ wake: FileWatch.Wake) throws -> Bool {
    if wake.isEmpty { return false }
    if wake.isAddressed { sync?.processSignals() }
    let others = wake.isOverfull || wake.changes.contains { $0.folder != place }
    if others { sync?.hasToPull = true }
    let isWritten = wake.isOverfull || wake.changes.contains { $0.folder == place && $0.name == SeaFolder.writtenName }
    // The folder or the database file has been or is about to be replaced or removed.
    let isReplaced = wake.changes.contains { change in
      change.folder == place && (change.name.isEmpty || change.name == WatchRun.database && file != seen?.file)
    }
    if isReplaced {
      for _ in 0..<WatchRun.maxMissingChecks where file == nil { Clock.sleep(nanoseconds: WatchRun.stateFileInterval) }
      startWatching()
      sync?.hasToPush = true
      return true
    }
    if isWritten, try hasBeenWritten() {
      sync?.hasToPush = true
      return true
    }
    // The check may have reopened the database and found more work.
    return others || sync?.isDue == true
  }

  private func collectChanges() throws -> ExitStatus? {
    let start = Clock.monotonic()
    while Clock.monotonic() - start < WatchRun.longestPause {
      let wake = try watch.wait(nanoseconds: WatchRun.pause, others: sync?.descriptors ?? [])
      if let status = stop(wake) { return status }
      guard try isForeignChange(wake) else { return nil }
    }
    return nil
  }
}

/// Writes changes to standard output or passes them to a command, and keeps track of the last reported position.
final class WatchOutput {
  private let session: Session
  private let arguments: Arguments
  private let command: String?
  private let state: String?
  private var held: HeldFile?
  private var place = ""
  private var filter: FeedFilter
  private(set) var position = FeedPosition.start
  private(set) var hasDelivered = false
  /// When to retry a failed command, and how long to pause after that, in seconds.
  private(set) var next: Int64?
  private var pause: Int64 = 1
  private(set) var isHeld = false
  private var reported: (notices: [QueryNotice], fault: String) = ([], "")

  /// The maximum number of changes to read and report at a time.
  private static let page = 1000
  private static let commandPage = 10_000
  private static let longestPause: Int64 = 60

  init(_ session: Session, _ arguments: Arguments) throws {
    self.session = session
    self.arguments = arguments
    command = arguments.text(WatchCommand.command)
    state = arguments.text(WatchCommand.state).map { session.path($0) }
    filter = try ChangesCommand.filter(arguments)
    filter.limit = command == nil ? WatchOutput.page : WatchOutput.commandPage
  }

  /// Determines the start position.
  /// - Returns: false if another process or its command holds the state file.
  func begin(_ database: Database) throws -> Bool {
    if place.isEmpty {
      try ChangesCommand.check(filter, session, database)
      reported.notices = database.queries.notices
    }
    // The names have been checked above, so do not report them if similar names appear later.
    filter.takesNames = true
    place = try database.folder.absolutePath()
    let start = arguments.text(WatchCommand.since) ?? "now"
    guard let state else {
      position = try database.feed.position(start)
      return true
    }
    try Location.checkWritable(state, of: database.folder)
    let outcome = try HeldFile.acquire(state) { WatchOutput.line(try database.feed.position(start)) }
    guard case .held(let file) = outcome else { return false }
    held = file
    guard let bytes = try file.read(limit: 256) else {
      throw CommandError.badState(state, KitError.badPosition("more than 256 bytes"))
    }
    let text = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }
    do { position = try database.feed.position(String(text)) } catch let error as KitError {
      throw CommandError.badState(state, error)
    }
    return true
  }

  func deliver(_ database: Database) throws {
    if let next, next > Clock.monotonic() { return }
    next = nil
    var database = database
    while try database.feed.end() != position {
      let text = try ChangeEvent(session, database)
      var changes: [FeedChange] = []
      // All changes are read before they are reported, so that a slow reader does not keep a read transaction open.
      let reached: FeedPosition
      do {
        reached = try database.feed.forEach(after: position, filter) {
          changes.append($0)
          return true
        }
      } catch let fault where Failure.describing(fault).kind == .badQuery {
        return suspend(Failure.describing(fault))
      }
      isHeld = false
      report(database.queries.notices)
      if !changes.isEmpty {
        guard try command.map({ try run($0, changes, text) }) ?? print(changes, text) else { return }
        hasDelivered = true
      }
      guard reached != position else { return }
      position = reached
      try keep()
      if arguments.has(WatchCommand.once), hasDelivered { return }
      if !database.isOpen { database = try session.reading() }
    }
  }

  /// Suspends the reports, because the condition can no longer be evaluated although it was valid at the start.
  private func suspend(_ failure: Failure) {
    isHeld = true
    if reported.fault != failure.message { session.terminal.warn(failure) }
    reported.fault = failure.message
  }

  private func report(_ notices: [QueryNotice]) {
    let new = notices.filter { !reported.notices.contains($0) }
    session.terminal.report(new)
    reported.notices += new
  }

  private func print(_ changes: [FeedChange], _ text: ChangeEvent) throws -> Bool {
    for change in changes { try text.show(change) }
    try session.terminal.output.flush()
    return true
  }

  private func run(_ command: String, _ changes: [FeedChange], _ text: ChangeEvent) throws -> Bool {
    var lines: [UInt8] = []
    for change in changes { lines += try text.item(change).line }
    var program = Program(path: "/bin/sh", arguments: ["sh", "-c", command])
    program.variables = External.variables(session).filter { $0.name != "SEA_DIR" }
    program.variables.append(.init(name: "SEA_DIR", value: place))
    if !session.options.directories.isEmpty { program.directory = session.path(".") }
    program.input = .bytes(lines)
    // The command runs in a separate process group, so that it can finish even if this program is stopped.
    program.limit = 1 << 30
    program.isWaitedFor = true
    program.kept = held?.descriptor
    let ending = try session.run(program, named: "sh")
    if ending == .exited(0) {
      pause = 1
      return true
    }
    session.terminal.warning(
      "exec-failed",
      "the command exited with status \(ending.status); its changes are sent again after \(Count(Int(pause), "second"))"
    )
    next = Clock.monotonic() + pause * 1_000_000_000
    pause = min(pause * 2, WatchOutput.longestPause)
    return false
  }

  private func keep() throws { try held?.replace(WatchOutput.line(position)) }

  private static func line(_ position: FeedPosition) -> [UInt8] { Array("\(position)\n".utf8) }
}
