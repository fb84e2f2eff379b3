import SeaSystem

package struct ContainerSetting: Sendable, Equatable {
  package var name: String
  /// An absolute path or a remote location.
  package var location: String
  /// Whether `sync`, `pull` and `push` use the container if no container name is given.
  package var isAutomatic = true
  package var isReadOnly = false
  /// The assets to transfer, as the text of an `AssetFilter`. Nil means to send all local assets and fetch none.
  package var assets: String?

  package init(name: String, location: String) {
    self.name = name
    self.location = location
  }

  /// The location for display, without a password that a user may have written into the settings.
  package var shownLocation: String { TraceLine.withoutPassword(location) }

  /// - Throws: `badAssetFilter`.
  func assetFilter() throws -> AssetFilter? {
    guard let assets else { return nil }
    guard let filter = AssetFilter(assets) else { throw KitError.badAssetFilter(container: name, assets) }
    return filter
  }
}

package enum Direction: Sendable {
  case pull, push, both
}
