import SeaEngine
import SeaSystem
import SeaCore

struct StatusLines {
  let session: Session
  let database: Database
  let report: StatusReport
  let hooks: [HookFault]
  let overfull: [SharedSettings.Overfull]

  func text() throws {
    let sealed = report.isSealed ? "  encrypted" : ""
    var lines: [Painted] = [
      "database \(session.terminal.short(database.databaseID))  \(report.contentType)\(sealed)",
      "instance \(session.terminal.short(database.instance))  \(report.name)",
    ]
    if report.isPending {
      let command = "sea authorize \(session.terminal.short(database.instance))"
      lines.append("\("not authorized yet; an admin runs", .problem): \(command)")
    } else if report.hasMembers {
      let role = report.role.map { Painted($0.rawValue) } ?? Painted("none: its changes are ignored", .problem)
      lines.append("role \(role)")
    }
    if report.conflicts > 0 {
      lines.append(Painted("\(Count(report.conflicts, "record")) in conflict", .problem) + ": sea conflicts")
    } else {
      lines.append("no conflicts")
    }
    if report.broken != 0 {
      let what = report.broken.map { Count($0, "broken rule").description } ?? "rules not checked: many records"
      lines.append(Painted(what, .problem) + ": sea check")
    }
    if report.waiting > 0 { lines.append("\(Count(report.waiting, "revision")) waiting for earlier blocks") }
    for one in report.containers {
      let last = one.lastSync.map { "last sync \(session.terminal.text($0))" } ?? "never synced"
      let assets = one.assetsToPush ?? 0
      var toPush = one.toPush > 0 ? "\(one.toPush) to push, " : assets > 0 ? "" : "nothing to push, "
      if assets > 0 { toPush += "\(Count(assets, "asset")) to push, " }
      if one.setting.isReadOnly { toPush = "" }
      if let toPull = one.toPull, toPull > 0 { toPush += "\(toPull) to pull, " }
      let slot: ColorSlot? = one.state.status == .success ? nil : .problem
      lines.append("container \(one.setting.name)  \(one.state.rawValue, slot)  \(toPush)\(last)")
    }
    for one in report.exchanges {
      var parts = [(one.toExport, "block"), (one.assetsToExport, "asset")].filter { $0.0 > 0 }
        .map { "\(Count($0.0, $0.1)) to export" }
      if parts.isEmpty { parts = ["nothing to export"] }
      if let new = one.new { parts.append(new > 0 ? "\(Count(new, "bundle")) to import" : "nothing to import") }
      if one.state == .unavailable || one.state == .failed { parts.append(one.state.rawValue) }
      lines.append(
        "exchange \(one.path)  \(parts.joined(separator: ", ")), last used \(session.terminal.text(one.time))")
    }
    let missing = report.missingAssets
    if missing.count > 0 {
      lines.append("\(Count(missing.count, "asset")) missing, \(SizeText.of(missing.bytes)): sea fetch-assets")
    }
    if report.containers.isEmpty {
      lines.append("no container: sea add-container")
    } else if report.unsynced > 0 {
      lines.append("\(Count(report.unsynced, "block")) of this instance not in any container yet: sea sync")
    }
    lines += problems().map { Painted($0, .problem) }
    lines += AccessRequestReport(terminal: session.terminal, asking: report.asking).lines.map { Painted($0) }
    for line in lines { try session.terminal.painter.wrapped(line) }
  }

  private func problems() -> [String] {
    var lines: [String] = []
    for row in report.quarantine {
      lines.append(
        "quarantined \(row.container): block \(session.terminal.short(row.branch.instance))\(row.branch.tail)/\(row.index) \(row.reason), "
          + "found \(Count(row.syncs, "time")) since \(session.terminal.text(row.since))")
    }
    for one in report.held { lines.append(session.terminal.words(of: one)) }
    for problem in report.unapplied {
      lines.append("\(problem.code.rawValue) \(Failure.words(problem, in: session.terminal))")
    }
    for problem in report.forks { lines.append("fork \(Failure.words(problem, in: session.terminal))") }
    for one in report.left {
      let what = one.isUnseen ? "not fully read" : "blocks of \(Count(one.chains, "chain")) left"
      lines.append("\(one.container): limit reached, \(what); to continue, run: sea sync")
    }
    for problem in report.withheld { lines.append("withheld \(Failure.words(problem, in: session.terminal))") }
    lines += hooks.map(\.words)
    return lines
      + overfull.map {
        "too many shared settings begin with '\($0.group)': \($0.names) names, \(SizeText.of(Int64($0.bytes))); only the first "
          + "\(SharedSettings.Overfull.mostNames) names and \(SizeText.of(Int64(SharedSettings.Overfull.mostBytes))) are used"
      }
  }

