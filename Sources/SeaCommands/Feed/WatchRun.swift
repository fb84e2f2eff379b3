import SeaCore
import SeaEngine
import SeaSystem

/// One run of `sea watch`: waits, exchanges if that is wanted, and hands on what has changed.
///
/// What is looked at is looked at by the kernel before it is read, so that nothing falls between.
final class WatchRun {
  private let session: Session
  private let arguments: Arguments
  private let watch: FileWatch
  private let output: WatchOutput
  private let sync: WatchSync?
  private let ends: Int64?
  /// The folder `.sea`.
  private var place = ""
  private static let database = "db"
  /// What is remembered of the database while it is open: who else has written, and that it is the same file.
  private var seen: (writes: Int, file: [UInt64]?)?
  /// What was there when it was closed here.
  private var left: (blocks: Int64, file: [UInt64]?)?
  private var signal: Int32?
  /// Whether the kernel does not tell of the folder: it was not there when it was to be looked at, or there are too many.
  private var isBlind = false

  /// Changes in short order are waited for so long, each and all together.
  private static let pause: Int64 = 2_000_000
  private static let longestPause: Int64 = 10_000_000
  /// How often it is asked for a file that another one has.
  private static let patience: Int64 = 200_000_000
  /// So long it is waited where nobody tells.
  private static let blindly: Int64 = 1_000_000_000
  /// How often it is looked for a database that has gone: it may have made room for another one.
  private static let looks = 10

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
      // What fails for want of it, whatever that is, fails for this.
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
      if status == nil { status = try sync?.isDue == true ? glance() : wait() }
    }
    session.terminal.summarise(["position": .text(output.position)])
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

  /// Waits until nobody else goes by the same file.
  /// - Returns: the status to end with.
  private func begin() throws -> ExitStatus? {
    var isFirst = true
    while true {
      let database = try open()
      look()
      // What has happened before it was looked at nobody tells.
      if file != seen?.file { continue }
      if try output.begin(database) {
        try WaitingNotice(session, database).tellIfKeyless()
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
      let wake = try watch.wait(nanoseconds: min(ends.map { $0 - now } ?? .max, WatchRun.patience))
      if let status = stop(wake) { return status }
    }
  }

  // MARK: - The database

  private func open() throws -> Database {
    // Another one may be found above it, which is not the one that is watched.
    while true {
      let before = file
      if !place.isEmpty, before == nil { throw CommandError.databaseGone(place) }
      let database = sync == nil ? try session.reading() : try session.writing(as: WatchCommand.self)
      let isFirst = place.isEmpty
      if isFirst { place = try database.folder.absolutePath() }
      seen = (try database.feed.foreignWrites(), file)
      // One that was removed at this moment is open all the same, and nobody else has it.
      if let file = seen?.file, isFirst || file == before { return database }
    }
  }

  /// Which file is the database.
  private var file: [UInt64]? {
    (try? Path.status(Path.join(place, WatchRun.database))).flatMap { status in status.map { [$0.device, $0.inode] } }
  }

  /// The database, opened again where it was closed, or another file lies in its place.
  private func current() throws -> Database {
    if let database = session.database, database.isOpen, let seen, seen.file == file { return database }
    let database = try open()
    let isSame = try left.map { try $0.file == file && $0.blocks == database.feed.lastBlock() } ?? false
    if !isSame { sync?.wantAll() }
    left = nil
    return database
  }

  /// Whether another process has written since this was asked last.
  private func hasBeenWritten() throws -> Bool {
    let database = try current()
    let writes = try database.feed.foreignWrites()
    defer { seen?.writes = writes }
    return writes != seen?.writes
  }

  // MARK: - What happens

  private func look() {
    let folders = try? session.database.flatMap { try sync?.folders($0) }
    let missed = watch.look(at: [place] + (folders ?? []), deletions: place)
    sync?.isTold = missed.isEmpty
    isBlind = missed.contains(place)
  }

  private func exchange() throws {
    guard let sync, sync.isDue else { return }
    look()
    let database = try current()
    let hasMoved = try sync.run(database)
    try RecordHooks.tell(session, WatchCommand.self)
    // What it has written is moved into its place by closing; what is read afterwards is told all the same.
    if hasMoved {
      let database = try current()
      try output.deliver(database)
      guard database.isOpen else { return }
      left = (try database.feed.lastBlock(), file)
      // In this order: what is not ours of what was there is found here, and all that comes later when it is opened again.
      if try database.feed.foreignWrites() != seen?.writes { sync.hasToPush = true }
      session.database = nil
    }
  }

  /// Until there may be something to do.
  /// - Returns: the status to end with.
  private func wait() throws -> ExitStatus? {
    while true {
      let now = Clock.monotonic()
      if let ends, ends <= now {
        if output.next != nil { return .refused }
        if output.isHeld { return .badData }
        return arguments.has(WatchCommand.once) ? .no : .success
      }
      let deadlines = [ends, sync?.next, output.next, isBlind ? now + WatchRun.blindly : nil].compactMap { $0 }
      let wake = try watch.wait(nanoseconds: deadlines.min().map { $0 - now }, others: sync?.descriptors ?? [])
      if let status = stop(wake) { return status }
      if try concerns(wake) { return try gather() }
      if isBlind {
        look()
        if try file != seen?.file || hasBeenWritten() { return try gather() }
      }
      let later = Clock.monotonic()
      if [sync?.next, output.next].contains(where: { $0.map { $0 <= later } ?? false }) { return nil }
    }
  }

  /// Takes note of what has happened, and waits for nothing.
  private func glance() throws -> ExitStatus? {
    let wake = try watch.wait(nanoseconds: 0, others: sync?.descriptors ?? [])
    _ = try concerns(wake)
    return stop(wake)
  }

  private func stop(_ wake: FileWatch.Wake) -> ExitStatus? {
    if let signal = wake.signal {
      self.signal = signal
      return ExitStatus(rawValue: 128 + signal)
    }
    return wake.readerIsGone ? .brokenPipe : nil
  }

  /// Whether something has happened that is none of our own doing.
  private func concerns(_ wake: FileWatch.Wake) throws -> Bool {
    if wake.isEmpty { return false }
    if wake.isAddressed { sync?.hear() }
    let others = wake.isOverfull || wake.changes.contains { $0.folder != place }
    if others { sync?.hasToPull = true }
    let isWritten = wake.isOverfull || wake.changes.contains { $0.folder == place && $0.name == SeaFolder.writtenName }
    // Another folder lies in its place, will soon, or none.
    let isReplaced = wake.changes.contains { change in
      change.folder == place && (change.name.isEmpty || change.name == WatchRun.database && file != seen?.file)
    }
    if isReplaced {
      for _ in 0..<WatchRun.looks where file == nil { Clock.sleep(nanoseconds: WatchRun.patience) }
      look()
      sync?.hasToPush = true
      return true
    }
    if isWritten, try hasBeenWritten() {
      sync?.hasToPush = true
      return true
    }
    // To look may have been to open it again, and to find more.
    return others || sync?.isDue == true
  }

  /// Waits for what comes right behind.
  private func gather() throws -> ExitStatus? {
    let start = Clock.monotonic()
    while Clock.monotonic() - start < WatchRun.longestPause {
      let wake = try watch.wait(nanoseconds: WatchRun.pause, others: sync?.descriptors ?? [])
      if let status = stop(wake) { return status }
      guard try concerns(wake) else { return nil }
    }
    return nil
  }
}

