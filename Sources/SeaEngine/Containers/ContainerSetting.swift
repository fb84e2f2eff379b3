import SeaSystem

/// A container as `.sea/config` names it.
package struct ContainerSetting: Sendable, Equatable {
  package var name: String
  /// An absolute path.
  package var location: String
  /// Whether `sync`, `pull` and `push` without a name include it.
  package var isAutomatic = true
  package var isReadOnly = false
  /// Which assets go along, as `AssetFilter` reads it; nil: what is here is handed over, nothing is fetched.
  package var assets: String?

  package init(name: String, location: String) {
    self.name = name
    self.location = location
  }

  /// The location as it is told. Somebody may have written a password into the settings by hand.
  package var shownLocation: String { TraceLine.withoutPassword(location) }

  /// - Throws: `badAssetFilter`.
  func assetFilter() throws -> AssetFilter? {
    guard let assets else { return nil }
    guard let filter = AssetFilter(assets) else { throw KitError.badAssetFilter(container: name, assets) }
    return filter
  }
}

/// Which way blocks go.
package enum Direction: Sendable {
  case pull, push, both
}