  func porcelain() throws {
    let missing = report.missingAssets
    try session.terminal.fields(["# sea.status v1"])
    try session.terminal.fields(["# database", database.databaseID.description, report.contentType])
    try session.terminal.fields(["# instance", database.instance.description, report.name])
    try session.terminal.fields(["# conflicts", String(report.conflicts)])
    try session.terminal.fields(["# assets.missing", String(missing.count), String(missing.bytes)])
    try session.terminal.fields(["# quarantined", String(report.quarantine.count + report.held.count)])
    if !report.asking.all.isEmpty { try session.terminal.fields(["# asking", String(report.asking.all.count)]) }
    let toPush = report.containers.reduce(0) { $0 + ($1.assetsToPush ?? 0) }
    if toPush > 0 { try session.terminal.fields(["# assets.to-push", String(toPush)]) }
    if !report.forks.isEmpty { try session.terminal.fields(["# forks", String(report.forks.count)]) }
    for one in report.exchanges {
      try session.terminal.fields([
        "# exchange", one.path, one.state.rawValue, String(one.toExport), one.new.map { String($0) } ?? "-",
      ])
    }
    let toExport = report.exchanges.reduce(0) { $0 + $1.assetsToExport }
    if toExport > 0 { try session.terminal.fields(["# assets.to-export", String(toExport)]) }
    if report.broken != 0 { try session.terminal.fields(["# broken", report.broken.map { String($0) } ?? "-"]) }
    if !hooks.isEmpty { try session.terminal.fields(["# hooks.unusable", String(hooks.count)]) }
    for one in report.containers {
      try session.terminal.fields([
        "container", one.setting.name, one.state.rawValue, String(one.toPush), one.toPull.map { String($0) } ?? "-",
        one.lastSync.map { DateStyle.machine($0) } ?? "-",
      ])
    }
    try database.conflicts.forEach(inShort: true) { conflict in
      try session.terminal.fields([
        "conflict", conflict.row.id, conflict.row.type ?? "-", conflict.kind.rawValue, String(conflict.sides.count),
      ])
      return true
    }
  }

  func events(_ writer: (text: String, since: Int64)?, asked: Bool) throws {
    let item: Item = [
      "database": .id(database.databaseID), "content_type": .text(report.contentType),
      "instance": .id(database.instance), "name": .text(report.name), "conflicts": .integer(report.conflicts),
      "waiting": .integer(report.waiting), "unsynced": .integer(report.unsynced),
      "quarantined": .integer(report.quarantine.count + report.held.count),
      "assets_missing": .integer(report.missingAssets.count),
      "assets_missing_bytes": .integer(report.missingAssets.bytes), "sealed": .flag(report.isSealed),
      "members": .flag(report.hasMembers), "role": .text(report.role?.rawValue), "pending": .flag(report.isPending),
      "asking": .integer(report.asking.all.count),
      "withheld": .integer(report.withheld.count), "left": .integer(report.left.count),
      "forks": .integer(report.forks.count), "broken": report.broken.map { .integer($0) } ?? .null,
      "writer": asked ? .text(writer?.text).orNull : .absent,
    ]
    try session.terminal.object(Item(event: "status", item))
    for one in report.containers { try session.terminal.object(one.item) }
    for one in report.exchanges { try session.terminal.object(one.item) }
    for one in report.held { try session.terminal.object(one.item) }
    try AccessRequestReport(terminal: session.terminal, asking: report.asking).report()
    for one in report.unapplied { try session.terminal.object(session.terminal.item(one)) }
    for one in report.forks {
      let item: Item = [
        "instance": .id(one.instance), "branch": .text(one.chainText), "index": .integer(one.index ?? 0),
      ]
      try session.terminal.object(Item(event: "fork", item))
    }
    for one in hooks { try session.terminal.object(one.item) }
    for one in overfull {
      let item: Item = [
        "beginning": .text(one.group), "names": .integer(one.names), "bytes": .integer(one.bytes),
        "most": .integer(SharedSettings.Overfull.mostNames), "most_bytes": .integer(SharedSettings.Overfull.mostBytes),
      ]
      try session.terminal.object(Item(event: "settings", item))
    }
    for row in report.quarantine {
      let item: Item = [
        "container": .text(row.container), "instance": .id(row.branch.instance),
        "branch": row.branch.isMainBranch ? .absent : .text(row.branch), "blocks": .integer(1),
        "index": .integer(row.index), "reason": .text(row.reason), "since": .time(row.since),
      ]
      try session.terminal.object(Item(event: "quarantined", item))
    }
  }
}

extension ExchangeStatus {
  fileprivate var item: Item {
    Item(
      event: "exchange",
      [
        "path": .text(path), "state": .text(state.rawValue), "to_export": .integer(toExport),
        "assets_to_export": .integer(assetsToExport), "to_import": .integer(new), "last_used": .time(time),
      ])
  }
}

extension Held {
  var item: Item {
    Item(
      event: "quarantined",
      [
        "instance": .id(instance), "name": .text(name), "blocks": .integer(blocks), "index": .integer(first),
        "reason": .text("unauthorized"),
      ])
  }
}

extension Terminal {
  func words(of held: Held) -> String {
    let blocks = Count(held.blocks, "block")
    if held.isReader, held.isOwn {
      return "not applied: \(blocks) of this instance, which is read-only; an admin can grant write access"
    }
    let name = held.name.isEmpty ? "" : "\(held.name) "
    let who = "\(blocks) of \(name)(\(short(held.instance)))"
    if held.isHeldBack {
      return "not applied: \(who): a block that needs a newer version of sea may affect it"
    }
    if held.isReader {
      return "not applied: \(who), which is read-only; to let it write, run: sea authorize \(short(held.instance))"
    }
    let why =
      held.isRevoked
      ? "revoked: after its revocation point" : "not authorized; see: sea instances --pending --fingerprint"
    return "quarantined: \(who), \(why)"
  }

  func remark(_ all: [Held]) throws {
    if options.quiet { return }
    for held in all { try show(held.item, wraps: true) { [words(of: held)] } }
  }
}
