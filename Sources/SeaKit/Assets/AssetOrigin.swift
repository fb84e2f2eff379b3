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

extension Database {
  /// The attached containers that answer, in the order of the configuration, and those that do not, with why.
  /// - Parameter name: only that one; the one that is asked for by name need not be automatic.
  package func assetOrigins(
    _ name: String? = nil
  ) throws -> (origins: [AssetOrigin], away: [(name: String, error: any Error)]) {
    let settings = try name.map { [try containerSetting($0)] } ?? containerSettings()
    var origins: [AssetOrigin] = []
    var away: [(name: String, error: any Error)] = []
    for setting in settings {
      do { origins.append(AssetOrigin(name: setting.name, source: try open(setting))) } catch {
        guard Database.containerState(for: error) != nil else { throw error }
        away.append((setting.name, error))
      }
    }
    return (origins, away)
  }

  /// The same without containers that are another one of them under a second name.
  package func distinct(_ origins: [AssetOrigin]) throws -> [AssetOrigin] {
    var known: Set<UUID> = []
    return try origins.filter { origin in
      guard let container = origin.source as? Container else { return true }
      return known.insert(try container.info().container).inserted
    }
  }

  /// The containers that have the content, by names and sizes; nothing is read.
  package func holders(of asset: AssetRow, among origins: [AssetOrigin]) throws -> [String] {
    try origins.filter { try there(asset, in: $0.source) != nil }.map(\.name)
  }

  /// Whether an asset is among those that a filter means.
  package func matches(_ asset: AssetRow, _ filter: AssetFilter) throws -> Bool {
    guard !filter.isAll else { return true }
    guard !filter.isNone else { return false }
    let types = filter.types.isEmpty ? [] : try store.types(ofAsset: asset.key).compactMap { $0 }
    return filter.matches(size: asset.size, mime: asset.mime, types: types)
  }

  /// A copy that is not what the records say.
  func problem(_ asset: AssetRow, in name: String, _ state: AssetState) -> Problem {
    Problem(
      .badAsset, place: name, instance: asset.run.instance, index: asset.run.first,
      detail: state.code + (asset.run.count > 1 ? " in \(asset.run)" : ""))
  }
}

extension AssetState {
  /// In one word.
  package var code: String {
    switch self {
    case .good: "good"
    case .missing: "missing"
    case .wrongSize: "size"
    case .wrongDigest: "sha256"
    case .sealed(_, let fault): fault.rawValue
    case .noKey: "no-key"
    case .badReference: "reference"
    }
  }
}
