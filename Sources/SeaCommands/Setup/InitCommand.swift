import SeaCore
import SeaEngine
import SeaSystem

enum InitCommand: Command {
  static var title: Title { Title("init", .setup, .porcelain, "create an empty database") }
  static var synopsis: [String] {
    [
      "[--name=LABEL] [--content-type=TYPE] [--database-id=UUID] [--encrypt] [--require-auth] [--no-store-key] "
        + "[--recovery[=FILE]] [--kdf-iterations=N] [-n] [DIR]",
      "--renew-instance [--name=LABEL] [-n] [DIR]",
    ]
  }
  static let type = Option("content-type", nil, .text, "TYPE", "set the content type, such as org.example.birds")
  static let database = Option(
    "database-id", nil, .text, "UUID", "set the id of the database, a version 4 UUID (only without members)")
  static let encrypt = Option("encrypt", help: "encrypt every block with a passphrase")
  static let members = Option("require-auth", help: "accept only changes by authorized instances")
  static let renew = Option("renew-instance", help: "give the instance in a copied database a new key and id")
  static var options: [Option] {
    [.instanceName, type, database, encrypt, members, NewRecovery.option, .noStoreKey, .iterations, renew, .dryRun]
  }
  static var operands: [Operand] { [.optional("DIR", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.success, "created, or the database already exists"),
      Exit(.denied, "invalid passphrase"),
      Exit(.noDatabase, "with --renew-instance: no database found"),
      Exit(.incompatible, "a database with other properties already exists; nothing was changed"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(renew) { return try RenewInstance.run(session, arguments) }
    session.ignoresDatabase = true
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
        "\(made.created ? "Initialized empty sea database" : "Database already exists") in \(made.path)",
        "  database \(session.terminal.short(there.databaseID))  \(contentType)" + (isSealed ? "  encrypted" : "")
          + (hasMembers ? "  writing requires authorization" : ""),
        "  instance \(session.terminal.short(there.instance))  \(name)",
      ]
    }
    if made.created { try NewRecovery.report(recovery, session, hasMembers: hasMembers) }
    if isSealed, made.created {
      let key = recovery == nil ? "" : ", the recovery key"
      session.terminal.notice(
        "if you lose the passphrase\(key) and every authorized device, the data cannot be recovered")
    }
    if made.created {
      if let place = InitPlace.of(folder, session) { session.terminal.notice(place.words) }
      InitPlace.adviseNext(arguments.operand(0), session)
    }
    return .success
  }
}

/// Gives a copied database a new key and id, for `sea init --renew-instance`.
enum RenewInstance {
  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    for option in [InitCommand.type, InitCommand.database] {
      _ = try arguments.only(of: [InitCommand.renew, option])
    }
    let name = arguments.has(.instanceName) ? try arguments.instanceName() : nil
    let path =
      try arguments.operand(0).map { Path.join(try Path.absolute(session.path($0)), Location.folderName) }
      ?? session.seaDirectory()
    guard try Path.exists(path) else { throw KitError.noDatabase(path: Path.parent(path)) }
    if arguments.has(.dryRun) {
      let there = try Database(path: path)
      defer { there.close() }
      try session.terminal.report("would-renew", ["instance": .id(there.instance)]) {
        "would give instance \(session.terminal.short(there.instance)) a new key and id"
      }
      return .success
    }
    let database = try session.writing(path, as: InitCommand.self)
    database.author.whenRenewed = nil
    let renewal = try database.author.renew(.asked, name: name)
    try session.terminal.report("renewed", renewal.item) {
      "Instance \(session.terminal.short(renewal.old)) continues as \(session.terminal.short(renewal.new))  \(try database.name())"
    }
    if let hint = renewal.hint(in: session.terminal) { session.terminal.notice(hint) }
    return .success
  }
}

