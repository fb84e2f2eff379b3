import SeaEngine

/// `sea import`: take in bundles.
enum ImportCommand: Command {
  static var title: Title { Title("import", .transfer, .porcelain, needs: [.database, .lock], "take in bundles") }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[-n] [--no-merge] [--no-assets] [--max-size=SIZE] [--limit-rate=SIZE] [--jobs=N] "
        + "[--fail-on-conflict] FILE | DIR | -..."
    ]
  }
  static let noAssets = Option("no-assets", help: "leave assets out")
  static let maxSize = Option(
    "max-size", nil, .size, "SIZE", "take in no bundle that says to hold more; 64G if nothing is set")
  static var options: [Option] {
    [SyncRun.failOnConflict, SyncRun.noMerge, noAssets, maxSize, .farRate, .jobs, .dryRun]
  }
  static var operands: [Operand] { [.several("FILE", .bundle)] }
  static var exits: [Exit] {
    [
      Exit(.success, "done, also if nothing was new"),
      Exit(.conflict, "records are in conflict, with --fail-on-conflict"),
      Exit(.corrupt, "a bundle is damaged, or something in it does not verify; nothing of that one was taken in"),
      Exit(
        .partial,
        "a bundle does not connect to what is here, a key is missing, or conflicts are left"
      ),
      Exit(.unreachable, "there is nothing at FILE, or a part of a bundle is not there"),
      Exit(.incompatible, "FILE is no bundle, one of another format, or one of another database"),
      Exit(.system, "a bundle says to hold more than is allowed or than there is room for, or an input/output error"),
      Exit(.refused, "a merge program failed; the conflict stays"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    try arguments.pace(session)
    session.mostBundle = arguments.size(maxSize)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    if !isDry { database.folder.sweepTemporaryFolders() }
    var run = ImportRun(session, database, filter: arguments.has(noAssets) ? .none : .all, isDry: isDry)
    for operand in arguments.operands { try run.add(operand) }
    if isDry { return try run.preview() }
    let done = Result { try run.takeIn() }
    // What was taken in stays, whatever happened then.
    let status = try run.finish(
      merges: !arguments.has(SyncRun.noMerge), failOnConflict: arguments.has(SyncRun.failOnConflict))
    try done.get()
    try ConflictHook.run(run.exchange.conflicts, database, session, self)
    return status
  }
}
