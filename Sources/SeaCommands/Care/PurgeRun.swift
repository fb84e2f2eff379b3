import SeaCore
import SeaEngine

struct PurgeRun {
  private let session: Session
  private let database: Database
  private var terminal: Terminal { session.terminal }

  init(_ session: Session, _ database: Database) {
    (self.session, self.database) = (session, database)
  }

  // MARK: - Plan

  func plan(_ goal: PurgeGoal, isAsked: Bool) throws -> ExitStatus {
    let plan = try database.purge.plan(goal)
    try report("would-purge", plan) { "would purge \(try words(plan))" }
    try reportObstacles(plan.obstacles, unread: plan.unread)
    guard plan.conflicts.isEmpty else { throw KitError.purgeConflicts(plan.conflicts) }
    guard isAsked || plan.isEmpty else {
      throw CommandError.notConfirmed(given: nil, name: try database.folder.name())
    }
    return plan.obstacles.isEmpty ? .success : .partial
  }

  private func report(
    _ event: String, _ plan: PurgePlan, assets: Int? = nil, _ text: () throws -> String
  ) throws {
    var item = try item(plan)
    if let assets { item.add(["assets": .integer(assets)]) }
    try terminal.report(event, item, text: text)
    terminal.summarize(["revisions": .integer(plan.revisions), "blocks": .integer(plan.orders)])
  }

  private func item(_ plan: PurgePlan) throws -> Item {
    var item: Item = ["id": .id(plan.goal.record)]
    if case .properties(_, let paths, _) = plan.goal { item.add(["paths": .texts(paths.map(\.pointer))]) }
    if case .before(let time) = plan.goal { item.add(["before": .time(time)]) }
    item.add([
      "history_only": .mark(plan.goal.keepsNow), "ends_now": .flag(plan.endsNow), "records": .integer(plan.records),
      "revisions": .integer(plan.revisions), "staying": .integer(plan.staying), "kept": .integer(plan.kept),
      "unread": .integer(plan.unread),
      "blocks": .array(plan.blocks.filter { $0.obstacle == nil }.map { .name($0.row.place) }),
    ])
    return item
  }

  private func words(_ plan: PurgePlan, assets: Int? = nil) throws -> String {
    if plan.isEmpty { return "nothing" }
    var text = "\(Count(plan.revisions, "revision")) "
    switch plan.goal {
    case .record(let id, _): text += "of \(id)"
    case .properties(let id, let paths, _): text += "of \(id) with \(paths.map(\.description).joined(separator: ", "))"
    case .before: text += "of \(Count(plan.records, "record"))"
    }
    text += ", \(Count(plan.orders, "block"))"
    if let assets { text += assets > 0 ? " and \(Count(assets, "asset")) in this store" : " in this store" }
    if plan.kept > 0 { text += "; \(Count(plan.kept, "other revision")) in them kept" }
    if plan.staying > 0 { text += "; \(plan.staying) more cannot be purged" }
    switch plan.goal {
    case .record(_, keepsNow: false) where plan.endsNow: text += "; the record is deleted"
    case .properties where plan.endsNow: text += "; the record continues without it"
    default: break
    }
    return text
  }

  private func reportObstacles(_ blocks: [PurgePlan.Block], unread: Int = 0) throws {
    let names = try database.members.names()
    var groups: [(name: String, obstacle: PurgePlan.Obstacle, first: UInt32, count: Int)] = []
    for block in blocks {
      guard let obstacle = block.obstacle else { continue }
      let name = names[block.row.instance] ?? terminal.short(block.row.instance)
      let item: Item = ["block": .id(block.row.place), "reason": .text(obstacle.rawValue)]
      try terminal.report("stays", item, lines: { [] })
      if let at = groups.firstIndex(where: { $0.obstacle == obstacle && UTF8Text.equal($0.name, name) }) {
        groups[at].count += 1
      } else {
        groups.append((name, obstacle, block.row.index, 1))
      }
    }
    for (name, obstacle, first, count) in groups {
      let what = count == 1 ? "block \(name)/\(first)" : "\(count) blocks of \(name), from \(first)"
      let why =
        switch obstacle {
        case .foreign: "to purge it, run the same command on \(name), its successor or a more senior admin"
        case .control: "it also contains members or keys"
        case .held: "it also contains changes of other records that are not applied yet"
        case .large: "the purge order would be too large for a block"
        }
      try terminal.remark("not purged: \(what): \(why)")
    }
    if unread > 0 {
      terminal.notice("\(Count(unread, "block")) cannot be read here and may contain the data")
    }
  }

  // MARK: - Purge

  func purge(_ goal: PurgeGoal, _ hooks: Hooks?) throws -> ExitStatus {
    if let hooks, hooks.listen(to: .prePurge) {
      try hooks.run(.prePurge, Item(event: "purge", item(database.purge.plan(goal))).line)
    }
    let purged = try database.purge.run(goal)
    let plan = purged.plan
    try report("purged", plan, assets: purged.assets) { "purged \(try words(plan, assets: purged.assets))" }
    try reportObstacles(plan.obstacles, unread: plan.unread)
    try report(elsewhere: purged.elsewhere)
    var status: ExitStatus = plan.obstacles.isEmpty ? .success : .partial
    let report = try database.purge.report(database.containers)
    if try !reportPurge(report, all: false) { status = .partial }
    if plan.orders > 0 {
      terminal.notice("copies under other names, backups and devices that never sync again still have the content")
    }
    return status
  }