extension InitCommand {
  static func creation(_ session: Session, _ arguments: Arguments) throws -> Database.Creation {
    var creation = Database.Creation()
    creation.name = try arguments.instanceName()
    if let text = arguments.text(database) {
      guard let id = UUID(text), id.version == 4 else {
        throw UsageFault.badValue(option: "--database-id", value: text, expected: .uuid)
      }
      creation.database = id
    }
    if let text = arguments.text(type) {
      do throws(CoreError) { try Name.check(text) } catch {
        throw UsageFault.badValue(option: "--content-type", value: text, expected: .text)
      }
      creation.contentType = text
    }
    creation.isSealed = try arguments.has(encrypt) || session.config().bool("init.encrypt") ?? false
    creation.hasMembers = arguments.has(members)
    if creation.database != nil, creation.isSealed || creation.hasMembers {
      throw UsageFault.excluded(["--database-id", creation.isSealed ? "--encrypt" : "--require-auth"])
    }
    if arguments.has(.noStoreKey), !creation.isSealed {
      throw UsageFault.needs(option: Option.noStoreKey.dashed, with: encrypt.dashed)
    }
    return creation
  }

  /// Checks that an existing database has the requested properties that cannot be changed later. A different name only
  /// causes a notice.
  static func checkThere(_ there: Database, _ arguments: Arguments, _ session: Session) throws {
    var lacks: CommandError.Lack?
    if arguments.has(NewRecovery.option) { lacks = .recoveryKey }
    if arguments.has(members), !there.hasMembers { lacks = .members }
    if arguments.has(encrypt), try !there.isSealed() { lacks = .seal }
    if arguments.has(.noStoreKey), try there.keepsKeys() { lacks = lacks ?? .keylessness }
    if let lacks { throw CommandError.databaseLacks(there.path, lacks) }
    let name = try there.name()
    if let wanted = arguments.text(.instanceName), !UTF8Text.equal(wanted, name) {
      session.terminal.notice(
        "the database already exists; its instance keeps the name '\(session.terminal.shown(name))'")
    }
  }
}

struct NewRecovery {
  static let option = Option(
    "recovery", nil, .text, "FILE", "with --require-auth: create a recovery key; print its words or write them to FILE",
    valueIsOptional: true)

  private let words: RecoveryWords
  private let file: String?

  init?(_ arguments: Arguments, _ session: Session, _ creation: inout Database.Creation) throws {
    guard arguments.has(NewRecovery.option) else { return nil }
    guard creation.hasMembers else { throw UsageFault.needs(option: "--recovery", with: "--require-auth") }
    words = RecoveryWords(seed: try Random.bytes(32))
    file = arguments.text(NewRecovery.option).map { session.path($0) }
    creation.recovery = try words.identity()
  }

  /// Writes the recovery words before the database is created, so that they cannot be lost. Deletes them if the
  /// database cannot be created.
  func making(_ make: () throws -> (path: String, created: Bool)) throws -> (path: String, created: Bool) {
    guard let file else { return try make() }
    let text = words.lines.joined(separator: "\n") + "\n"
    try Location.checkWritable(file)
    try AtomicFile.write(file, mode: 0o600, Array(text.utf8), replace: false)
    var isNeeded = false
    defer { if !isNeeded { _ = try? Path.remove(file) } }
    let made = try make()
    isNeeded = made.created
    return made
  }

  /// Prints the recovery words even with `--quiet`, because they are shown only once.
  static func report(_ recovery: NewRecovery?, _ session: Session, hasMembers: Bool) throws {
    let terminal = session.terminal
    guard let recovery else {
      guard hasMembers else { return }
      return terminal.notice(
        "no recovery key: if all admin devices are lost, nobody can be authorized again",
        hint: "a recovery key cannot be added later; to get one, remove .sea and run: sea init --recovery")
    }
    guard recovery.file == nil else { return }
    terminal.notice("write down the words of the recovery key now; they are not shown again")
    if terminal.options.json {
      let words = recovery.words.words.joined(separator: " ")
      return try terminal.object(Item(event: "recovery", ["words": .text(words)]))
    }
    for line in recovery.words.lines { try terminal.line("  " + line) }
  }
}
