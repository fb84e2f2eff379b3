import SeaEngine

enum ContainersCommand: Command {
  static var title: Title {
    Title("containers", .sync, .frozenPorcelain, needs: [.database, .lock], "list the containers of the database")
  }
  static var synopsis: [String] { ["[--probe]", "--drop-held=NAME [-n]", "--discover"] }
  static let probe = Option("probe", help: "check each container now")
  static let dropHeld = Option(
    "drop-held", nil, .container, "NAME", "remove files that no member accepts from the container")
  static let discover = Option("discover", help: "list servers on the local network")
  static var options: [Option] { [probe, dropHeld, discover, .dryRun] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "no container of that name, with --drop-held"),
      Exit(.corrupt, "something is missing or damaged in a container, with --probe"),
      Exit(.denied, "the container is read-only, with --drop-held"),
      Exit(.incompatible, "a container has another database or content type, with --probe"),
      Exit(.system, "a container cannot be read, with --probe"),
      Exit(.partial, "a container is incomplete, with --probe; nothing was removed, or not all servers were found"),
      Exit(.unreachable, "a container is unavailable, with --probe or --drop-held; no network, with --discover"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(discover) {
      for other in [probe, dropHeld] where arguments.has(other) {
        throw UsageFault.excluded([discover.dashed, other.dashed])
      }
      return try list(Discovery.run(session), session)
    }
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
        Column("TO PULL", "to_pull", right: true, none: "?"),
        Column("LAST SYNC", "last_sync", isWhole: true, none: "never"),
        Column("AUTO", "auto"), Column("LOCATION", "location"),
      ], frozen: ["name", "state", "location", "to_push", "to_pull", "encryption", "last_sync"])
    for one in all { try list.add(one.item) }
    try list.end()
    return probes ? all.reduce(.success) { $0.and($1.state.status) } : .success
  }

  private static func list(
    _ found: (servers: [Discovery.Server], isWhole: Bool), _ session: Session
  ) throws -> ExitStatus {
    let columns = [Column("NAME", "name"), Column("ADDRESS", "address"), Column("LOCATION", "location")]
    let list = try Listing(session.terminal, columns, frozen: ["name", "address", "location"])
    for one in found.servers { try list.add(one.item) }
    try list.end()
    if found.servers.isEmpty {
      session.terminal.notice("no servers found on the local network")
    } else {
      try session.terminal.remark("to add one (with its token), run: sea add-container NAME LOCATION/CONTAINER")
    }
    if !found.isWhole {
      session.terminal.warning("cut", "the list may be incomplete: not all servers answered in time")
    }
    return found.isWhole ? .success : .partial
  }
}

extension ContainerCondition {
  var status: ExitStatus {
    switch self {
    case .ok, .synced, .new, .readOnly: .success
    case .damaged: .corrupt
    case .incomplete: .partial
    case .unavailable: .unreachable
    case .mismatch: .incompatible
    case .failed: .system
    }
  }
}

extension ContainerStatus {
  var item: Item {
    Item(
      event: "container",
      [
        "name": .text(setting.name), "state": .text(state.rawValue), "location": .text(setting.shownLocation),
        "to_push": .integer(toPush), "assets_to_push": .integer(assetsToPush), "to_pull": .integer(toPull),
        "encryption": .text(isSealed ? "sealed" : "none"),
        "auto": .flag(setting.isAutomatic), "read_only": .flag(setting.isReadOnly), "last_sync": .time(lastSync),
        "last_sync_ms": .integer(took),
      ])
  }
}

/// Removes the files of a container that no member accepts, for `sea containers --drop-held`.
enum DropHeld {
  static func run(_ session: Session, _ database: Database, _ name: String, isDry: Bool) throws -> ExitStatus {
    let setting = try database.containers.setting(name)
    let all = try database.exchange.removePending(in: setting, dryRun: isDry)
    let dropped = all.instances
    for one in dropped {
      try session.terminal.report(
        isDry ? "would-drop" : "dropped",
        [
          "container": .text(setting.name), "instance": .id(one.instance), "name": .text(one.name),
          "revoked": .flag(one.isRevoked), "blocks": .integer(one.blocks), "assets": .integer(one.assets),
          "request": .flag(one.request),
        ]
      ) { "\(setting.name): \(isDry ? "would remove" : "removed") \(words(one, session))" }
    }
    if all.files > 0 {
      let files = "\(isDry ? "would set aside" : "set aside") \(Count(all.files, "file")) without a valid block"
      try session.terminal.remark("\(setting.name): \(files)")
    }
    if all.slots > 0 {
      let slots = "\(isDry ? "would remove" : "removed") \(Count(all.slots, "unlisted key slot"))"
      try session.terminal.remark("\(setting.name): \(slots)")
    } else if dropped.isEmpty, all.files == 0 {
      try session.terminal.remark("\(setting.name): nothing to remove")
    }
    session.terminal.summarize([
      "instances": .integer(dropped.count), "blocks": .integer(dropped.reduce(0) { $0 + $1.blocks }),
      "assets": .integer(dropped.reduce(0) { $0 + $1.assets }), "slots": .integer(all.slots),
      "files": .integer(all.files),
    ])
    return .success
  }

  private static func words(_ one: Dropped, _ session: Session) -> String {
    var parts: [String] = []
    if one.blocks > 0 { parts.append(Count(one.blocks, "block").description) }
    if one.assets > 0 { parts.append(Count(one.assets, "asset").description) }
    if one.request { parts.append("an access request") }
    let id = session.terminal.short(one.instance)
    let who = one.name.isEmpty ? id : "\(one.name) (\(id))"
    return "\(parts.joined(separator: ", ")) of \(who), which is \(one.isRevoked ? "revoked" : "not a member")"
  }
}
