import SeaContainer
import SeaCore
import SeaStore

/// Which assets go along when blocks are exchanged.
package struct AssetRule: Sendable, Equatable {
  /// What is fetched from the container.
  package var fetches: AssetFilter
  /// What is handed over of that which is here.
  package var hands: AssetFilter
  /// Whether the container is asked for everything again that it was given before.
  package var looksAtAll = false

  /// Hands over what is here and fetches nothing.
  package static let standard = AssetRule(fetches: .none, hands: .all)

  /// A filter that was given limits both ways.
  package init(_ filter: AssetFilter?, looksAtAll: Bool = false) {
    self.init(fetches: filter ?? .none, hands: filter ?? .all)
    self.looksAtAll = looksAtAll && filter != nil
  }

  private init(fetches: AssetFilter, hands: AssetFilter) {
    self.fetches = fetches
    self.hands = hands
  }
}

extension Database {
  /// Fetches what a container has of the assets that are not here.
  func fetchAssets(
    from container: Container, named name: String, _ filter: AssetFilter, into exchange: inout Exchange
  ) throws {
    guard !filter.isNone else { return }
    let origin = AssetOrigin(name: name, source: container)
    var problems: [Problem] = []
    try forEachAsset { asset in
      guard try isPlausible(asset), try matches(asset, filter), try here(asset) == nil else { return }
      guard case .fetched = try fetch(asset, from: [origin], { problems.append($0) }) else { return }
      exchange.assetsPulled += 1
    }
    exchange.problems += problems
  }

  /// Hands over to a container what is here and what it lacks.
  package func handAssets(
    to container: Container, named name: String, _ rule: AssetRule, into exchange: inout Exchange
  ) throws {
    var hand = AssetHand(self, container, name, rule.hands, looksAtAll: rule.looksAtAll)
    defer {
      exchange.assetsPushed += hand.handed
      exchange.problems += hand.problems
    }
    try hand.run()
  }

  /// How many files came here since a container was given all that the rule lets it have.
  package func assetsToHand(_ setting: ContainerSetting, _ filter: AssetFilter? = nil) throws -> Int {
    try assetsToHand(to: setting.name, AssetRule(filter ?? setting.assetFilter()))
  }

  private func assetsToHand(to name: String, _ rule: AssetRule = .standard) throws -> Int {
    guard !rule.hands.isNone else { return 0 }
    var last = try store.assets.handed(to: name, rule: rule.hands.isAll ? "" : rule.hands.description)
    var count = 0
    while true {
      let rows = try store.assets.stored(after: last)
      guard let end = rows.last else { return count }
      last = end.sequence
      for row in rows {
        let named = try rule.hands.isAll || store.assets.assets(at: row.place).contains { try matches($0, rule.hands) }
        if try named && assetFolder.assetSize(row.place) == row.size { count += 1 }
      }
    }
  }
}
