import SeaCore
import SeaEngine
import SeaSystem

enum PasswdCommand: Command {
  static var title: Title {
    Title(
      "passwd", .security, .porcelain, needs: [.database, .lock],
      "change, add or remove passphrases, and rotate the key")
  }
  static var synopsis: [String] {
    let new =
      "[--new-password-file=FILE | --new-password-command=COMMAND | --new-password-fd=N] [--kdf-iterations=N] [-n]"
    return [new, "--add " + new, "--remove=SLOT [-n]", "--rotate [-n]", "--list"]
  }
  static let add = Option("add", help: "add a passphrase and keep the others")
  static let remove = Option(
    "remove", nil, .text, "SLOT", "remove a key slot, by the first four or more digits of its name")
  static let list = Option("list", help: "list the valid key slots")
  static let rotate = Option("rotate", help: "use a new key for everything written from now on")
  static var options: [Option] { [add, remove, list, rotate, .iterations] + Option.newPassword + [.dryRun] }
  static var exits: [Exit] {
    [
      Exit(.usage, "bad command line, or a passphrase is needed and there is no terminal"),
      Exit(.notFound, "no such key slot"),
      Exit(.denied, "wrong passphrase, no key, or nothing could open the database any more"),
      Exit(.incompatible, "the database is not encrypted"),
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
      guard try database.access.hasPassword() else {
        throw Failure(.badPassword, "this database has no passphrase", hint: "to add one, run: sea passwd --add")
      }
      var old = try session.passwords.retrying {
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
    try SlotReport(session: session, change: change, database: database).report(
      modes.first, milliseconds: session.host.now() - began)
    return .success
  }
}

extension Arguments {
  func givesNewPassword(_ session: Session) -> Bool {
    Option.newPassword.contains { text($0) != nil }
      || ["FILE", "COMMAND", "FD"].contains { !(session.host.variable("SEA_NEW_PASSWORD_\($0)") ?? "").isEmpty }
  }
}

struct SlotLines {
  let session: Session

  func show(_ slots: [SlotView]) throws -> ExitStatus {
    let list = try Listing(
      session.terminal, [Column("SLOT", "short"), Column("EPOCH", "epoch", right: true), Column("OPENS FOR", "opener")])
    for slot in slots { try list.add(item(slot)) }
    try list.end()
    return .success
  }

  private func item(_ slot: SlotView) -> Item {
    var item: Item = [
      "event": .text("slot"), "slot": .text(slot.name), "epoch": .integer(slot.epoch),
      "short": .aside(String(slot.name.description.prefix(session.terminal.abbrev))), "opener": .aside(opener(slot)),
    ]
    switch slot.kind {
    case .password(let rounds): item.add(["kind": .text("passphrase"), "rounds": .integer(rounds)])
    case .instance(let instance, let name):
      item.add(["kind": .text("instance"), "instance": .id(instance), "name": .text(name)])
    case .previous(let epoch): item.add(["kind": .text("previous"), "previous": .integer(epoch)])
    }
    return item
  }

  private func opener(_ slot: SlotView) -> String {
    switch slot.kind {
    case .password(let rounds): "a passphrase, \(rounds) rounds"
    case .instance(let instance, let name):
      "instance \(name.map { "\($0) " } ?? "")(\(session.terminal.short(instance)))"
    case .previous(let epoch): "the key of epoch \(slot.epoch), to read epoch \(epoch)"
    }
  }

  func preview(_ database: Database, _ mode: String?) throws -> ExitStatus {
    let slots = try database.access.slotViews()
    let passwords = slots.filter { if case .password = $0.kind { true } else { false } }.count
    let epoch = try database.keychain.newestEpoch()
    let readers = try database.members.readers().count
    try session.terminal.report(
      "would-change-slots",
      [
        "mode": .text(mode.map { String($0.dropFirst(2)) } ?? "change"), "passphrases": .integer(passwords),
        "epoch": .integer(mode == "--rotate" ? epoch + 1 : epoch),
      ]
    ) {
      switch mode {
      case "--add": "would add a passphrase to key epoch \(epoch)"
      case "--remove": "would remove a key slot"
      case "--rotate": "would start key epoch \(epoch + 1) for \(Count(readers, "instance"))"
      default: "would replace a passphrase of key epoch \(epoch)"
      }
    }
    return .success
  }
}

/// Reports which key slots changed, and the limits of the change.
struct SlotReport {
  let session: Session
  let change: SlotChange
  let database: Database

  func report(_ mode: String?, milliseconds: Int64) throws {
    try session.terminal.report(
      "slots-changed",
      [
        "slot": .text(change.added), "ended": .texts(change.ended), "epoch": .integer(change.epoch),
        "blocks": .integer(change.blocks), "blocks_reencoded": .integer(0), "readers": .readers(change.readers),
      ]
    ) {
      "\(did(mode)) in \(milliseconds / 1000).\(milliseconds % 1000 / 100) s; "
        + "0 of \(Count(change.blocks, "block")) re-encoded (none needed)"
    }
    session.terminal.summarize(["blocks": .integer(change.blocks)])
    try hints(mode)
  }

  private func did(_ mode: String?) -> String {
    switch mode {
    case "--add": "Passphrase added"
    case "--remove":
      "Key slot \(change.ended.map { String($0.description.prefix(session.terminal.abbrev)) }.joined()) removed"
    case "--rotate": "Key epoch \(change.epoch ?? 0) started"
    default: "Passphrase changed"
    }
  }

  private func hints(_ mode: String?) throws {
    let names = session.terminal.names(of: change.readers)
    switch mode {
    case "--add": session.terminal.notice("it opens all existing data and everything written in this key epoch")
    case "--rotate":
      session.terminal.notice("new data can be read by: \(names)")
      if change.dropped > 0 {
        session.terminal.notice(
          "\(Count(change.dropped, "other passphrase")) no longer valid; to add one, run: sea passwd --add")
      }
      session.terminal.notice("anyone who had a key before can still read older data")
    default:
      session.terminal.notice(
        "instances that have keys can still read everything: \(names); so can old copies with the old passphrase",
        hint: "to protect new data, run: sea passwd --rotate; to exclude an instance, run: sea revoke INSTANCE")
    }
  }
}

extension Terminal {
  func names(of readers: [Reader]) -> String {
    readers.map { $0.name.isEmpty ? short($0.instance) : $0.name }.joined(separator: ", ")
  }
}

extension Field {
  static func readers(_ readers: [Reader]) -> Field {
    .items(readers) { ["instance": .id($0.instance), "name": .text($0.name)] }
  }
}
