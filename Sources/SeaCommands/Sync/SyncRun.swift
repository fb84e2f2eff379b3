import SeaCore
import SeaEngine

protocol ExchangeCommand: Command {
  static var direction: Direction { get }
}

extension ExchangeCommand {
  package static var stopsWell: Bool { true }
  package static var synopsis: [String] {
    [
      "[-n] [--assets=FILTER] [--fail-on-conflict] [--full] [--no-merge] \(Option.limitForms) "
        + "[CONTAINER]..."
    ]
  }
  package static var options: [Option] {
    [.assets, SyncRun.failOnConflict, SyncRun.full, SyncRun.noMerge] + Option.limits + [.dryRun]
  }
  package static var operands: [Operand] { [.any("CONTAINER", .container)] }
  package static var exits: [Exit] { SyncRun.exits }

  package static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    try arguments.limit(session)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    let settings = try database.containers.select(arguments.operands, for: direction)
    if settings.isEmpty {
      session.terminal.notice("there is no container to \(name) with; see: sea add-container -h")
    }
    var run = SyncRun(
      session: session, database: database, direction: direction, isDry: isDry, merges: !arguments.has(SyncRun.noMerge),
      assets: try arguments.assetRule(), isFull: arguments.has(SyncRun.full),
      hooks: isDry ? nil : try Hooks(session, database, self))
    try run.exchange(with: settings)
    let status = try run.finish(failOnConflict: arguments.has(SyncRun.failOnConflict))
    if !isDry { try ConflictHook.run(run.total.conflicts, database, session, self) }
    return status
  }
}

struct SyncRun {
  static let failOnConflict = Option(
    "fail-on-conflict", help: "exit with status 3 if any record is in conflict afterwards")
  static let full = Option("full", help: "verify all content of the containers, and repair what is damaged")
  static let noMerge = Option("no-merge", help: "do not merge automatically")
  static var exits: [Exit] {
    [
      Exit(.conflict, "records are in conflict, with --fail-on-conflict"),
      Exit(.notFound, "no container of that name; nothing was done"),
      Exit(.corrupt, "damaged data was found; good data is unchanged"),
      Exit(.partial, "a container is unavailable, a conflict too large, a limit reached, or data missing"),
      Exit(.unreachable, "all containers are unavailable"),
      Exit(.incompatible, "a container has another database or content type"),
      Exit(.refused, "a hook refused a container, or a merge program failed; the conflict remains"),
    ]
  }

  let session: Session
  let database: Database
  let direction: Direction
  let isDry: Bool
  let merges: Bool
  let assets: AssetFilter?
  let isFull: Bool
  let hooks: Hooks?
  fileprivate var status = ExitStatus.success
  fileprivate var total = SyncResult()
  fileprivate var done = 0
  fileprivate var unavailable = 0

  fileprivate mutating func exchange(with settings: [ContainerSetting]) throws {
    if isDry {
      let plans = database.containers.plans(settings, pulls: direction != .push)
      for (setting, plan) in zip(settings, plans) {
        try report(
          setting, SyncOutcome(catching: { try result(plan.get(), database.exchange.probe(at: setting), setting) }))
      }
      return
    }
    var run = self
    try database.exchange.sync(
      settings, SyncOptions(direction, merges: merges, assets: assets, isFull: isFull),
      begin: { try run.hooks?.call(.preSync, run.intention($0)) }, end: { try run.report($0, $1) })
    self = run
  }

  private func result(_ plan: ExchangePlan, _ look: ContainerLook, _ setting: ContainerSetting) throws -> SyncResult {
    let pushes = direction != .pull && !setting.isReadOnly
    var result = SyncResult(
      pulled: plan.pull.blocks, pushed: pushes ? plan.push.blocks + look.lostBlocks(besides: plan.push) : 0,
      assetsPushed: pushes ? try database.exchange.countAssetsToPush(setting, assets) + look.lostAssets : 0)
    if pushes {
      (result.healed, result.assetsHealed, result.slotsHealed) = (look.lostBlocks, look.lostAssets, look.lostSlots)
    }
    let told = pushes ? look.problems.filter { $0.code == .incomplete || $0.code == .crowded } : nil
    result.problems = told ?? look.oneWayProblems(of: setting.name)
    return result
  }

  private mutating func report(_ setting: ContainerSetting, _ outcome: SyncOutcome) throws {
    let exchange = outcome.result
    if let refusal = outcome.failure as? HookRefusal {
      let failure = Failure.describing(refusal)
      status = status.and(failure.status)
      failure.report(to: session.terminal)
      return try report(setting, "refused", item(setting, "refused", error: failure.slug))
    }
    if let error = outcome.failure {
      // An error of one container does not affect the other containers, but an error of the database does.
      guard let state = Containers.state(for: error) else { throw error }
      let failure = Failure.describing(error)
      if state == .unavailable {
        unavailable += 1
        session.terminal.warn(failure)
      } else {
        status = status.and(failure.status)
        failure.report(to: session.terminal)
      }
      for problem in exchange.mended.prefix(20) + exchange.problems { try session.terminal.report(problem) }
      let moved = exchange.isNothing ? "" : ", \(words(exchange))"
      try end(setting, state.rawValue, exchange, words: state.rawValue + moved, error: failure.slug)
      return total.add(exchange)
    }
    for problem in exchange.mended.prefix(20) + exchange.problems { try session.terminal.report(problem) }
    if exchange.problems.contains(where: { $0.isError }) { status = status.and(.corrupt) }
    if exchange.problems.contains(where: { [.notPurged, .noKey, .tooMuchWork].contains($0.code) }) {
      status = status.and(.partial)
    }
    if exchange.isIncomplete || exchange.limit != nil { status = status.and(.partial) }
    let failures = exchange.unreadable.map { Failure.describing($0) }
    for failure in failures {
      status = status.and(failure.status)
      failure.report(to: session.terminal)
    }
    let found = exchange.state(of: setting.name)
    let state = found == .ok && setting.isReadOnly ? ContainerCondition.readOnly : found
    try end(setting, state.rawValue, exchange, words: words(exchange), error: failures.first?.slug)
    total.add(exchange)
    done += 1
  }

