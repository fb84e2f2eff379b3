import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The assets of this database: which contents records name, what of them is here and what that is worth, and how they
/// come here and go.
///
/// What this device has is the files of assets in `.sea/assets`; containers and bundles are sources that files are read
/// from, and are handed in.
package final class Assets {
  let records: Records
  /// The files on this device.
  package let files: AssetFolder
  var author: Author { records.author }
  var folder: SeaFolder { author.folder }
  var store: Store { folder.store }

  package init(_ records: Records) {
    self.records = records
    files = AssetFolder(records.author.folder.path)
  }

  // MARK: - What is where

  /// How many bytes a file of an asset has: its content, or the sealed form of it.
  package func fileSize(of place: AssetPlace, in asset: AssetRow) throws -> Int64 {
    let content = asset.extent.contentSize(at: place, of: asset.size, fileSize: folder.settings.assetFileSize)
    return try folder.isSealed() ? Int64(PieceSeal.sealedSize(of: Int(content))) : content
  }

  /// The asset that a reference names, whether any revision does or not; nil if it names no place.
  package func row(_ reference: AssetReference) -> AssetRow? {
    reference.extent.map {
      AssetRow(key: 0, extent: $0, size: reference.size, digest: reference.sha256, mime: reference.mime)
    }
  }

  /// Whether the extent has as many files as its content needs. What does not is nowhere.
  package func isPlausible(_ asset: AssetRow) -> Bool {
    asset.extent.fits(asset.size, fileSize: folder.settings.assetFileSize)
  }

  /// Whether all files of an asset are at a source, by their sizes.
  package func isWhole(_ asset: AssetRow, in source: AssetSource) throws -> Bool {
    try isPlausible(asset) && asset.extent.places.allSatisfy { try source.assetSize($0) == fileSize(of: $0, in: asset) }
  }

  /// The files of an asset that may be here. Of one of very many files, as anybody may claim, these are those that are noted.
  package func files(of asset: AssetRow) throws -> [AssetPlace] {
    asset.extent.count > 1000 ? try store.assets.stored(in: asset.extent) : Array(asset.extent.places)
  }

  /// The asset whose files hold this content on this device: itself, or one of the same size and digest. Nil: not here.
  package func here(_ asset: AssetRow) throws -> AssetRow? { try there(asset, in: files) }

  /// The same for any source. Where copies of one machine have given a place to several contents of one size, size does not tell which of
  /// them it has: another place is taken first, and that of a twin is none.
  package func there(_ asset: AssetRow, in source: AssetSource) throws -> AssetRow? {
    var contested: AssetRow?
    if try isWhole(asset, in: source) {
      guard try store.assets.isContested(asset) else { return asset }
      contested = asset
    }
    let twin = try twins(of: asset).first { try isWhole($0, in: source) && !store.assets.isContested($0) }
    return twin ?? contested
  }

  /// The other places that records name for the same content.
  func twins(of asset: AssetRow) throws -> [AssetRow] {
    try store.assets.assets(size: asset.size, digest: asset.digest).filter { $0.extent != asset.extent }
  }

  /// Of these places those that have the content by name and size; nothing is read.
  package func holders(of asset: AssetRow, among origins: [AssetOrigin]) throws -> [String] {
    try origins.filter { try there(asset, in: $0.source) != nil }.map(\.name)
  }

  /// How many contents that any revision names are at one place, and neither here nor at another one of these.
  package func count(onlyIn source: AssetSource, besides others: [AssetSource]) throws -> Int {
    var seen: Set<Digest> = []
    try forEach { asset in
      guard try !seen.contains(asset.digest) && there(asset, in: source) != nil else { return }
      if try !([files] + others).contains(where: { try there(asset, in: $0) != nil }) { seen.insert(asset.digest) }
    }
    return seen.count
  }

  // MARK: - What it is worth

  func verifier(of asset: AssetRow) throws -> AssetVerifier {
    let isSealed = try folder.isSealed()
    return AssetVerifier(
      asset, database: folder.databaseID, isSealed: isSealed, keys: try isSealed ? author.keychain.ring() : nil)
  }

  /// Hands over the content of an asset in order, in pieces of at most about 1 MiB.
  ///
  /// Whether it is what the records say is known only at the end. Of a sealed file every piece was verified before it is
  /// handed over.
  /// - Returns: `good`, or why the content is not what was asked for; then what was handed over is not to be used.
  /// - Throws: what `sink` throws, and what the source could not do.
  package func readContent(
    of asset: AssetRow, from source: AssetSource, _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> AssetState {
    var verifier = try verifier(of: asset)
    let fault = try forEachFile(of: asset, in: source) { place in
      verifier.begin(place)
      let isThere = try source.readAsset(place, from: 0) { bytes in
        try verifier.take(bytes, sink)
        return true
      }
      if isThere { _ = try verifier.end(sink) }
      return isThere
    }
    return fault ?? verifier.finish()
  }

  /// Reads all files of an asset at a source, this device or a container, and says what they are worth.
  ///
  /// Without a key, sealed files are held against what was found when they were put here.
  package func verify(
    _ asset: AssetRow, in source: AssetSource, _ read: (Int) throws -> Void = { _ in }
  ) throws -> AssetState {
    guard try folder.isSealed(), try author.keychain.ringAtHand() == nil else {
      return try readContent(of: asset, from: source) { try read($0.count) }
    }
    var isKnown = true
    let fault = try forEachFile(of: asset, in: source) { place in
      guard let known = try store.assets.stored(place) else {
        isKnown = false
        return true
      }
      guard let digest = try source.digest(of: place, read) else { return false }
      if digest == known.digest { return true }
      // Sealed by somebody else, it is another file.
      guard try source.sealHeader(of: place) != files.sealHeader(of: place) else { throw AssetState.wrongDigest }
      isKnown = false
      return true
    }
    return fault ?? (isKnown ? .good : .noKey)
  }

  /// Visits the files of an asset that are as large as they have to be.
  /// - Parameter body: says whether the file was there after all.
  /// - Returns: what is wrong; nil if nothing is.
  private func forEachFile(
    of asset: AssetRow, in source: AssetSource, _ body: (AssetPlace) throws -> Bool
  ) throws -> AssetState? {
    guard isPlausible(asset) else { return .badReference }
    do {
      for place in asset.extent.places {
        guard let size = try source.assetSize(place) else { return .missing }
        guard try size == fileSize(of: place, in: asset) else { return .wrongSize(place) }
        guard try body(place) else { return .missing }
      }
      return nil
    } catch let state as AssetState {
      return state
    }
  }

  // MARK: - What is noted of files

  /// Takes files away for good. What was noted of them goes first: a file of which nothing is noted is harmless. The
  /// writer lock is held.
  func remove(_ places: [AssetPlace]) throws {
    if places.isEmpty { return }
    func forget() throws { try store.write { for place in places { try store.assets.forgetStored(place) } } }
    // On a full disk the files make the room for the note that they are gone.
    var isNoted = true
    do { try forget() } catch StoreError.full { isNoted = false }
    try files.remove(places)
    if !isNoted { try forget() }
  }
}

extension AssetSource {
  /// SHA-256 of a file; nil if it is not there.
  func digest(of place: AssetPlace, _ read: (Int) throws -> Void = { _ in }) throws -> Digest? {
    var hash = SHA256()
    let isThere = try readAsset(place, from: 0) { bytes in
      hash.update(bytes)
      try read(bytes.count)
      return true
    }
    return isThere ? hash.digest() : nil
  }

  /// What a sealed file begins with: of no two it is the same.
  func sealHeader(of place: AssetPlace) throws -> [UInt8] {
    var header: [UInt8] = []
    _ = try readAsset(place, from: 0) { bytes in
      header += bytes.prefix(PieceSeal.headerSize - header.count)
      return header.count < PieceSeal.headerSize
    }
    return header
  }
}
