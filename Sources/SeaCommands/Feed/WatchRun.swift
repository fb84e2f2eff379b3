import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

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
        session.terminal.notice("another sea watch has '\(file)', or a command that one has started: waiting")
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
