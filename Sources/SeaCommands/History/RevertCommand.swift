import SeaCore
import SeaEngine

enum RevertCommand: Command {
  static var title: Title {
    Title("revert", .history, .porcelain, needs: [.database, .lock], "restore an earlier version of a record")
  }
  static var synopsis: [String] { ["[--at=WHEN] [--if-rev=REV] [-n] RECORD[@REV] [PATH]..."] }
  static var options: [Option] { [.at, .ifRevision, .dryRun] }
  static var operands: [Operand] { [.one("RECORD[@REV]", .revision), .any("PATH", .path)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "the record is not at the revision given with --if-rev; nothing was written"),
      Exit(.notFound, "no such record, revision or property, or the name is ambiguous"),
      Exit(.badData, "the record would break a rule; nothing was written"),
      Exit(.refused, "a hook refused; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let name = arguments.operands[0]
    let paths = try arguments.operands.dropFirst().map { try PropertyPath($0) }
    let precondition = try Preconditions.parse(arguments.text(.ifRevision))
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: Self.self)
    let words = ["revert"] + paths.map(\.description)
    let label = words.joined(separator: " ")
    let batch = WriteBatch(label: label.utf8.count <= 200 ? label : "revert \(paths.count) properties")
    batch.givesDefaults = false
    let written = try database.records.write(batch, dryRun: dryRun) { batch in
      let found = try find(name, database, session, arguments)
      try database.records.addRevert(to: found, paths, precondition, in: batch)
    }
    var report = WriteReport(session)
    try report.add(written, of: batch)
    report.sumUp()
    return .success
  }

  /// Returns the revision to restore: the named revision, the revision at the time `--at`, or the parent of the winner.
  private static func find(
    _ name: String, _ database: Database, _ session: Session, _ arguments: Arguments
  ) throws -> Found {
    if let moment = try session.moment(arguments, database) {
      return try database.records.findRevision(name, at: moment, literal: session.literalIDs)
    }
    do {
      let row = try database.records.find(name, literal: session.literalIDs)
      return try database.records.previous(row)
    } catch KitError.recordNotFound {
      return try session.find(name, in: database)
    }
  }
}
