import SeaContainer
import SeaCore
import SeaStore

// What assets need of the containers that are attached.

extension Exchange {
  /// The attached containers that can be looked into now.
  /// - Parameter only: none but the container of that name.
  /// - Throws: what is wrong with the database itself, and `containerNotFound`.
  package func assetCopies(only setting: ContainerSetting? = nil) throws -> AssetCopies {
    var copies = AssetCopies()
    var known: Set<UUID> = []
    for setting in try setting.map({ [$0] }) ?? containers.settings() {
      do {
        let container = try containers.open(setting)
        if known.insert(try container.info().container).inserted {
          copies.origins.append(AssetOrigin(name: setting.name, source: container))
        }
      } catch {
        guard Containers.state(for: error) != nil else { throw error }
        copies.away.append((setting.name, error))
      }
    }
    return copies
  }

  /// How many contents that any revision names are in the container, and neither here nor in another one that can be
  /// looked into.
  package func countAssets(onlyIn setting: ContainerSetting) throws -> Int {
    let container = try containers.open(setting)
    let id = try container.info().container
    let others = try containers.settings().compactMap { try? containers.open($0) }.filter {
      try $0.info().container != id
    }
    return try assets.count(onlyIn: container, besides: others)
  }

  /// Fetches what a container has of the assets that are not here. What is wanted and is not there is told.
  func fetchAssets(
    from container: Container, named name: String, _ filter: AssetFilter, into exchange: inout SyncResult
  ) throws {
    guard !filter.isNone else { return }
    try assets.finishTaking()
    let origin = AssetOrigin(name: name, source: container)
    var problems: [Problem] = []
    var (lacking, first) = (0, AssetRow?.none)
    var latest: Int64 = 0
    var ahead = AssetsAhead<AssetRow>(from: [container], isLimited: settings.allowance?.isLimited ?? false)
    func fetch(_ asset: AssetRow) throws {
      guard settings.allowance?.takes(asset.size) ?? true else {
        exchange.left.assets += 1
        return
      }
      let outcome: FetchOutcome
      do { outcome = try assets.fetch(asset, from: [origin], { problems.append($0) }) } catch is Allowance.Reached {
        exchange.left.assets += 1
        return
      }
      switch outcome {
      case .fetched:
        exchange.assetsPulled += 1
        for place in asset.extent.places {
          if case .file(_, let changed) = try container.assetEntry(place) { latest = max(latest, changed) }
        }
      case .missing:
        lacking += 1
        first = first ?? asset
      default: break
      }
    }
    try assets.forEach { asset in
      guard assets.isPlausible(asset), try assets.matches(asset, filter), try assets.here(asset) == nil else {
        return
      }
      try ahead.add(asset, asset.extent.places, fetch)
    }
    try ahead.finish(fetch)
    exchange.problems += problems
    if container.isFar, try store.assets.handed(to: name)?.sequence == store.assets.lastStored() {
      // All that is here was just seen whole there.
      try AssetTurn.settle(store, name, now: settings.clock(), changed: latest)
    }
    guard let first else { return }
    var problem = Problem(
      .incomplete, first, place: name, detail: lacking == 1 ? "" : "nor \(lacking - 1) more that are wanted")
    problem.isOfAsset = true
    exchange.problems.append(problem)
  }

  /// Hands over to a container what is here and what it lacks, and takes away what was left in the making there.
  package func handAssets(
    to container: Container, named name: String, _ rule: AssetRule, isFull: Bool = false,
    into exchange: inout SyncResult
  ) throws {
    var push = try AssetPush(assets, to: container, named: name, rule, isFull: isFull)
    defer {
      exchange.assetsPushed += push.pushed + push.healed
      exchange.assetsHealed += push.healed
      exchange.problems += push.problems
      // The folder is there now.
      if push.pushed + push.healed > 0 {
        exchange.problems.removeAll { $0.place == name && $0.branch == nil && $0.detail == Layout.assets }
      }
    }
    try push.run()
    if push.isCut { return }
    // What this instance has begun there it has gone on with by now.
    try container.removeOldTemporaries()
  }

  /// How many files came here since a container was given all that the rule lets it have.
  package func assetsToHand(_ setting: ContainerSetting, _ filter: AssetFilter? = nil) throws -> Int {
    try assets.count(toPushTo: setting.name, AssetRule(filter ?? setting.assetFilter()))
  }
}
