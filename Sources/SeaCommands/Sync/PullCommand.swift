import SeaEngine

enum PullCommand: ExchangeCommand {
  static var title: Title {
    Title("pull", .sync, .frozenPorcelain, needs: [.database, .lock], "get new changes from containers")
  }
  static var synopsis: [String] {
    ["[-n] [--assets=FILTER] [--fail-on-conflict] [--no-merge] \(Option.limitForms) [CONTAINER]..."]
  }
  static var options: [Option] { [.assets, SyncRun.failOnConflict, SyncRun.noMerge] + Option.limits + [.dryRun] }
  static var direction: Direction { .pull }
}