/// Where `sea watch` puts what has changed: on standard output, or into a command; and how far it has come.
final class WatchOutput {
  private let session: Session
  private let arguments: Arguments
  private let command: String?
  private let state: String?
  /// The file of the position, while nobody else has it.
  private var held: HeldFile?
  /// Where the command finds the database.
  private var place = ""
  private var filter: FeedFilter
  private(set) var position = FeedPosition.start
  private(set) var hasDelivered = false
  /// When the command is tried again that has failed, and after how many seconds then.
  private(set) var next: Int64?
  private var pause: Int64 = 1
  /// Whether the condition cannot be answered now.
  private(set) var isHeld = false
  private var told: (notices: [QueryNotice], fault: String) = ([], "")

  /// So many are read and handed on at a time.
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

  /// Works out where to begin.
  /// - Returns: false if another one goes by the file of the position, or the command that one has left is still running.
  func begin(_ database: Database) throws -> Bool {
    if place.isEmpty {
      try ChangesCommand.check(filter, session, database)
      told.notices = database.queries.notices
    }
    // What is mistyped was found here. What is called alike later on was not meant.
    filter.takesNames = true
    place = try database.folder.absolutePath()
    let start = arguments.text(WatchCommand.since) ?? "now"
    guard let state else {
      position = try database.feed.position(start)
      return true
    }
    try Location.checkWritable(state, of: database.folder)
    let outcome = try HeldFile.take(state) { WatchOutput.line(try database.feed.position(start)) }
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

  /// Hands on all that has changed.
  func deliver(_ database: Database) throws {
    if let next, next > Clock.monotonic() { return }
    next = nil
    var database = database
    while try database.feed.end() != position {
      let text = try ChangeEvent(session, database)
      var changes: [FeedChange] = []
      // Whoever reads slowly keeps nobody from clearing up: what is handed on was read before.
      let reached: FeedPosition
      do {
        reached = try database.feed.forEach(after: position, filter) {
          changes.append($0)
          return true
        }
      } catch let fault where Failure.describing(fault).kind == .badQuery {
        return hold(Failure.describing(fault))
      }
      isHeld = false
      tell(database.queries.notices)
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

  /// The condition could be answered at the beginning, and cannot now: nothing is handed on until it can.
  private func hold(_ failure: Failure) {
    isHeld = true
    if told.fault != failure.message { session.terminal.warn(failure) }
    told.fault = failure.message
  }

  /// Of what has changed in what there is to ask for, once.
  private func tell(_ notices: [QueryNotice]) {
    let new = notices.filter { !told.notices.contains($0) }
    session.terminal.tell(new)
    told.notices += new
  }

  private func print(_ changes: [FeedChange], _ text: ChangeEvent) throws -> Bool {
    for change in changes { try text.show(change) }
    try session.terminal.output.flush()
    return true
  }

  /// - Returns: false if the command has failed.
  private func run(_ command: String, _ changes: [FeedChange], _ text: ChangeEvent) throws -> Bool {
    var lines: [UInt8] = []
    for change in changes { lines += try text.item(change).line }
    var program = Program(path: "/bin/sh", arguments: ["sh", "-c", command])
    program.variables = External.variables(session).filter { $0.name != "SEA_DIR" }
    program.variables.append(.init(name: "SEA_DIR", value: place))
    if !session.options.directories.isEmpty { program.directory = session.path(".") }
    program.input = .bytes(lines)
    // In a group of its own: who ends this program has the command end first what it has begun.
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
