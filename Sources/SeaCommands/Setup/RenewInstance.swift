import SeaKit
import SeaSystem

/// `sea init --renew-instance`: a copied database gets a key and a name of its own.
enum RenewInstance {
  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    for option in [InitCommand.type, InitCommand.database] {
      _ = try arguments.only(of: [InitCommand.renew, option])
    }
    let name = arguments.has(.instanceName) ? try arguments.instanceName() : nil
    let path =
      try arguments.operand(0).map { Path.join(try Path.absolute(context.path($0)), Location.folderName) }
      ?? context.seaDirectory()
    guard try Path.exists(path) else { throw KitError.noDatabase(path: Path.parent(path)) }
    if arguments.has(.dryRun) {
      let there = try Database(path: path)
      defer { there.close() }
      try context.report("would-renew", { $0.text("instance", there.instance.description) }) {
        "would give instance \(context.short(there.instance)) a new key and id"
      }
      return .success
    }
    let database = try context.writing(path, as: InitCommand.self)
    defer { database.close() }
    database.whenRenewed = nil
    let renewal = try database.renewIdentity(.asked, name: name)
    if context.options.json {
      try context.object { context.describe(renewal, in: &$0) }
    } else if !context.options.quiet {
      let label = try database.name()
      try context.line(
        context.shown("Instance \(context.short(renewal.old)) goes on as \(context.short(renewal.new))  \(label)"))
    }
    if let hint = Failure.hint(renewal, in: context) { context.notice(hint) }
    return .success
  }
}
