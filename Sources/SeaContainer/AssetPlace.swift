import SeaCore

extension AssetPlace {
  /// The path from the container's top.
  package var path: String { "\(Layout.assets)/\(instance)/\(Layout.path(of: index))" }
}
