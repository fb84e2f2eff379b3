import SeaCore
import SeaEngine

enum RevokeCommand: Command {
  static var title: Title {
    Title("revoke", .security, .porcelain, needs: [.database, .lock], "revoke the access of an instance")
  }
  static var synopsis: [String] {
    ["[--no-rotate] [--after=INDEX|BLOCK] [--only] [--confirm=NAME] [--recovery=FILE] [-n] INSTANCE"]
  }
  static let noRotate = Option("no-rotate", help: "do not rotate the key; the instance can still read new data")
  static let after = Option(
    "after", nil, .text, "INDEX|BLOCK", "accept its blocks up to this one (default: all known here)")
  static let only = Option("only", help: "do not revoke its successors")
  static let confirm = Option(
    "confirm", nil, .text, "NAME", "allow invalid purges or no admin; NAME is this instance's name or the databaseID")
  static var options: [Option] { [noRotate, after, only, confirm, .recoveryWords, .dryRun] }
  static var operands: [Operand] { [.one("INSTANCE", .member)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "purges would become invalid, or no admin would remain, and not confirmed; nothing was written"),
      Exit(.notFound, "no such member, or no such block of it"),
      Exit(.denied, "this instance is not an admin, the database has no members, or there is no key"),
      Exit(.badData, "with --only: too many successors"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    let who = try database.access.member(arguments.operands[0])
    let recovery = try session.recovery(arguments, database)
    let point = try arguments.text(after).map { try self.point($0, of: who.instance, database) }
    let only = arguments.has(only)
    if recovery == nil { try database.access.checkMayRevoke(who.instance, after: point, only: only) }
    if let name = arguments.text(confirm) { try database.check(confirmation: name) }
    let name = who.name.isEmpty ? session.terminal.short(who.instance) : who.name
    let rotates = !arguments.has(noRotate)
    if isDry {
      let (last, loss) = try database.access.revocationLoss(
        of: who.instance, after: point, only: only, by: recovery?.instance)
      var item: Item = [
        "instance": .id(who.instance), "rotates": .flag(rotates), "last": .integer(last?.index).orNull,
        "branch": branch(last), "blocks": .integer(loss.blocks),
      ]
      item.add(loss.fields)
      try session.terminal.report("would-revoke", item) {
        "would revoke \(name) (\(session.terminal.short(who.instance))) \(cut(last))"
      }
      loss.report(of: name, session.terminal)
      return .success
    }
    let change = try database.acting(as: recovery) {
      try database.access.revoke(
        who.instance, after: point, rotates: rotates, only: only, isConfirmed: arguments.has(confirm))
    }
    var item: Item = [
      "instance": .id(who.instance), "name": .text(who.name), "last": .integer(change.last?.index).orNull,
      "branch": branch(change.last), "epoch": .integer(change.epoch), "blocks": .integer(change.blocks),
      "readers": .readers(change.readers),
    ]
    item.add(change.loss.fields)
    try session.terminal.report("revoked", item) {
      let readers = session.terminal.names(of: change.readers)
      let epoch = change.epoch.map { ". New data (key epoch \($0)) can be read by: \(readers)" } ?? ""
      return "revoked \(name) (\(session.terminal.short(who.instance))) \(cut(change.last))\(epoch)"
    }
    session.terminal.summarize(["blocks": .integer(change.blocks)])
    change.loss.report(of: name, session.terminal)
    if change.passwords > 0 {
      session.terminal.notice(
        "the passphrase is no longer valid, because \(name) may know it; to set a new one, run: sea passwd --add")
    }
    session.terminal.notice("\(name) can still read what it has already copied")
    return .success
  }

  private static func point(_ text: String, of instance: UUID, _ database: Database) throws -> CutPoint {
    if let index = UInt32(text) { return .index(index) }
    guard text.utf8.contains(UInt8(ascii: "/")) else {
      throw UsageFault.badValue(option: after.dashed, value: text, expected: .integer)
    }
    return .block(try database.records.block(named: text).ref)
  }

  private static func branch(_ last: BlockRef?) -> Field {
    last.map { $0.branch.isMainBranch ? .absent : .text($0.branch.description) } ?? .absent
  }

  private static func cut(_ last: BlockRef?) -> String {
    guard let last else { return "from its first block on" }
    return "after its block \(last.branch.isMainBranch ? "\(last.index)" : "\(last)")"
  }
}
