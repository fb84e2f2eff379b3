import SeaKit

/// `sea push`: give containers what is missing there.
enum PushCommand: Command {
  static var name: String { "push" }
  static var group: Group { .sync }
  static var kind: Kind { .frozenPorcelain }
  static var summary: String { "give to containers what is new here" }
  static var synopsis: [String] { ["[-n] [--assets=FILTER] [--fail-on-conflict] [CONTAINER]..."] }
  static var options: [Option] { [.assets, SyncRun.failOnConflict, .dryRun] }
  static var operands: [Operand] { SyncRun.operands }
  static var exits: [Exit] {
    SyncRun.exits.filter { $0.status != .refused } + [
      Exit(.denied, "a container named is read-only, or the database belongs to another user"),
      Exit(.refused, "a hook refused a container"),
    ]
  }
  static var needs: Needs { [.database, .lock] }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    try SyncRun.run(.push, as: self, context, arguments)
  }
}
