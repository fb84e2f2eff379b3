import SeaContainer
import SeaCore

/// Calls a closure before the first asset file is written.
package final class IncompleteContainer: PassingContainer {
  private var first: (() -> Void)?

  package init(_ inner: any Container, _ first: @escaping () -> Void) {
    self.first = first
    super.init(inner)
  }

  package override func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    first?()
    first = nil
    try super.writeAsset(place, size: size, source)
  }
}
