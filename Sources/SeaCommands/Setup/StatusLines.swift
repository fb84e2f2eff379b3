import SeaKit
import SeaSystem

/// The three forms of what `sea status` says.
struct StatusLines {
  private let context: Context
  private let database: Database
  private let report: StatusReport

  init(_ context: Context, _ database: Database, _ report: StatusReport) {
    self.context = context
    self.database = database
    self.report = report
  }

  func text() throws {
    var lines = [
      "database \(context.short(database.databaseID))  \(report.contentType)" + (report.isSealed ? "  sealed" : ""),
      "instance \(context.short(database.instance))  \(report.name)",
    ]
    if report.isPending {
      lines.append("waits for somebody to let it in: sea authorize \(context.short(database.instance))")
    } else if report.hasMembers {
      lines.append("role \(report.role?.rawValue ?? "none: what it writes counts nowhere")")
    }
    if report.conflicts > 0 {
      lines.append("\(Count(report.conflicts, "record")) in conflict: sea conflicts")
    } else {
      lines.append("no conflicts")
    }
    if report.waiting > 0 { lines.append("\(Count(report.waiting, "revision")) waiting for what came before") }
    for one in report.containers {
      let last = one.lastSync.map { "last sync \(context.text($0))" } ?? "never synced"
      let toPush = one.setting.isReadOnly ? "" : one.toPush > 0 ? "\(one.toPush) to push, " : "nothing to push, "
      lines.append("container \(one.setting.name)  \(one.state.rawValue)  \(toPush)\(last)")
    }
    let missing = report.missingAssets
    if missing.count > 0 {
      lines.append("\(Count(missing.count, "asset")) not here, \(SizeText.of(missing.bytes)): sea fetch-assets")
    }
    if report.containers.isEmpty {
      lines.append("no container: sea add-container")
    } else if report.unsynced > 0 {
      lines.append("\(Count(report.unsynced, "block")) of this instance in no container yet: sea sync")
    }
    for row in report.quarantine {
      lines.append(
        "quarantined \(row.container): block \(context.short(row.branch.instance))\(row.branch.description.dropFirst(36))/\(row.index) \(row.reason), "
          + "met \(Count(row.syncs, "time")) since \(context.text(row.since))")
    }
    for one in report.held { lines.append(context.words(of: one)) }
    for problem in report.forks { lines.append("fork \(Failure.words(problem, in: context))") }
    for problem in report.withheld { lines.append("withheld \(Failure.words(problem, in: context))") }
    for line in lines { try context.line(context.shown(line)) }
  }

  func porcelain() throws {
    try context.fields(["# sea.status v1"])
    try context.fields(["# database", database.databaseID.description, report.contentType])
    try context.fields(["# instance", database.instance.description, report.name])
    try context.fields(["# conflicts", String(report.conflicts)])
    try context.fields([
      "# assets.missing", String(report.missingAssets.count), String(report.missingAssets.bytes),
    ])
    try context.fields(["# quarantined", String(report.quarantine.count + report.held.count)])
    if !report.forks.isEmpty { try context.fields(["# forks", String(report.forks.count)]) }
    for one in report.containers {
      try context.fields([
        "container", one.setting.name, one.state.rawValue, String(one.toPush), "-", context.machine(one.lastSync),
      ])
    }
    try database.conflicts.forEach { conflict in
      try context.fields([
        "conflict", conflict.row.id, conflict.row.type ?? "-", conflict.kind.rawValue, String(conflict.sides.count),
      ])
      return true
    }
  }

  /// - Parameter asked: whether the writer is to be told of.
  func events(_ writer: (text: String, since: Int64)?, asked: Bool) throws {
    try context.object {
      $0.text("event", "status")
      $0.text("database", database.databaseID.description)
      $0.text("contentType", report.contentType)
      $0.text("instance", database.instance.description)
      $0.text("name", report.name)
      $0.integer("conflicts", report.conflicts)
      $0.integer("waiting", report.waiting)
      $0.integer("unsynced", report.unsynced)
      $0.integer("quarantined", report.quarantine.count + report.held.count)
      $0.integer("assets_missing", report.missingAssets.count)
      $0.integer("assets_missing_bytes", report.missingAssets.bytes)
      $0.flag("sealed", report.isSealed)
      $0.flag("members", report.hasMembers)
      $0.text("role", report.role?.rawValue)
      $0.flag("pending", report.isPending)
      $0.integer("withheld", report.withheld.count)
      $0.integer("forks", report.forks.count)
      if let writer { $0.text("writer", writer.text) } else if asked { $0.null("writer") }
    }
    for one in report.containers { try context.object { context.describe(one, in: &$0) } }
    try context.tellHeld(report.held, asEvents: true)
    for problem in report.forks {
      try context.object {
        $0.text("event", "fork")
        $0.text("instance", problem.instance?.description)
        $0.text("branch", problem.chainText)
        $0.integer("index", problem.index ?? 0)
      }
    }
    for row in report.quarantine {
      try context.object {
        $0.text("event", "quarantined")
        $0.text("container", row.container)
        $0.text("instance", row.branch.instance.description)
        if !row.branch.isTrunk { $0.text("branch", row.branch.description) }
        $0.integer("blocks", 1)
        $0.integer("index", row.index)
        $0.text("reason", row.reason)
        $0.text("since", DateStyle.machine(row.since))
      }
    }
  }
}

extension Context {
  /// Blocks that are kept and do not count, in a line.
  func words(of held: Held) -> String {
    let why = held.isRevoked ? "written after it was revoked" : "not authorised: sea instances --pending --fingerprint"
    let name = held.name.isEmpty ? "" : "\(held.name) "
    return "quarantined: \(Count(held.blocks, "block")) of \(name)(\(short(held.instance))), \(why)"
  }

  /// - Parameter asEvents: as part of the result; else as remarks of a command that has done something else.
  func tellHeld(_ all: [Held], asEvents: Bool) throws {
    for held in all {
      if options.json {
        try object {
          $0.text("event", "quarantined")
          $0.text("instance", held.instance.description)
          $0.text("name", held.name)
          $0.integer("blocks", held.blocks)
          $0.integer("index", held.first)
          $0.text("reason", "unauthorised")
        }
      } else if !asEvents, !options.porcelain, !options.quiet {
        try line(shown(words(of: held)))
      }
    }
  }
}
