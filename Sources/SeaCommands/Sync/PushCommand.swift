import SeaEngine

enum PushCommand: ExchangeCommand {
  static var title: Title {
    Title("push", .sync, .frozenPorcelain, needs: [.database, .lock], "send new changes to containers")
  }
  static var synopsis: [String] {
    ["[-n] [--assets=FILTER] [--fail-on-conflict] [--full] \(Option.limitForms) [CONTAINER]..."]
  }
  static var options: [Option] { [.assets, SyncRun.failOnConflict, SyncRun.full] + Option.limits + [.dryRun] }
  static var exits: [Exit] {
    SyncRun.exits.filter { $0.status != .refused } + [
      Exit(.denied, "a given container is read-only, or the database belongs to another user"),
      Exit(.refused, "a hook refused a container"),
    ]
  }
  static var direction: Direction { .push }
}
