import SeaKit
import SeaSystem
import SeaCore

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
      try context.report("would-renew", ["instance": .id(there.instance)]) {
        "would give instance \(context.short(there.instance)) a new key and id"
      }
      return .success
    }
    let database = try context.writing(path, as: InitCommand.self)
    defer { database.close() }
    database.whenRenewed = nil
    let renewal = try database.author.renew(.asked, name: name)
    try context.report("renewed", renewal.item) {
      "Instance \(context.short(renewal.old)) goes on as \(context.short(renewal.new))  \(try database.name())"
    }
    if let hint = renewal.hint(in: context) { context.notice(hint) }
    return .success
  }
}
