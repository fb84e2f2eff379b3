import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

extension InitCommand {
  /// What the options ask for.
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

  /// Who asks for what is decided when a database is made relies on it; a name is no more than that.
  static func checkThere(_ there: Database, _ arguments: Arguments, _ session: Session) throws {
    var lacks: CommandError.Lack?
    if arguments.has(NewRecovery.option) { lacks = .recoveryKey }
    if arguments.has(members), !there.hasMembers { lacks = .members }
    if arguments.has(encrypt), try !there.isSealed() { lacks = .seal }
    if arguments.has(.noStoreKey), try there.keepsKeys() { lacks = lacks ?? .keylessness }
    if let lacks { throw CommandError.otherDatabaseThere(there.path, lacks) }
    let name = try there.name()
    if let wanted = arguments.text(.instanceName), !UTF8Text.equal(wanted, name) {
      session.terminal.notice(
        "the database was there already, and its instance stays '\(session.terminal.shown(name))'")
    }
  }
}

/// The key of recovery of a database that is being made, and where its words go.
struct NewRecovery {
  static let option = Option(
    "recovery", nil, .text, "FILE", "with --require-auth: make a key of recovery, and print its words or write FILE",
    valueIsOptional: true)

  private let words: RecoveryWords
  private let file: String?

  /// - Returns: nil if none was asked for.
  init?(_ arguments: Arguments, _ session: Session, _ creation: inout Database.Creation) throws {
    guard arguments.has(NewRecovery.option) else { return nil }
    guard creation.hasMembers else { throw UsageFault.needs(option: "--recovery", with: "--require-auth") }
    words = RecoveryWords(seed: try Random.bytes(32))
    file = arguments.text(NewRecovery.option).map { session.path($0) }
    creation.recovery = try words.identity()
  }

  /// Writes the file before there is what it belongs to, so that it is never missing, and takes it away if nothing was
  /// made.
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

  /// The words are shown now or never, whatever else is left out.
  static func tell(_ recovery: NewRecovery?, _ session: Session, hasMembers: Bool) throws {
    let terminal = session.terminal
    guard let recovery else {
      guard hasMembers else { return }
      return terminal.notice(
        "without a key of recovery, nobody can let anybody in once all devices of admins are lost; "
          + "it cannot be added later: to have one, make the database anew with --recovery")
    }
    guard recovery.file == nil else { return }
    terminal.notice("the words of the key of recovery are shown only now: write them down")
    if terminal.options.json {
      let words = recovery.words.words.joined(separator: " ")
      return try terminal.object(Item(event: "recovery", ["words": .text(words)]))
    }
    for line in recovery.words.lines { try terminal.line("  " + line) }
  }
}
