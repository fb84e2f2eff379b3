import SeaCore
import SeaKit

/// `sea delete`: tombstones.
enum DeleteCommand: Command {
  static var title: Title { Title("delete", .records, .plumbing, needs: [.database, .lock], "delete records") }
  static var synopsis: [String] { ["[--if-rev=REV] [--check-refs] [--max-delete=N] [-n] RECORD...", "[-n] --stdin"] }
  static let checkRefs = Option("check-refs", help: "fail when a record that stays refers to one of them")
  static let maxDelete = Option("max-delete", nil, .integer, "N", "fail when there are more than N records to delete")
  static var options: [Option] { [.ifRevision, checkRefs, maxDelete, .stdin, .dryRun] }
  static var operands: [Operand] { [.any("RECORD", .record)] }
  static var exits: [Exit] {
    [
      Exit(
        .conflict, "a record is not at the revision that was asked for, or is still referred to; nothing was written"),
      Exit(.notFound, "there is no such record, or the name means several; nothing was written"),
      Exit(.refused, "more than --max-delete records; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let precondition = try Preconditions.parse(arguments.text(.ifRevision))
    if arguments.has(.stdin) {
      if !arguments.operands.isEmpty { throw UsageFault.excluded(["--stdin", "RECORD"]) }
    } else if arguments.operands.isEmpty {
      throw UsageFault.missingOperand("RECORD")
    }
    let names = arguments.has(.stdin) ? try lines(session) : arguments.operands
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: Self.self)
    try database.locked {
      var ids: [String] = []
      var seen: Set<[UInt8]> = []
      for name in names {
        let row = try database.records.find(name, literal: session.literalIDs)
        if row.isDeleted { throw KitError.recordNotFound(name) }
        if seen.insert(Array(row.id.utf8)).inserted { ids.append(row.id) }
      }
      if let limit = arguments.integer(maxDelete), ids.count > limit {
        throw CommandError.tooManyDeletions(ids.count, limit: limit)
      }
      if arguments.has(checkRefs) { try check(ids, seen, database) }
      let batch = WriteBatch(label: "delete")
      for id in ids { batch.addDeletion(id, precondition) }
      var report = WriteReport(session)
      try report.add(database.records.write(batch, dryRun: dryRun), of: batch)
    }
    return .success
  }

  private static func lines(_ session: Session) throws -> [String] {
    var lines: [String] = []
    while let line = try session.terminal.input.line(terminator: session.options.zero ? 0 : 0x0A) {
      if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
    }
    return lines
  }

  /// Nobody who stays may refer to those who go.
  private static func check(_ ids: [String], _ going: Set<[UInt8]>, _ database: Database) throws {
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
