import SeaEngine
import SeaSystem
import SeaCore

enum CloneCommand: Command {
  static var title: Title { Title("clone", .setup, .porcelain, "create an instance from a container or bundles") }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[--name=LABEL] [--assets=FILTER] [--no-store-key] [--recovery=FILE] [--restore] [--all-slots] "
        + "[--max-size=SIZE] \(Option.limitForms) [-n] SOURCE [DIR]"
    ]
  }
  static let restore = Option("restore", help: "restore the settings of a backup, and its hooks (disabled)")
  static let recovery = Option(
    "recovery", nil, .text, "FILE", "open it with the recovery key whose words are in FILE ('-': standard input)")
  static let allSlots = Option("all-slots", help: "try the passphrase on every key slot, however long it takes")
  static var options: [Option] {
    let own = [recovery, restore, allSlots, ImportCommand.maxSize]
    return [.instanceName, .assets, .noStoreKey] + own + Option.limits + [.dryRun]
  }
  static var operands: [Operand] { [.one("SOURCE", .file), .optional("DIR", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "SOURCE has bundles of several databases"),
      Exit(.corrupt, "something at SOURCE is damaged; everything else was imported"),
      Exit(.denied, "wrong passphrase or recovery key"),
      Exit(.partial, "earlier blocks or parts of SOURCE are missing, or a limit was reached"),
      Exit(.unreachable, "SOURCE does not exist"),
      Exit(.incompatible, "SOURCE is not a container or bundle, or has an unknown format"),
      Exit(.system, "DIR already contains a database, or an input/output error"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    session.ignoresDatabase = true
    let operand = try CloneOperand(arguments.operands[0], session, restores: arguments.has(restore))
    guard let target = arguments.operand(1) ?? operand.usualFolder else { throw UsageFault.missingOperand("DIR") }
    let folder = try Path.absolute(session.path(target))
    let name = try arguments.instanceName()
    session.terminal.warn(of: Location.hazard(of: folder))
    if arguments.has(.dryRun) { return try preview(session, operand, folder) }
    session.mostBundle = arguments.size(ImportCommand.maxSize)
    try arguments.limit(session)
    var settings = try session.writingSettings(self)
    // Bundles are imported completely or not at all.
    if operand.isBundle { settings.allowance = nil }
    settings.keepsKeys = !arguments.has(.noStoreKey)
    settings.recovery = try session.recovery(arguments)
    if arguments.has(allSlots) { settings.slotEffort = .unlimited }
    settings.expectsSealed = session.options.namesPassword
    // A restored instance replaces a lost one, so perhaps no member is left to authorize it.
    settings.requestsAccess = !arguments.has(restore)
    let cloned = try operand.clone(to: folder, name: name, assets: arguments.assetRule(), settings)
    let database = cloned.database
    defer { database.close() }
    try session.warnOfOpenKey(database)
    if let place = InitPlace.of(folder, session), !place.isEverything { session.terminal.notice(place.words) }
    if try database.isPending() {
      return try session.reportRequest(database, name, isBundle: operand.isBundle)
    }
    var status = ExitStatus.success
    for error in cloned.failures {
      let failure = Failure.describing(error)
      status = status.and(failure.status)
      failure.report(to: session.terminal)
    }
    let again = "sea \(arguments.has(restore) ? "restore" : "clone") --name=LABEL \(words(arguments.operands))"
    status = status.and(
      try session.terminal.report(cloned: database, name, cloned.exchange, assets: cloned.assets, again: again))
    cloned.restored.report(to: session.terminal)
    if settings.recovery != nil {
      let place = session.terminal.shown(Escape.shellWord(target))
      session.terminal.notice(
        "to authorize this instance, run: sea -C \(place) authorize --admin --recovery=FILE \(database.instance)")
    }
    try WaitingNotice(session, database).noticeIfUnauthorized()
    return status
  }
}
