import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

struct ContainerSync {
  let exchange: Exchange
  let setting: ContainerSetting
  let options: SyncOptions
  private var container: Container?
  private var rule = AssetRule.standard
  private var hints: SummaryCheck?
  private var slots: [Digest] = []
  var result = SyncResult()
  private(set) var failure: (any Error)?
  /// The duration of the completed parts, and the start of the current part, in monotonic nanoseconds. The time of other
  /// containers in the same sync does not count.
  private var (spent, resumed) = (Int64(0), Int64(0))

  init(_ exchange: Exchange, _ setting: ContainerSetting, _ options: SyncOptions) {
    self.exchange = exchange
    self.setting = setting
    self.options = options
  }

  mutating func attempt(_ part: Direction, _ body: (inout ContainerSync) throws -> Void) {
    guard failure == nil else { return }
    let start = Trace.start()
    resumed = Clock.monotonic()
    defer { spent += Clock.monotonic() - resumed }
    do {
      do { try body(&self) } catch ContainerError.helper(.late, _) { try endAfterTimeout() }
    } catch { failure = error }
    Trace.record(
      "exchange", since: start,
      [
        ("container", .text(setting.name)), ("location", .text(setting.shownLocation)), ("part", .text("\(part)")),
        ("outcome", .text(failure == nil ? "ok" : "failed")), ("pulled", .number(result.pulled)),
        ("pushed", .number(result.pushed)), ("assets", .number(result.assets)),
      ])
  }

  /// Throws the failure if the container was already open and is not the cause.
  func throwLocalFailure() throws {
    if let failure, container != nil, Containers.state(for: failure) == nil { throw failure }
  }

  /// Stores the container's condition after a failure, unless the container is just unavailable.
  func keepFailure() throws {
    guard let failure, let condition = Containers.state(for: failure), condition != .unavailable else { return }
    try remember { $0.condition = condition.rawValue }
  }

  mutating func pull() throws {
    if let allowance, allowance.isExhausted, allowance.hasMoved || allowance.reached == .interrupt {
      result.limit = allowance.reached
      if options.direction != .push { try remember { $0.left = .unseen } }
      return
    }
    rule = try AssetRule(options.assets ?? setting.assetFilter(), looksAtAll: options.assets != nil)
    var isRestored = false
    var listed: [String: HintEntry]?
    container = try exchange.containers.open(
      setting, heals: true, hints: options.direction == .push ? nil : { listed = $0 }
    ) { isRestored = true }
    if isRestored { result.mended.append(Problem(.mended, place: setting.name, branch: nil, detail: "info.json")) }
    guard let container else { return }
    let hints = try SummaryCheck(exchange, container, setting, listed, options)
    self.hints = hints
    guard options.direction != .push else { return }
    if hints.isQuiet { return try remember { $0.left = nil } }
    try exchange.unlockForSync()
    if try follow() { return try remember { $0.left = nil } }
    try exchange.importBlocks(from: container, named: setting.name, into: &result)
    if options.direction == .pull || setting.isReadOnly, result.limit == nil {
      try exchange.importStrays(from: container, named: setting.name, into: &result)
    }
    if result.limit == nil { try remember { $0.left = nil } }
  }

  /// Imports only the blocks that summary files announce.
  /// - Returns: false if a full check is needed.
  private mutating func follow() throws -> Bool {
    guard let news = hints?.news, let container else { return false }
    let folder = exchange.folder
    guard options.direction == .both, !setting.isReadOnly, rule.fetches.isNone, allowance?.isLimited != true,
      try exchange.store.blocks.unauthorizedPurges().isEmpty
    else {
      hints?.giveUp()
      return false
    }
    slots = try exchange.store.control.slots().map(\.digest)
    try container.narrow(to: news, folder.isSealed() || folder.hasMembers ? [.keys, .requests] : [])
    try exchange.importBlocks(from: container, named: setting.name, into: &result)
    let isWell =
      result.unreadable.isEmpty && result.limit == nil && !result.problems.contains { $0.place == setting.name }
    if try isWell && hints?.haveHeadsArrived() == true { return true }
    hints?.giveUp()
    container.forget()
    return false
  }

  private func lacksNothing() throws -> Bool {
    let (store, name) = (exchange.store, setting.name)
    return try exchange.containers.toPush(name) == 0 && exchange.countAssetsToPush(setting, options.assets) == 0
      && store.control.slots().map(\.digest) == slots && !PurgeMemory.owes(exchange.folder, name)
  }

  private var allowance: Allowance? { exchange.settings.allowance }

  /// Ends the exchange because the container did not answer within the time limit. Completed transfers are kept.
  private mutating func endAfterTimeout() throws {
    if options.direction != .push { try remember { $0.left = .unseen } }
    (container, hints, result.limit) = (nil, nil, .time)
    try countLeft()
  }

  private mutating func recordLeft() throws {
    guard let allowance, let limit = allowance.reached else { return }
    try countLeft()
    if !result.left.isNothing { result.limit = limit }
  }

  private mutating func countLeft() throws {
    if options.direction != .pull, !setting.isReadOnly {
      result.left.push = try exchange.containers.toPush(setting.name)
      result.left.assets += try exchange.countAssetsToPush(setting, options.assets)
    }
  }

