import SeaContainer
import SeaCore
import SeaStore

/// The claims that a container's blocks make about its asset files. Used if there is no database.
///
/// Anyone can claim anything, so only claims about existing files are kept. A file is damaged only if it does not match
/// any claim.
struct AssetClaims {
  struct Content: Hashable {
    var size: Int64
    var digest: Digest
  }

  private let files: [AssetPlace: Int64]
  private(set) var contents: [AssetExtent: Set<Content>] = [:]
  private(set) var isLocked = false

  init(_ files: [AssetPlace: Int64]) { self.files = files }

  mutating func add(_ chain: ChainReport, of container: Container, _ place: ContainerPlace, _ keys: KeyRing?) throws {
    guard let run = try place.run(of: chain.branch), run.first < chain.blocks else { return }
    _ = try container.readBlocks(of: chain.branch, from: run.first) { index, bytes in
      guard index < chain.blocks else { return false }
      add(bytes, of: chain.instance, keys)
      return true
    }
  }

  mutating func add(_ block: UnsafeRawBufferPointer, of instance: UUID, _ keys: KeyRing?) {
    let content = BlockReader.content(of: block, of: instance, keys: keys)
    if content.isLocked || content.isHidden { isLocked = true }
    guard let payload = content.payload, !content.isHidden else { return }
    content.withClear(block) { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      for range in payload.changes.lazy.compactMap(\.body) {
        let body = (BlockHeader.size + range.lowerBound)..<(BlockHeader.size + range.upperBound)
        BodyAssets.forEach(in: UnsafeBufferPointer(rebasing: bytes[body])) { reference in
          guard let extent = reference.extent, files[AssetPlace(instance: extent.instance, index: extent.first)] != nil
          else { return }
          contents[extent, default: []].insert(Content(size: reference.size, digest: reference.digest))
        }
      }
    }
  }

  /// Reads the files of an extent and checks them against the claims.
  /// - Returns: one of the claims as an asset, the state of the files, and the SHA-256 of each file that was read
  ///   completely.
  func read(
    _ extent: AssetExtent, _ contents: Set<Content>, of container: Container, _ info: ContainerInfo, _ keys: KeyRing?,
    _ read: (Int) throws -> Void
  ) throws -> (asset: AssetRow, state: AssetState, files: [AssetPlace: Digest]) {
    let first = contents.min { ($0.size, $0.digest.description) < ($1.size, $1.digest.description) }!
    let asset = AssetRow(key: 0, extent: extent, size: first.size, digest: first.digest, mime: "")
    var verifier = AssetVerifier(asset, database: info.database, isSealed: info.sealed, keys: keys)
    var digests: [AssetPlace: Digest] = [:]
    do {
      for place in extent.places {
        verifier.begin(place)
        try container.readAsset(place, from: 0) { bytes in
          try read(bytes.count)
          try verifier.consume(bytes) { _ in }
          return true
        }
        digests[place] = try verifier.end { _ in }
      }
    } catch let fault as AssetState {
      return (asset, fault, digests)
    }
    let state = verifier.finish { contents.contains(Content(size: $0, digest: $1)) }
    return (asset, state, digests)
  }

  var there: [(extent: AssetExtent, contents: Set<Content>)] {
    contents.filter { claim in claim.key.places.allSatisfy { files[$0] != nil } }
      .sorted { ($0.key.instance, $0.key.first, $0.key.last) < ($1.key.instance, $1.key.first, $1.key.last) }
      .map { ($0.key, $0.value) }
  }

  /// The files that claims mention, up to the first missing file of each extent.
  var named: Set<AssetPlace> {
    var named: Set<AssetPlace> = []
    for extent in contents.keys { named.formUnion(extent.places.prefix { files[$0] != nil }) }
    return named
  }
}
