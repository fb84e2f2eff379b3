import SeaCore
import SeaKit

/// `sea revoke`: shut an instance out.
enum RevokeCommand: Command {
  static var name: String { "revoke" }
  static var group: Group { .security }
  static var kind: Kind { .porcelain }
  static var summary: String { "shut an instance out" }
  static var synopsis: [String] { ["[--no-rotate] [--after=INDEX] [-n] INSTANCE"] }
  static let noRotate = Option("no-rotate", help: "begin no epoch: it can go on reading")
  static let after = Option(
    "after", nil, .integer, "INDEX", "the last block of it that counts; the last one known here if not given")
  static var options: [Option] { [noRotate, after, .dryRun] }
  static var operands: [Operand] { [.one("INSTANCE", .member)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "there is no such member, or no such block of it"),
      Exit(.denied, "this instance is no admin, the database has no members, or there is no key"),
    ]
  }
  static var needs: Needs { [.database, .lock] }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try context.reading() : try context.writing(as: self)
    defer { database.close() }
    let who = try database.member(arguments.operands[0])
    try database.checkMayRevoke(who.instance)
    let name = context.shown(who.name.isEmpty ? context.short(who.instance) : who.name)
    let rotates = !arguments.has(noRotate)
    if isDry {
      try context.report("would-revoke") {
        $0.text("instance", who.instance.description)
        $0.flag("rotates", rotates)
      } text: {
        "would revoke \(name)"
      }
      return .success
    }
    let change = try database.revoke(
      who.instance, after: arguments.text(after).flatMap { UInt32($0) }, rotates: rotates)
    let readers = change.readers.map(\.name).joined(separator: ", ")
    try context.report("revoked") {
      $0.text("instance", who.instance.description)
      $0.text("name", who.name)
      if let last = change.last { $0.integer("last", last) } else { $0.null("last") }
      if let epoch = change.epoch { $0.integer("epoch", epoch) }
      $0.integer("blocks", change.blocks)
      $0.objects("readers", change.readers) { reader, one in
        one.text("instance", reader.instance.description)
        one.text("name", reader.name)
      }
    } text: {
      let cut = change.last.map { "after its block \($0)" } ?? "with nothing that counts"
      let epoch = change.epoch.map { ". Key epoch \($0) begins: readable by \(context.shown(readers))" } ?? ""
      return "revoked \(name) (\(context.short(who.instance))) \(cut)\(epoch)"
    }
    if change.passwords > 0 {
      context.notice("\(name) may know the passphrase: it opens nothing any more; set a new one: sea passwd --add")
    }
    context.notice("what \(name) has already copied stays readable to it")
    return .success
  }
}
