import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

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
      "the command ended with status \(ending.status); what it got is due again after \(Count(Int(pause), "second"))")
    next = Clock.monotonic() + pause * 1_000_000_000
    pause = min(pause * 2, WatchOutput.longestPause)
    return false
  }

  private func keep() throws { try held?.replace(WatchOutput.line(position)) }

  private static func line(_ position: FeedPosition) -> [UInt8] { Array("\(position)\n".utf8) }
}
