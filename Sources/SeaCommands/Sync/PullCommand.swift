import SeaKit

/// `sea pull`: take from containers what is missing here.
enum PullCommand: Command {
  static var name: String { "pull" }
  static var group: Group { .sync }
  static var kind: Kind { .frozenPorcelain }
  static var summary: String { "take from containers what is new there" }
  static var synopsis: [String] { SyncRun.synopsis }
  static var options: [Option] { SyncRun.options }
  static var operands: [Operand] { SyncRun.operands }
  static var exits: [Exit] { SyncRun.exits }
  static var needs: Needs { [.database, .lock] }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    try SyncRun.run(.pull, as: self, context, arguments)
  }
}
