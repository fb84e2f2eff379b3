import SeaEngine

enum SyncCommand: ExchangeCommand {
  static var title: Title {
    Title("sync", .sync, .frozenPorcelain, needs: [.database, .lock], "exchange changes with containers")
  }
  static var direction: Direction { .both }
}
