import SeaCore
import SeaSystem

package protocol AssetSource: AnyObject {
  /// Whether reading a file requires a request to another machine, so that only necessary files should be read.
  var isFar: Bool { get }

  /// Returns the size of a file in bytes; nil if it is missing. Only names and sizes are read.
  func assetSize(_ place: AssetPlace) throws(ContainerError) -> Int64?

  /// Returns the sizes of an instance's files in one leaf folder, keyed by index. Only names and sizes are read.
  func assetSizes(of instance: UUID, in leaf: Layout.Leaf) throws(ContainerError) -> [UInt32: Int64]

  /// Returns the identity of the file on its device; nil if the file is missing or has no meaningful identity.
  func assetIdentity(_ place: AssetPlace) throws(ContainerError) -> FileIdentity?

  /// Passes the bytes of a file to `body` in order, starting at `offset`, as long as `body` returns true.
  ///
  /// Each piece has 1 to `AssetFile.pieceSize` bytes and is valid only during the call. The caller must verify the
  /// bytes.
  /// - Returns: false if the file is missing.
  /// - Throws: errors of `body`, and `ContainerError`.
  @discardableResult
  func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool

  /// Announces the files that will be read next, in this order, so that a remote source can request them early. Any
  /// previously announced files that are not in the list are released.
  func expect(_ places: [AssetPlace]) throws(ContainerError)

  /// Visits every file with its size, sorted by location. Names outside of the layout are skipped.
  func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws
}

extension AssetSource {
  package var isFar: Bool { false }

  package func expect(_ places: [AssetPlace]) {}

  package func assetSizes(of instance: UUID, in leaf: Layout.Leaf) throws(ContainerError) -> [UInt32: Int64] {
    var sizes: [UInt32: Int64] = [:]
    for index in leaf.first...leaf.last { sizes[index] = try assetSize(AssetPlace(instance: instance, index: index)) }
    return sizes
  }
}

/// An error that a source throws if its bytes turn out to be invalid, so that the partial file is not kept.
package struct InvalidAssetContent: Error {
  package init() {}
}

package enum AssetFile {
  package static let pieceSize = 1 << 20
  /// The maximum size of an asset file, which is the size of the largest single-file content after encryption.
  package static let largest = Int64(PieceSeal.sealedSize(of: Int(AssetExtent.fileSize)))
}

extension AssetPlace {
  package var path: String { "\(Layout.assets)/\(instance)/\(Layout.path(of: index))" }
}
