import SeaCore
import SeaEngine

enum ChangesCommand: Command {
  static var title: Title {
    Title("changes", .history, .porcelain, needs: .database, "list changes in this database after a position")
  }
  static var synopsis: [String] {
    ["[-NUMBER] [--since=POSITION] [-t TYPE]... [--where=SQL [-p NAME=VALUE]...]", "--position"]
  }
  static let since = Option("since", nil, .text, "POSITION", "list only changes after POSITION ('now': none yet)")
  static let limit = Option(
    "limit", nil, .integer, "NUMBER", "show only the first NUMBER (-5 is short for --limit=5)", digits: true)
  static let position = Option("position", help: "print only the position after the last change")
  static let type = Option(
    "type", "t", .type, "TYPE", "list only records that are or were of this type",
    repeatable: true)
  static let condition = Option(
    "where", nil, .text, "SQL", "list only records that match the condition now, and deleted ones; see sea-query(7)")
  static var options: [Option] { [since, limit, type, condition, QueryParameter.option, position] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "unknown position"),
      Exit(.badData, "invalid condition, or unknown type or property"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(position), let other = [since, limit, type, condition].first(where: arguments.has) {
      throw UsageFault.excluded([position.dashed, other.dashed])
    }
    let database = try session.reading()
    if arguments.has(position) {
      let end: Item = ["position": .text(try database.feed.end())]
      try session.terminal.show(end) { [end["position"].plain] }
      return .success
    }
    let filter = try filter(arguments)
    var isSilent = true
    let text = try ChangeEvent(session, database)
    try database.atOneState {
      let start = try arguments.text(since).map { try database.feed.position($0) } ?? .start
      let end = try database.feed.forEach(after: start, filter) {
        isSilent = false
        try text.show($0)
        return true
      }
      // A type that no longer exists may still have changes, so check the type only if no changes were found.
      if isSilent { try check(filter, session, database) } else { session.terminal.report(database.queries.notices) }
      session.terminal.summarize(["position": .text(end)])
    }
    return .success
  }

  /// Checks the requested types and properties.
  /// - Throws: `QueryFault` if a name looks misspelled.
  static func check(_ filter: FeedFilter, _ session: Session, _ database: Database) throws {
    for type in filter.types { try session.check(type: type, in: database) }
    guard let query = filter.query else { return }
    try database.queries.check(query, selecting: [])
    try database.queries.prepare(query)
    session.terminal.report(database.queries.notices)
  }

  static func filter(_ arguments: Arguments) throws -> FeedFilter {
    var filter = FeedFilter()
    filter.types = arguments.texts(type)
    filter.limit = arguments.integer(limit)
    filter.query = try Selected.query(arguments)
    return filter
  }
}
