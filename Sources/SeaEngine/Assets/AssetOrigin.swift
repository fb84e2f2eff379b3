import SeaContainer
import SeaCore
import SeaStore

/// A container that assets may be fetched from.
package struct AssetOrigin {
  /// For people: the name that it is attached under.
  package var name: String
  package var source: AssetSource
  /// Whether it is an attached container; otherwise its name may be that of one all the same.
  package var isAttached: Bool

  package init(name: String, source: AssetSource, isAttached: Bool = true) {
    self.name = name
    self.source = source
    self.isAttached = isAttached
  }
}

/// The attached containers that can be looked into now, each once however many names it has, in the order of the
/// configuration.
package struct AssetCopies {
  package var origins: [AssetOrigin] = []
  /// Those that cannot, and why.
  package var away: [(name: String, error: any Error)] = []
}