  /// Reports asset files that belong to other instances, which must purge the files themselves.
  private func report(elsewhere assets: [AssetExtent]) throws {
    let names = try database.members.names()
    for asset in assets {
      let path = asset.firstPath
      try terminal.report("stays", ["asset": .text(path), "reason": .text("foreign")], lines: { [] })
      let name = names[asset.instance] ?? terminal.short(asset.instance)
      try terminal.remark("not purged: \(path): it also belongs to \(name), which must purge it, too")
    }
  }

  // MARK: - Status

  func status() throws -> ExitStatus {
    try reportPurge(database.purge.report(database.containers), all: true) ? .success : .partial
  }

  /// - Parameter all: whether to also report locations where the purge is complete.
  /// - Returns: whether the purge is complete everywhere.
  private func reportPurge(_ report: PurgeReport, all: Bool) throws -> Bool {
    let isHere = report.isDoneHere
    let isNone = isHere && !report.isOrdered && report.purged == 0
    let store: Item = [
      "state": .text(isNone ? "none" : isHere ? "done" : "left"), "purged": .integer(report.purged),
      "waiting": .integer(report.waiting), "stays": .integer(report.staying.count),
      "assets": .integer(report.assets.count),
      "scrubbed": .flag(!report.mustScrub),
    ]
    if all || !isHere {
      try terminal.report("store", store) {
        if let first = report.assets.first, report.waiting == 0 {
          let why = first.reason.isEmpty ? "; run: sea sync" : ": \(first.reason)"
          return "not yet: this store, \(Count(report.assets.count, "asset")), \(first.place)\(why)"
        }
        if report.waiting > 0 { return "not yet: this store, \(Count(report.waiting, "block")); run: sea sync" }
        if report.mustScrub {
          return "not yet: free pages of this store (in use, or too little disk space); to remove them, run: sea gc"
        }
        if isNone { return "nothing to purge" }
        if !report.staying.isEmpty || report.hasMoreStaying { return "not yet: this store, \(staying(report))" }
        return "done: this store, \(Count(report.purged, "block"))"
      }
      if all { try reportObstacles(report.staying) }
    }
    for one in report.containers where all || one.state != .done {
      let item: Item = [
        "name": .text(one.name), "state": .text(one.state.rawValue), "left": .integer(one.remainders.count),
        "places": .texts(one.remainders.prefix(10).map(\.place)),
        "reason": one.reason.isEmpty ? .absent : .text(one.reason),
      ]
      try terminal.report("container", item, lines: { lines(one) })
    }
    for one in report.instances where all || !one.isDone {
      let item: Item = [
        "instance": .id(one.instance), "name": .text(one.name), "state": .text(one.isDone ? "done" : "unseen"),
        "reason": one.canConfirm ? one.isFollowed ? .text("followed") : .absent : .text("reader"),
      ]
      try terminal.report("instance", item) {
        let name = one.name.isEmpty ? terminal.short(one.instance) : one.name
        if one.isDone { return "done: instance \(name)" }
        if one.isFollowed {
          let which = "\(terminal.short(one.instance)) (\(name))"
          return "not known: instance \(which) has not confirmed; its successor has"
        }
        return one.canConfirm
          ? "not known: instance \(name) has not confirmed; both instances need to sync"
          : "not known: instance \(name) is read-only and cannot confirm"
      }
    }
    terminal.summarize(["everywhere": .flag(report.isDone)])
    return report.isDone
  }
}

extension PurgeRun {
  private func lines(_ one: PurgeReport.Place) -> [String] {
    switch one.state {
    case .done: return ["done: container \(one.name)"]
    case .unseen: return ["not known: container \(one.name), which is \(one.reason)"]
    case .left:
      let due = one.remainders.count { $0.reason.isEmpty }
      let way = one.reason.isEmpty ? "; run: sea sync \(Escape.shellWord(one.name))" : ": it is \(one.reason)"
      var lines = due > 0 ? ["not yet: container \(one.name), \(Count(due, "place"))\(way)"] : []
      for left in one.remainders.filter({ !$0.reason.isEmpty }).prefix(10) {
        lines.append("not yet: container \(one.name), \(left.place): \(left.reason)")
      }
      return lines
    }
  }

  /// Describes the blocks that could not be purged, and says whether they can be purged now.
  private func staying(_ report: PurgeReport) -> String {
    let count = Count(report.staying.count, "block")
    let open = report.staying.count { $0.obstacle == nil }
    if report.hasMoreStaying { return "\(count) and more that could not be purged: repeat the purge" }
    return open > 0
      ? "\(count) that could not be purged, and \(open) of these can be purged now: repeat the purge"
      : "\(count) that could not be purged"
  }
}

extension Database {
  /// - Throws: `notConfirmed` unless `name` is the name of this instance or the id of the database.
  func check(confirmation name: String) throws {
    let own = try folder.name()
    guard UTF8Text.equal(name, own) || UTF8Text.equal(name, databaseID.description) else {
      throw CommandError.notConfirmed(given: name, name: own)
    }
  }
}