  private func intention(_ setting: ContainerSetting) -> Item {
    Item(
      event: "sync",
      [
        "name": .text(setting.name), "location": .text(setting.shownLocation), "pull": .flag(direction != .push),
        "push": .flag(direction != .pull && !setting.isReadOnly),
      ])
  }

  private func item(
    _ setting: ContainerSetting, _ state: String, _ exchange: SyncResult = SyncResult(), error: String? = nil
  ) throws -> Item {
    var item: Item = [
      "name": .text(setting.name), "state": .text(state), "pulled": .integer(exchange.pulled),
      "pushed": .integer(exchange.pushed), "healed": .integer(exchange.healed), "emptied": .integer(exchange.emptied),
      "assets": .integer(exchange.assets),
      "error": .text(error),
      "merged": .integer(exchange.merged.count),
      "conflicts": .integer(try database.conflicts.count(among: exchange.conflicts)),
    ]
    item.add(.left(exchange.left, exchange.limit))
    return item
  }

  private func end(
    _ setting: ContainerSetting, _ state: String, _ exchange: SyncResult = SyncResult(), words: String, error: String?
  ) throws {
    let item = try item(setting, state, exchange, error: error)
    try report(setting, words, item)
    try hooks?.call(.postSync, Item(event: "container", item))
  }

  private func report(_ setting: ContainerSetting, _ words: String, _ item: Item) throws {
    let frozen = ["name", "state", "pulled", "pushed", "assets", "merged", "conflicts"]
    try session.terminal.report("container", item, frozen: frozen) { "\(setting.name): \(words)" }
  }

  private func words(_ exchange: SyncResult) -> String {
    var parts: [String] = []
    if direction != .push { parts.append("pulled \(exchange.pulled)") }
    if direction != .pull { parts.append("pushed \(exchange.pushed)") }
    if exchange.healed > 0 { parts.append("\(Count(exchange.healed, "lost block")) restored") }
    if exchange.emptied > 0 { parts.append("\(exchange.emptied) purged there") }
    if exchange.assetsHealed > 0 { parts.append("\(Count(exchange.assetsHealed, "lost asset")) restored") }
    if exchange.slotsHealed > 0 { parts.append("\(Count(exchange.slotsHealed, "lost key slot")) restored") }
    if exchange.assets > 0 { parts.append(Count(exchange.assets, "asset").description) }
    if let limit = exchange.limit { parts.append(exchange.left.words(limit, hasBegun: !exchange.isNothing)) }
    return (isDry ? "would have " : "") + parts.joined(separator: ", ")
  }

  fileprivate mutating func finish(failOnConflict: Bool) throws -> ExitStatus {
    try MergedLines(session, database).report(total.merged)
    try ConflictLines(session, database).report(total.conflicts, in: database)
    // Blocks that were not transferred because of a limit are not withheld.
    if direction != .push, !isDry, total.limit == nil {
      for problem in try database.members.uncounted.withheld() {
        try session.terminal.report(problem)
        status = status.and(.partial)
      }
    }
    if !isDry {
      try session.terminal.remark(database.members.uncounted.pendingBlocksToReport())
      try WaitingNotice(session, database).report()
    }
    if let revoker = try database.members.revoker() {
      let name = try database.members.names()[revoker] ?? session.terminal.short(revoker)
      session.terminal.warning(
        "revoked", "\(name) has revoked this instance: its changes are ignored",
        hint:
          "to regain access, ask an admin to run: sea authorize \(session.terminal.short(database.instance)); "
          + "if \(name) was stolen, see: sea help encryption"
      )
    }
    if unavailable > 0 { status = status.and(done > 0 || status != .success ? .partial : .unreachable) }
    session.terminal.summarize([
      "containers": .integer(done), "unavailable": .integer(unavailable), "pulled": .integer(total.pulled),
      "pushed": .integer(total.pushed), "healed": .integer(total.healed), "emptied": .integer(total.emptied),
      "assets": .integer(total.assets),
    ])
    session.terminal.summarize(.left(total.left, total.limit))
    return try session.sumUp(total, in: database, status, failOnConflict: failOnConflict)
  }
}

extension Session {
  func sumUp(
    _ total: SyncResult, in database: Database, _ status: ExitStatus, failOnConflict: Bool
  ) throws -> ExitStatus {
    let conflicts = try database.conflicts.count()
    terminal.summarize([
      "records": .integer(total.records), "merged": .integer(total.merged.count),
      "new_conflicts": .integer(try database.conflicts.count(among: total.conflicts)), "conflicts": .integer(conflicts),
      "problems": .integer(total.problems.count),
    ])
    var status = status
    if programFailures > 0 { status = status.and(.refused) }
    if failOnConflict, conflicts > 0 {
      terminal.warning(
        "conflict", "\(Count(conflicts, "record")) in conflict (exit status \(status.and(.conflict).rawValue))",
        hint: "to list conflicts, run: sea conflicts")
      status = status.and(.conflict)
    }
    return status
  }
}
