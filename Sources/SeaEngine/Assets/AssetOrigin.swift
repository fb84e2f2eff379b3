import SeaContainer
import SeaCore
import SeaStore

/// A source that assets may be fetched from.
package struct AssetOrigin {
  /// The name to show to users.
  package var name: String
  package var source: AssetSource
  /// Whether it is an attached container. Another source may have the name of one.
  package var isAttached: Bool

  package init(name: String, source: AssetSource, isAttached: Bool = true) {
    self.name = name
    self.source = source
    self.isAttached = isAttached
  }
}

/// The attached containers that are available now, in the order of the configuration. One with several names appears
/// once.
package struct AssetCopies {
  package var origins: [AssetOrigin] = []
  /// The unavailable containers, and the reasons.
  package var away: [(name: String, error: any Error)] = []
}
