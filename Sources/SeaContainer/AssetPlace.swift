import SeaCore

/// Where an asset file lies: the instance that put it there, and its number there.
package struct AssetPlace: Hashable, Comparable, Sendable {
  package let instance: UUID
  package let index: UInt32

  package init(instance: UUID, index: UInt32) {
    self.instance = instance
    self.index = index
  }

  /// The path from the container's top.
  package var path: String { "\(Layout.assets)/\(instance)/\(Layout.path(of: index))" }

  package static func < (x: AssetPlace, y: AssetPlace) -> Bool { (x.instance, x.index) < (y.instance, y.index) }
}
