import SeaKit

/// `sea sync`: exchange blocks with containers, both ways.
enum SyncCommand: Command {
  static var name: String { "sync" }
  static var group: Group { .sync }
  static var kind: Kind { .frozenPorcelain }
  static var summary: String { "exchange what is new with containers" }
  static var synopsis: [String] { SyncRun.synopsis }
  static var options: [Option] { SyncRun.options }
  static var operands: [Operand] { SyncRun.operands }
  static var exits: [Exit] { SyncRun.exits }
  static var needs: Needs { [.database, .lock] }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    try SyncRun.run(.both, as: self, context, arguments)
  }
}
