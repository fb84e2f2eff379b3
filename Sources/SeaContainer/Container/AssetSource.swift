import SeaCore
import SeaSystem

/// A place that files of assets can be read from: a container, or what lies on this device.
package protocol AssetSource: AnyObject {
  /// Whether each file that is read has to be asked for, elsewhere: then no more is read than has to be.
  var isFar: Bool { get }

  /// How many bytes the file has; nil if it is not there. Names and sizes are looked at, not contents.
  func assetSize(_ place: AssetPlace) throws(ContainerError) -> Int64?

  /// The sizes of the files of an instance that are there, by index, of those in one leaf folder: a listing of names and sizes.
  func assetSizes(of instance: UUID, in leaf: Layout.Leaf) throws(ContainerError) -> [UInt32: Int64]

  /// Which file on which device it is; nil if it is not there or that says nothing.
  func assetIdentity(_ place: AssetPlace) throws(ContainerError) -> FileIdentity?

  /// Hands over the bytes of a file in order, from `offset` on, as long as `body` says true.
  ///
  /// Pieces have 1 to `AssetFile.pieceSize` bytes and are valid only during the call. What the bytes are worth is for
  /// others to verify.
  /// - Returns: false if the file is not there.
  /// - Throws: what `body` throws, and `ContainerError`.
  @discardableResult
  func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool

  /// Says which files are read next, in this order: a place where that costs may ask for them before. Those that were named before and
  /// are not among them are let go.
  func expect(_ places: [AssetPlace]) throws(ContainerError)

  /// Visits every file with its size, by place. Names that the layout does not know are passed over.
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

/// What a source throws that finds out that its bytes are worth nothing: what was written of them is not kept.
package struct WorthlessAsset: Error {
  package init() {}
}

/// What holds for every file of assets.
package enum AssetFile {
  /// Files are read and written in pieces of at most this size.
  package static let pieceSize = 1 << 20
  /// No file is larger: the sealed form of the most content that lies in one.
  package static let largest = Int64(PieceSeal.sealedSize(of: Int(AssetExtent.fileSize)))
}

extension AssetPlace {
  /// The path from a container's top.
  package var path: String { "\(Layout.assets)/\(instance)/\(Layout.path(of: index))" }
}
