import SeaSystem

/// A container as configured in `.sea/config`.
package struct ContainerSetting: Sendable, Equatable {
  package var name: String
  /// An absolute path, or a remote location.
  package var location: String
  /// Whether `sync`, `pull` and `push` without a name include it.
  package var isAutomatic = true
  package var isReadOnly = false
  /// The assets to transfer, as text of an `AssetFilter`. Nil hands over all local assets and fetches nothing.
  package var assets: String?

  package init(name: String, location: String) {
    self.name = name
    self.location = location
  }

  /// The location for display. A user may have written a password into the settings.
  package var shownLocation: String { TraceLine.withoutPassword(location) }

  /// - Throws: `badAssetFilter`.
  func assetFilter() throws -> AssetFilter? {
    guard let assets else { return nil }
    guard let filter = AssetFilter(assets) else { throw KitError.badAssetFilter(container: name, assets) }
    return filter
  }
}

/// The direction of an exchange.
package enum Direction: Sendable {
  case pull, push, both
}
