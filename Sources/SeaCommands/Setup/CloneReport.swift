import SeaCore
import SeaEngine
import SeaSystem

extension Terminal {
  /// Reports a new instance: its ids, the imported data and any problems.
  /// - Parameter again: the command that creates the instance under another name.
  func report(
    cloned database: Database, _ name: String, _ exchange: SyncResult, assets: Int, again: String
  ) throws -> ExitStatus {
    var problems = exchange.problems
    // For a bundle, this problem has already been reported with the name of the bundle.
    if !problems.contains(where: { $0.code == .withheld }) { problems += try database.members.uncounted.withheld() }
    for problem in problems { try report(problem) }
    let contentType = try database.contentType()
    let records = try database.records.count()
    let conflicts = try database.conflicts.count()
    let missing = try database.assets.countMissing()
    let left = exchange.limit.map { ["  \(exchange.left.words($0)); to continue, run: sea sync"] } ?? []
    try report(
      "cloned",
      [
        "database": .id(database.databaseID), "instance": .id(database.instance), "name": .text(name),
        "content_type": .text(contentType), "dir": .text(database.path),
      ]
    ) {
      [
        "Cloned into \(database.path)", "  database \(short(database.databaseID))  \(contentType)",
        "  instance \(short(database.instance))  \(name)",
        "  \(Count(exchange.pulled, "block")), \(Count(records, "record")), "
          + "\(Count(conflicts, "conflict", zero: "no"))" + (assets > 0 ? ", \(Count(assets, "asset"))" : "")
          + (missing.count > 0
            ? "; \(Count(missing.count, "asset")) (\(SizeText.of(missing.bytes))) not fetched; to get them, run: sea fetch-assets"
            : ""),
      ] + left
    }
    // The log cannot distinguish two instances with the same name, and a name is permanent.
    let isTaken = try database.members.names().contains { $0 != database.instance && UTF8Text.equal($1, name) }
    if isTaken {
      notice(
        "another instance is also called \(shown(name)); to choose another name, delete '\(shown(database.path))' and run: "
          + shown(again))
    }
    summarize([
      "blocks": .integer(exchange.pulled), "records": .integer(records), "conflicts": .integer(conflicts),
      "assets": .integer(assets), "problems": .integer(problems.count),
    ])
    summarize(.left(exchange.left, exchange.limit))
    if exchange.problems.contains(where: { $0.isError }) { return .corrupt }
    let isLacking = problems.count > exchange.problems.count
    return exchange.isIncomplete || isLacking || exchange.limit != nil ? .partial : .success
  }
}

extension CloneCommand {
  static func preview(_ session: Session, _ operand: CloneOperand, _ folder: String) throws -> ExitStatus {
    try Database.Creation.checkPlace(folder)
    let survey = try operand.survey(session.helpers)
    let (count, what) =
      switch operand.source {
      case .container:
        (("blocks", survey.blocks), ": \(Count(survey.blocks, "block")) of \(Count(survey.chains, "instance"))")
      case .bundles(let set): (("bundles", set.bundles.count), " from \(Count(set.bundles.count, "bundle"))")
      }
    try session.terminal.report(
      "would-clone",
      [
        "database": .id(survey.database), "content_type": .text(survey.contentType),
        "dir": .text(Path.join(folder, Location.folderName)), count.0: .integer(count.1),
      ]
    ) {
      "would clone database \(session.terminal.short(survey.database)) (\(survey.contentType)) into \(folder)" + what
    }
    return .success
  }

  static func words(_ operands: [String]) -> String { operands.map { Escape.shellWord($0) }.joined(separator: " ") }
}

extension Restored {
  func report(to terminal: Terminal) {
    let left = terminal.shown(programs.joined(separator: ", "))
    if !left.isEmpty { terminal.notice("settings that run programs were not restored: \(left)") }
    if !hooks.isEmpty {
      terminal.notice(
        "hooks are disabled; to enable one, remove '.disabled' from its name: "
          + terminal.shown(hooks.joined(separator: ", ")))
    }
  }
}
