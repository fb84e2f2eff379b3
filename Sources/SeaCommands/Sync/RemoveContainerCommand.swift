import SeaEngine

enum RemoveContainerCommand: Command {
  static var title: Title {
    Title("remove-container", .sync, .porcelain, needs: [.database, .lock], "detach a container and keep its files")
  }
  static var synopsis: [String] { ["[--only-copy-is-fine] [-n] NAME"] }
  static let onlyCopy = Option("only-copy-is-fine", help: "detach even if it may be the only copy of blocks or assets")
  static var options: [Option] { [onlyCopy, .dryRun] }
  static var operands: [Operand] { [.one("NAME", .container)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "no container of that name"),
      Exit(.partial, "it has, or may have, blocks or assets that are not here; nothing was done"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    let force = arguments.has(onlyCopy)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    if !force, let setting = try? database.containers.setting(arguments.operands[0]) {
      // Ignore a container that cannot be read, because `remove` reports it.
      let count = (try? database.exchange.countAssets(onlyIn: setting)) ?? 0
      guard count == 0 else { throw CommandError.onlyAssets(setting.name, count) }
    }
    let (setting, unread) = try database.containers.remove(arguments.operands[0], force: force, dryRun: isDry)
    guard force || unread == 0 else { throw CommandError.onlyCopy(setting.name, blocks: unread) }
    try session.terminal.report(
      isDry ? "would-remove-container" : "container-removed",
      ["name": .text(setting.name), "location": .text(setting.shownLocation)]
    ) {
      "\(setting.name): \(isDry ? "would be detached" : "detached"); its files remain at \(setting.shownLocation)"
    }
    return .success
  }
}
