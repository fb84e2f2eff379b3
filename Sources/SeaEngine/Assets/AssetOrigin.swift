import SeaContainer
import SeaCore
import SeaStore

package struct AssetOrigin {
  package var name: String
  package var source: AssetSource
  /// Whether the source is an attached container. Other sources may have the same name as a container.
  package var isAttached: Bool

  package init(name: String, source: AssetSource, isAttached: Bool = true) {
    self.name = name
    self.source = source
    self.isAttached = isAttached
  }
}

/// The attached containers that are available, in the order of the settings. A container with several names is listed
/// once.
package struct AssetCopies {
  package var origins: [AssetOrigin] = []
  package var unavailable: [(name: String, error: any Error)] = []
}
