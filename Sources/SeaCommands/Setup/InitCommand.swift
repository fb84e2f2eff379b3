import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

/// `sea init`: make an empty database.
enum InitCommand: Command {
  static var title: Title { Title("init", .setup, .porcelain, "make an empty database") }
  static var synopsis: [String] {
    [
      "[--name=LABEL] [--content-type=TYPE] [--database-id=UUID] [--encrypt] [--require-auth] [--no-store-key] "
        + "[--recovery[=FILE]] [--kdf-iterations=N] [-n] [DIR]",
      "--renew-instance [--name=LABEL] [-n] [DIR]",
    ]
  }
  static let type = Option(
    "content-type", nil, .text, "TYPE", "what kind of data it holds, such as org.example.birds")
  static let database = Option(
    "database-id", nil, .text, "UUID", "the id of the database, of version 4: plain, without members")
  static let encrypt = Option("encrypt", help: "seal every block under a passphrase")
  static let members = Option("require-auth", help: "only what authorised instances write counts")
  static let renew = Option(
    "renew-instance", help: "give the instance in a copied database a new key and id")
  static var options: [Option] {
    [.instanceName, type, database, encrypt, members, NewRecovery.option, .noStoreKey, .iterations, renew, .dryRun]
  }
  static var operands: [Operand] { [.optional("DIR", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.success, "done, or there is a database already"),
      Exit(.denied, "the passphrase cannot be used"),
      Exit(.noDatabase, "no database found, with --renew-instance"),
      Exit(.incompatible, "there is a database that is not what was asked for; nothing was changed"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(renew) { return try RenewInstance.run(session, arguments) }
    session.standsAlone = true
    var creation = try creation(session, arguments)
    let recovery = try NewRecovery(arguments, session, &creation)
    let folder = try arguments.operand(0).map { try Path.absolute(session.path($0)) } ?? session.newDatabaseFolder()
    session.terminal.warn(of: Location.hazard(of: folder))
    if arguments.has(.dryRun), try !Path.exists(Path.join(folder, Location.folderName)) {
      let path = Path.join(folder, Location.folderName)
      try Database.Creation.checkPlace(folder)
      try session.terminal.report(
        "would-initialize", ["dir": .text(path)], text: { "would initialize empty sea database in \(path)" })
      return .success
    }
    let settings = try session.keySettings(self, arguments)
    let made =
      try recovery?.making { try Database.create(in: folder, creation, settings) }
      ?? Database.create(in: folder, creation, settings)
    let there = try Database(path: made.path)
    defer { there.close() }
    if made.created { try session.warnOfOpenKey(there) } else { try checkThere(there, arguments, session) }
    let contentType = try there.contentType()
    if arguments.has(type), !UTF8Text.equal(contentType, creation.contentType) {
      throw KitError.otherContentType(path: made.path, have: contentType, want: creation.contentType)
    }
    let name = try there.name()
    let (isSealed, hasMembers) = (try there.isSealed(), there.hasMembers)
    try session.terminal.report(
      "initialized",
      [
        "database": .id(there.databaseID), "instance": .id(there.instance), "name": .text(name),
        "content_type": .text(contentType), "dir": .text(made.path), "created": .flag(made.created),
        "sealed": .flag(isSealed), "members": .flag(hasMembers),
      ]
    ) {
      [
        "\(made.created ? "Initialized empty" : "There is a") sea database in \(made.path)",
        "  database \(session.terminal.short(there.databaseID))  \(contentType)" + (isSealed ? "  sealed" : "")
          + (hasMembers ? "  writers need authorisation" : ""),
        "  instance \(session.terminal.short(there.instance))  \(name)",
      ]
    }
    if made.created { try NewRecovery.tell(recovery, session, hasMembers: hasMembers) }
    if isSealed, made.created {
      let ways =
        recovery == nil
        ? "the passphrase or an instance that has the key"
        : "the passphrase, an instance that has the key, or the words of recovery"
      session.terminal.notice("without \(ways), what is in it is lost")
    }
    if made.created {
      if let place = InitPlace.of(folder, session) { session.terminal.notice(place.words) }
      InitPlace.adviseNext(arguments.operand(0), session)
    }
    return .success
  }
}
