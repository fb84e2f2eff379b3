import SeaEngine

enum ImportCommand: Command {
  static var title: Title { Title("import", .transfer, .porcelain, needs: [.database, .lock], "import bundles") }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[-n] [--no-merge] [--no-assets] [--max-size=SIZE] [--limit-rate=SIZE] [--jobs=N] "
        + "[--fail-on-conflict] FILE | DIR | -..."
    ]
  }
  static let noAssets = Option("no-assets", help: "leave out assets")
  static let maxSize = Option(
    "max-size", nil, .size, "SIZE", "refuse bundles larger than SIZE after decompression (default: 64G)")
  static var options: [Option] {
    [SyncRun.failOnConflict, SyncRun.noMerge, noAssets, maxSize, .farRate, .jobs, .dryRun]
  }
  static var operands: [Operand] { [.several("FILE", .bundle)] }
  static var exits: [Exit] {
    [
      Exit(.success, "imported, or nothing was new"),
      Exit(.conflict, "records are in conflict, with --fail-on-conflict"),
      Exit(.corrupt, "a bundle is damaged; nothing of it was imported"),
      Exit(.partial, "earlier blocks or a key are missing, or a conflict is too large to merge"),
      Exit(.unreachable, "FILE or a part of a bundle does not exist"),
      Exit(.incompatible, "FILE is not a bundle, has another format or belongs to another database"),
      Exit(.system, "a bundle is larger than allowed or than the free space, or an input/output error"),
      Exit(.refused, "a merge program failed; the conflict remains"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    try arguments.setSpeedLimit(session)
    session.mostBundle = arguments.size(maxSize)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    if !isDry { database.folder.sweepTemporaryFolders() }
    var run = ImportRun(session, database, filter: arguments.has(noAssets) ? .none : .all, isDry: isDry)
    for operand in arguments.operands { try run.add(operand) }
    if isDry { return try run.preview() }
    let done = Result { try run.importAll() }
    // Imported blocks are kept even if an error follows, so always finish the run.
    let status = try run.finish(
      merges: !arguments.has(SyncRun.noMerge), failOnConflict: arguments.has(SyncRun.failOnConflict))
    try done.get()
    try ConflictHook.run(run.exchange.conflicts, database, session, self)
    return status
  }
}
