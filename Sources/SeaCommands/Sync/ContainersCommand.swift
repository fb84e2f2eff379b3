import SeaKit

/// `sea containers`: list the containers.
enum ContainersCommand: Command {
  static var title: Title {
    Title(
      "containers", .sync, .frozenPorcelain, needs: [.database, .lock], "list the containers of the database")
  }
  static var synopsis: [String] { ["[--probe]", "--drop-held=NAME [-n]"] }
  static let probe = Option("probe", help: "look at each container; else tell what is remembered of it")
  static let dropHeld = Option(
    "drop-held", nil, .container, "NAME", "take out of the container what strangers and revoked instances put there")
  static var options: [Option] { [probe, dropHeld, .dryRun] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "there is no container of that name, with --drop-held"),
      Exit(.corrupt, "something is missing or damaged in a container, with --probe"),
      Exit(.denied, "the container is read-only, with --drop-held"),
      Exit(.incompatible, "a container is another one or of another database, with --probe"),
      Exit(.system, "a container cannot be read, with --probe"),
      Exit(.partial, "not all has arrived in a container, with --probe; with --drop-held, and nothing was taken out"),
      Exit(.unreachable, "a container is away, with --probe or --drop-held"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if let name = arguments.text(dropHeld) {
      guard !arguments.has(probe) else { throw UsageFault.excluded([probe.dashed, dropHeld.dashed]) }
      let isDry = arguments.has(.dryRun)
      let database = isDry ? try session.reading() : try session.writing(as: self)
      return try DropHeld.run(session, database, name, isDry: isDry)
    }
    let database = try session.reading()
    let probes = arguments.has(probe)
    let all = try database.exchange.statuses(probe: probes)
    let list = try Listing(
      session.terminal,
      [
        Column("NAME", "name"), Column("STATE", "state"), Column("TO PUSH", "to_push", right: true),
        Column("TO PULL", "to_pull", right: true, none: "?"), Column("LAST SYNC", "last_sync", none: "never"),
        Column("AUTO", "auto"), Column("LOCATION", "location"),
      ], frozen: ["name", "state", "location", "to_push", "to_pull", "encryption", "last_sync"])
    for one in all { try list.add(one.item) }
    try list.end()
    return probes ? all.reduce(.success) { $0.and($1.state.status) } : .success
  }
}

extension ContainerState {
  /// What a command ends with that was asked how containers stand.
  var status: ExitStatus {
    switch self {
    case .ok, .synced, .new, .readOnly: .success
    case .damaged: .corrupt
    case .arriving: .partial
    case .away: .unreachable
    case .mismatch: .incompatible
    case .failed: .system
    }
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
