import SeaCore
import SeaEngine

enum DeleteCommand: Command {
  static var title: Title { Title("delete", .records, .plumbing, needs: [.database, .lock], "delete records") }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[--if-rev=REV] [--check-refs] [--max-delete=N] [-n] RECORD...",
      "--where=SQL [-t TYPE] [-p NAME=VALUE]... [--check-refs] [--max-delete=N] [-n]", "[-n] --stdin",
    ]
  }
  static let checkRefs = Option("check-refs", help: "fail if another record refers to one of them")
  static let maxDelete = Option("max-delete", nil, .integer, "N", "fail if more than N records would be deleted")
  static var options: [Option] {
    [Selected.condition, .type, QueryParameter.option, .ifRevision, checkRefs, maxDelete, .stdin, .dryRun]
  }
  static var operands: [Operand] { [.any("RECORD", .record)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "a record is not at the required revision, or another record refers to it; nothing was written"),
      Exit(.notFound, "no such record, or the name is ambiguous; nothing was written"),
      Exit(.badData, "invalid condition, or unknown type or property"),
      Exit(.refused, "more than --max-delete records, or a hook refused; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let precondition = try Preconditions.parse(arguments.text(.ifRevision))
    let form = try arguments.only(of: [.stdin, Selected.condition])
    if let form, !arguments.operands.isEmpty { throw UsageFault.excluded([form.dashed, "RECORD"]) }
    if form == nil, arguments.operands.isEmpty, !arguments.has(.type) { throw UsageFault.missingOperand("RECORD") }
    let query = try Selected.query(arguments)
    if query != nil, arguments.has(.ifRevision) {
      throw UsageFault.excluded([Selected.condition.dashed, Option.ifRevision.dashed])
    } else if query == nil, arguments.has(.type) {
      throw UsageFault.needs(option: Option.type.dashed, with: Selected.condition.dashed)
    }
    let names = arguments.has(.stdin) ? try Selected.names(session) : arguments.operands
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: Self.self)
    let batch = WriteBatch(label: "delete")
    batch.tellsProgress = true
    var contested: [String] = []
    let written = try database.records.write(batch, dryRun: dryRun) { batch in
      let ids =
        try query.map { try database.queries.choose($0).map(\.id) }
        ?? Selected.ids(names, each: true, database, session)
      try Selected.check(ids.count, maxDelete, deletes: true, arguments)
      if arguments.has(checkRefs) { try check(ids, database) }
      if query == nil, session.host.isTerminal(1) {
        contested = ids.filter { (try? database.records.find($0, literal: true))?.conflict ?? .none != .none }
      }
      for id in ids { batch.addDeletion(id, precondition) }
    }
    session.terminal.report(database.queries.notices)
    var report = WriteReport(session, isSum: query != nil)
    try report.add(written, of: batch)
    report.sumUp()
    if !dryRun, !contested.isEmpty {
      session.terminal.notice(
        "deleted all conflicting revisions of \(contested.count == 1 ? contested[0] : Count(contested.count, "record").description)",
        hint: "to restore them, run: sea undo")
    }
    return .success
  }

  /// Throws an error if a remaining record refers to a deleted record.
  private static func check(_ ids: [String], _ database: Database) throws {
    let going = Set(ids.map { Array($0.utf8) })
    for id in ids {
      var filter = RecordFilter()
      filter.refersTo = id
      var sources: [String] = []
      try database.records.forEachRow(filter) { row in
        if !going.contains(Array(row.id.utf8)) { sources.append(row.id) }
        return sources.count < 5
      }
      if !sources.isEmpty { throw CommandError.stillReferenced(id, by: sources) }
    }
  }
}
