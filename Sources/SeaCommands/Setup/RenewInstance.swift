import SeaEngine
import SeaSystem
import SeaCore
import SeaWords

/// `sea init --renew-instance`: a copied database gets a key and a name of its own.
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
      "Instance \(session.terminal.short(renewal.old)) goes on as \(session.terminal.short(renewal.new))  \(try database.name())"
    }
    if let hint = renewal.hint(in: session.terminal) { session.terminal.notice(hint) }
    return .success
  }
}