  /// Writes blocks and assets to the container, deletes purged content, and stores the outcome.
  mutating func push() throws {
    guard let container, var hints else { return result.limit == .time ? () : try recordLeft() }
    if hints.isQuiet, try SummaryCheck.state(exchange.store, handedTo: setting) == hints.state {
      return try finish(.ok, &hints, looked: false, state: hints.state)
    }
    let state = try SummaryCheck.state(exchange.store, handedTo: setting)
    if hints.news != nil {
      if try lacksNothing() {
        return try finish(.ok, &hints, looked: true, state: state)
      }
      container.forget()
    }
    let known = try SmallNames(container)
    if options.direction != .pull, !setting.isReadOnly, allowance?.isExhausted != true {
      let mark = try exchange.folder.mark(ofWritingTo: setting.name)
      if mark.wasInterrupted { try container.makeDurable(deep: true) }
      try giveSlots(to: container)
      _ = try exchange.author.offerRequest(to: container)
      try exchange.push(to: container, named: setting.name, isFull: options.isFull, into: &result)
      try exchange.pushAssets(to: container, named: setting.name, rule, isFull: options.isFull, into: &result)
      try purge(from: container)
      let hasChanged = try mark.wasInterrupted || result.hasChanged || known?.haveChanged(in: container) ?? true
      try hints.write(exchange.keychain.identity(), hasChanged: hasChanged, result.written)
      if result.assetsPushed > 0, let written = try hints.timeOfWriting(exchange.folder.instance) {
        try AssetTurn.settle(exchange.folder, setting.name, changed: written)
      }
      mark.end()
    }
    if options.direction != .push {
      try exchange.fetchAssets(from: container, named: setting.name, rule.fetches, into: &result)
    }
    try recordLeft()
    if result.limit != nil { return }
    if options.direction != .both || setting.isReadOnly {
      try addMissingProblems(exchange.probe(at: setting, container))
    }
    let isWell =
      options.direction == .both && result.unreadable.isEmpty
      && !result.problems.contains { $0.place == setting.name }
    try finish(result.state(of: setting.name), &hints, looked: isWell && !hints.isQuiet, state: state)
  }

  /// Deletes purged content from the container. Purged assets are kept as long as blocks that are still missing might
  /// reference them.
  private mutating func purge(from container: Container) throws {
    guard try exchange.store.purged.hasAny() else { return }
    let mayName =
      options.direction != .both || result.limit != nil || !result.unreadable.isEmpty
      || result.problems.contains { $0.place == setting.name && $0.mayHideBlocks }
    let purged = try ContainerPurge.run(exchange.assets, container, named: setting.name, mayName: mayName)
    result.emptied += purged.emptied
    result.problems += purged.problems
  }

  private func finish(_ condition: ContainerCondition, _ hints: inout SummaryCheck, looked: Bool, state: Digest) throws
  {
    let remembered = try hints.finish(looked: looked, state: state)
    let now = exchange.settings.clock()
    let took = (spent + Clock.monotonic() - resumed) / 1_000_000
    try remember {
      ($0.lastSync, $0.took, $0.condition, $0.hints) = (now, took, condition.rawValue, remembered)
    }
  }

  private func remember(_ change: (inout ContainerState) -> Void) throws {
    try exchange.folder.remember(of: setting.name, change)
  }

  private mutating func giveSlots(to container: Container) throws {
    let (exchange, name, takes) = (exchange, setting.name, options.direction != .push)
    let slots = try exchange.keychain.slots.exportKeySlots(to: container, named: name) {
      try !takes && exchange.containers.missing(from: ContainerPlace(container, named: name)).blocks > 0
    }
    result.slotsHealed = slots.healed.count
    func slotProblems(_ code: Problem.Code, _ names: [String]) -> [Problem] {
      names.map { Problem(code, place: name, branch: nil, detail: "keys/\($0)") }
    }
    result.mended += slotProblems(.mended, slots.healed)
    result.problems += slotProblems(.incomplete, slots.awaited)
    result.problems += slots.undeletable.map { one in
      let path = SmallFolder.keys.path(of: one.name)
      return one.isInTheWay
        ? Problem(.inTheWay, place: name, detail: "\(path): \(one.reason)")
        : Problem(immovable: path, one.reason, place: name)
    }
    if slots.crowd > 0 { result.problems.append(Problem(crowded: slots.crowd, place: name)) }
    result.problems += slots.perhapsEnded.map { Problem(possiblyInvalidatedSlot: "keys/\($0)", place: name) }
  }

  /// Adds the problems that a separate check has found, because a sync in only one direction does not notice every
  /// missing block.
  private mutating func addMissingProblems(_ look: ContainerLook) throws {
    let reported = Set(result.problems.compactMap { $0.place == setting.name ? $0.branch : nil })
    result.problems += look.oneWayProblems(of: setting.name).filter { problem in
      problem.branch.map { !reported.contains($0) } ?? !result.problems.contains(problem)
    }
    guard options.direction == .push else { return }
    for row in try exchange.store.peers.quarantine()
    where row.container == setting.name && !reported.contains(row.branch) {
      result.problems.append(
        Problem(
          Problem.Code(rawValue: row.reason) ?? .badPayload, place: row.container, branch: row.branch, index: row.index)
      )
    }
  }
}
