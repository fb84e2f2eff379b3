import SeaCore
import SeaKit

/// `sea revoke`: shut an instance out.
enum RevokeCommand: Command {
  static var title: Title { Title("revoke", .security, .porcelain, needs: [.database, .lock], "shut an instance out") }
  static var synopsis: [String] { ["[--no-rotate] [--after=INDEX] [--only] [--recovery=FILE] [-n] INSTANCE"] }
  static let noRotate = Option("no-rotate", help: "begin no epoch: it can go on reading")
  static let after = Option(
    "after", nil, .integer, "INDEX", "the last block of it that counts; the last one known here if not given")
  static let only = Option("only", help: "leave alone the instances that go on in its place")
  static var options: [Option] { [noRotate, after, only, .recoveryWords, .dryRun] }
  static var operands: [Operand] { [.one("INSTANCE", .member)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "there is no such member, or no such block of it"),
      Exit(.denied, "this instance is no admin, the database has no members, or there is no key"),
      Exit(.badData, "with --only: more instances go on in its place than can be left alone"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    let who = try database.access.member(arguments.operands[0])
    let recovery = try session.recovery(arguments, database)
    let index = arguments.text(after).flatMap { UInt32($0) }
    if recovery == nil {
      try database.access.checkMayRevoke(who.instance, after: index, only: arguments.has(only))
    }
    let name = who.name.isEmpty ? session.terminal.short(who.instance) : who.name
    let rotates = !arguments.has(noRotate)
    if isDry {
      try session.terminal.report("would-revoke", ["instance": .id(who.instance), "rotates": .flag(rotates)]) {
        "would revoke \(name) (\(session.terminal.short(who.instance)))"
      }
      return .success
    }
    let change = try database.acting(as: recovery) {
      try database.access.revoke(
        who.instance, after: index, rotates: rotates, only: arguments.has(only))
    }
    try session.terminal.report(
      "revoked",
      [
        "instance": .id(who.instance), "name": .text(who.name), "last": .integer(change.last).orNull,
        "epoch": .integer(change.epoch), "blocks": .integer(change.blocks), "readers": .readers(change.readers),
      ]
    ) {
      let cut = change.last.map { "after its block \($0)" } ?? "with nothing that counts"
      let readers = change.readers.map(\.name).joined(separator: ", ")
      let epoch = change.epoch.map { ". Key epoch \($0) begins: readable by \(readers)" } ?? ""
      return "revoked \(name) (\(session.terminal.short(who.instance))) \(cut)\(epoch)"
    }
    session.terminal.summarise(["blocks": .integer(change.blocks)])
    if change.passwords > 0 {
      session.terminal.notice(
        "\(name) may know the passphrase: it opens nothing any more; set a new one: sea passwd --add")
    }
    session.terminal.notice("what \(name) has already copied stays readable to it")
    return .success
  }
}
