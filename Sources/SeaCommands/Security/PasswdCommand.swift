import SeaEngine
import SeaSystem
import SeaWords

/// `sea passwd`: change what opens a sealed database. No block is touched.
enum PasswdCommand: Command {
  static var title: Title {
    Title(
      "passwd", .security, .porcelain, needs: [.database, .lock],
      "change, add or remove passphrases, and begin key epochs")
  }
  static var synopsis: [String] {
    let new =
      "[--new-password-file=FILE | --new-password-command=COMMAND | --new-password-fd=N] [--kdf-iterations=N] [-n]"
    return [new, "--add " + new, "--remove=SLOT [-n]", "--rotate [-n]", "--list"]
  }
  static let add = Option("add", help: "add a passphrase; the others stay")
  static let remove = Option("remove", nil, .text, "SLOT", "end a slot: the first four or more digits of its name")
  static let list = Option("list", help: "list the slots that are valid")
  static let rotate = Option("rotate", help: "begin an epoch: a new key for what is written from now on")
  static var options: [Option] { [add, remove, list, rotate, .iterations] + Option.newPassword + [.dryRun] }
  static var exits: [Exit] {
    [
      Exit(.usage, "bad command line, or a passphrase is needed and nobody can be asked"),
      Exit(.notFound, "there is no such slot"),
      Exit(.denied, "the passphrase opens nothing, there is no key, or nothing would open the database any more"),
      Exit(.incompatible, "the database is not sealed"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let chosen = [add, list, rotate].filter { arguments.has($0) }.map { "--\($0.long)" }
    let modes = chosen + (arguments.text(remove) == nil ? [] : ["--remove"])
    if modes.count > 1 { throw UsageFault.excluded(Array(modes.prefix(2))) }
    if arguments.has(list) {
      let database = try session.reading()
      return try SlotLines(session: session).show(database.access.slotViews())
    }
    let database = try Database(path: session.seaDirectory(), session.keySettings(self, arguments))
    defer { database.close() }
    let place = database.path
    _ = try database.access.slotViews()
    try database.members.requireAdmin()
    if arguments.has(.dryRun) { return try SlotLines(session: session).preview(database, modes.first) }
    let began = session.host.now()
    let change: SlotChange
    switch modes.first {
    case "--add":
      var new = try session.passwords.needed(for: .new(place: place), new: arguments)
      defer { SecretLine.wipe(&new) }
      change = try database.access.addPassword(new)
    case "--remove": change = try database.access.removeSlot(arguments.text(remove) ?? "")
    case "--rotate":
      var password = try database.access.hasPassword() ? session.passwords.needed(for: .open(place: place)) : []
      defer { SecretLine.wipe(&password) }
      change = try database.access.rotate(password.isEmpty ? nil : password)
    default:
      var old = try session.passwords.retyping {
        let old = try session.passwords.needed(for: .open(place: place))
        try database.access.check(old)
        return old
      }
      defer { SecretLine.wipe(&old) }
      var new = arguments.givesNewPassword(session) ? nil : arguments.text(.iterations).map { _ in old }
      if new == nil { new = try session.passwords.needed(for: .new(place: place), new: arguments) }
      change = try database.access.changePassword(from: old, to: new ?? old)
      if new != nil { SecretLine.wipe(&new!) }
    }
    try SlotReport(session: session, change: change, database: database).tell(
      modes.first, milliseconds: session.host.now() - began)
    return .success
  }
}

extension Arguments {
  /// Whether the command line or a variable says where a new password comes from.
  func givesNewPassword(_ session: Session) -> Bool {
    Option.newPassword.contains { text($0) != nil }
      || ["FILE", "COMMAND", "FD"].contains { !(session.host.variable("SEA_NEW_PASSWORD_\($0)") ?? "").isEmpty }
  }
}
