import SeaKit

/// `sea containers`: list the containers.
enum ContainersCommand: Command {
  static var name: String { "containers" }
  static var group: Group { .sync }
  static var kind: Kind { .frozenPorcelain }
  static var summary: String { "list the containers of the database" }
  static var synopsis: [String] { ["[--probe]"] }
  static let probe = Option("probe", help: "look at each container; else tell what is remembered of it")
  static var options: [Option] { [probe] }
  static var exits: [Exit] { [Exit(.unreachable, "a container is away, with --probe")] }
  static var needs: Needs { .database }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    let database = try context.reading()
    defer { database.close() }
    let probes = arguments.has(probe)
    let all = try database.containerStatuses(probe: probes)
    if context.options.json {
      for one in all { try context.object { context.describe(one, in: &$0) } }
    } else if context.options.porcelain {
      for one in all {
        try context.fields([
          one.setting.name, one.state.rawValue, one.setting.location, String(one.toPush),
          one.toPull.map { String($0) } ?? "-", one.isSealed ? "sealed" : "none", context.machine(one.lastSync),
        ])
      }
    } else {
      try table(all, context)
    }
    return probes && all.contains { $0.state == .away } ? .unreachable : .success
  }

  private static func table(_ all: [ContainerStatus], _ context: Context) throws {
    var table = Table(
      [
        .init("NAME"), .init("STATE"), .init("TO PUSH", right: true), .init("TO PULL", right: true),
        .init("LAST SYNC"), .init("AUTO"), .init("LOCATION"),
      ], width: context.width, output: context.output)
    for one in all {
      try table.row([
        one.setting.name, one.state.rawValue, String(one.toPush), one.toPull.map { String($0) } ?? "?",
        one.lastSync.map { context.text($0) } ?? "never", one.setting.isAutomatic ? "yes" : "no", one.setting.location,
      ])
    }
    try table.end()
  }
}

extension Context {
  /// The keys of a `container` event about how things stand.
  func describe(_ status: ContainerStatus, in object: inout JSONObject) {
    object.text("event", "container")
    object.text("name", status.setting.name)
    object.text("state", status.state.rawValue)
    object.text("location", status.setting.location)
    object.integer("to_push", status.toPush)
    if let toPull = status.toPull { object.integer("to_pull", toPull) }
    object.text("encryption", status.isSealed ? "sealed" : "none")
    object.flag("auto", status.setting.isAutomatic)
    object.flag("read_only", status.setting.isReadOnly)
    object.text("last_sync", status.lastSync.map { DateStyle.machine($0) })
  }
}
