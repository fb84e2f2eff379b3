import SeaCore
import SeaSystem

extension DirectoryContainer {
  package func assetSize(_ place: AssetPlace) throws(ContainerError) -> Int64? { try assets().size(place) }

  package func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry? { try assets().entry(place) }

  package func assetIdentity(_ place: AssetPlace) throws(ContainerError) -> FileIdentity? {
    try assets().status(place)?.identity
  }

  package func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool { try assets().read(place, from: offset, body) }

  package func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    let top = try folders.root()
    guard try system({ () throws(SystemError) in try top.status(Layout.info) }) != nil else {
      throw ContainerError.notAContainer(path: location)
    }
    try assets().write(place, size: size, source)
  }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws { try assets().forEach(body) }

  package func assetSizes(of instance: UUID, in leaf: Layout.Leaf) throws(ContainerError) -> [UInt32: Int64] {
    try assets().sizes(of: instance, in: leaf)
  }

  package func removeAssets(_ places: [AssetPlace]) throws(ContainerError) { try assets().remove(places) }
}
