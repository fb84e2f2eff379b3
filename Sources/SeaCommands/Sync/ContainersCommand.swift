import SeaKit

/// `sea containers`: list the containers.
enum ContainersCommand: Command {
  static var title: Title {
    Title("containers", .sync, .frozenPorcelain, needs: .database, "list the containers of the database")
  }
  static var synopsis: [String] { ["[--probe]"] }
  static let probe = Option("probe", help: "look at each container; else tell what is remembered of it")
  static var options: [Option] { [probe] }
  static var exits: [Exit] {
    [
      Exit(.corrupt, "something is missing or damaged in a container, with --probe"),
      Exit(.partial, "not all has arrived in a container, with --probe"),
      Exit(.unreachable, "a container is away, with --probe"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let database = try session.reading()
    let probes = arguments.has(probe)
    var all = try database.containers.statuses(probe: probes)
    if probes { for at in all.indices { all[at].state = try database.exchange.probed(all[at]) } }
    let list = try Listing(
      session.terminal,
      [
        Column("NAME", "name"), Column("STATE", "state"), Column("TO PUSH", "to_push", right: true),
        Column("TO PULL", "to_pull", right: true, none: "?"), Column("LAST SYNC", "last_sync", none: "never"),
        Column("AUTO", "auto"), Column("LOCATION", "location"),
      ], frozen: ["name", "state", "location", "to_push", "to_pull", "encryption", "last_sync"])
    for one in all { try list.add(one.item) }
    try list.end()
    guard probes else { return .success }
    var status = ExitStatus.success
    for one in all {
      switch one.state {
      case .damaged: status = status.and(.corrupt)
      case .arriving: status = status.and(.partial)
      case .away: status = status.and(.unreachable)
      default: continue
      }
    }
    return status
  }
}

extension ContainerStatus {
  /// How things stand with a container.
  var item: Item {
    Item(
      event: "container",
      [
        "name": .text(setting.name), "state": .text(state.rawValue), "location": .text(setting.location),
        "to_push": .integer(toPush), "assets_to_push": .integer(assetsToPush), "to_pull": .integer(toPull),
        "encryption": .text(isSealed ? "sealed" : "none"),
        "auto": .flag(setting.isAutomatic), "read_only": .flag(setting.isReadOnly), "last_sync": .time(lastSync),
      ])
  }
}
