import SeaContainer
import SeaCore
import SeaStore

/// A container that assets may be fetched from.
package struct AssetOrigin {
  /// For people: the name that it is attached under.
  package var name: String
  package var source: AssetSource

  package init(name: String, source: AssetSource) {
    self.name = name
    self.source = source
  }
}

/// What came of fetching one asset.
package enum FetchOutcome: Sendable, Equatable {
  /// It was here already, perhaps in another place.
  case here
  /// It came from these containers, mostly one.
  case fetched(from: [String])
  /// No container that was asked has all of it.
  case missing
  /// Where it was found it is not what the records say; each copy was reported.
  case bad
}

extension AssetCopies {
  /// The containers as places to fetch from, in the order of the configuration.
  package var origins: [AssetOrigin] { containers.map { AssetOrigin(name: $0.name, source: $0.container) } }
}

extension Database {
  /// Whether an asset is among those that a filter means.
  package func matches(_ asset: AssetRow, _ filter: AssetFilter) throws -> Bool {
    guard !filter.isAll else { return true }
    guard !filter.isNone else { return false }
    let types = filter.types.isEmpty ? [] : try store.assets.types(ofAsset: asset.key).compactMap { $0 }
    return filter.matches(size: asset.size, mime: asset.mime, types: types)
  }
}
