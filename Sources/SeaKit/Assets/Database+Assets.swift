import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

extension Database {
  // MARK: - What is here

  /// How many bytes a file of an asset has: its content, or the sealed form of it.
  package func fileSize(of place: AssetPlace, in asset: AssetRow) throws -> Int64 {
    let content = asset.run.contentSize(at: place, of: asset.size, fileSize: settings.assetFileSize)
    return try isSealed() ? Int64(PieceSeal.sealedSize(of: Int(content))) : content
  }

  /// The asset that a reference names, whether any revision does or not; nil if it names no place.
  package func row(_ reference: AssetReference) -> AssetRow? {
    reference.run.map {
      AssetRow(key: 0, run: $0, size: reference.size, digest: reference.sha256, mime: reference.mime)
    }
  }

  /// Whether the run has as many files as its content needs. What does not is nowhere.
  package func isPlausible(_ asset: AssetRow) -> Bool {
    asset.run.fits(asset.size, fileSize: settings.assetFileSize)
  }

  /// Whether all files of an asset are at a source, by their sizes.
  package func isWhole(_ asset: AssetRow, in source: AssetSource) throws -> Bool {
    guard isPlausible(asset) else { return false }
    for place in asset.run.places {
      guard try source.assetSize(place) == fileSize(of: place, in: asset) else { return false }
    }
    return true
  }

  /// The asset whose files hold this content on this device: itself, or one of the same size and digest. Nil: not here.
  package func here(_ asset: AssetRow) throws -> AssetRow? { try there(asset, in: assetFolder) }

  /// The same for any source.
  package func there(_ asset: AssetRow, in source: AssetSource) throws -> AssetRow? {
    if try isWhole(asset, in: source) { return asset }
    for other in try store.assets.assets(size: asset.size, digest: asset.digest) where other.run != asset.run {
      if try isWhole(other, in: source) { return other }
    }
    return nil
  }

  /// Every asset of which a revision names the content, once for each place, by rising key.
  package func forEachAsset(_ body: (AssetRow) throws -> Void) throws {
    var key: Int64 = 0
    while true {
      let rows = try store.assets.assets(after: key)
      guard let last = rows.last else { return }
      for row in rows { try body(row) }
      key = last.key
    }
  }

  // MARK: - Content

  /// Hands over the content of an asset in order, in pieces of at most about 1 MiB.
  ///
  /// Whether it is what the records say is known only at the end. Of a sealed file every piece was verified before it is
  /// handed over.
  /// - Returns: `good`, or why the content is not what was asked for; then what was handed over is not to be used.
  /// - Throws: what `sink` throws, and what the source could not do.
  package func readContent(
    of asset: AssetRow, from source: AssetSource, _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> AssetState {
    guard isPlausible(asset) else { return .badReference }
    let isSealed = try isSealed()
    var check = AssetCheck(asset, database: databaseID, isSealed: isSealed, keys: try isSealed ? keyRing() : nil)
    do {
      for place in asset.run.places {
        guard let size = try source.assetSize(place) else { return .missing }
        guard try size == fileSize(of: place, in: asset) else { return .wrongSize(place) }
        check.begin(place)
        let isThere = try source.readAsset(place, from: 0) { bytes in
          try check.take(bytes, sink)
          return true
        }
        guard isThere else { return .missing }
        _ = try check.end(sink)
      }
    } catch let state as AssetState {
      return state
    }
    return check.finish()
  }

  /// Reads all files of an asset at a source, this device or a container, and says what they are worth.
  ///
  /// Without a key, sealed files are held against what was found when they were put here.
  package func verifyStored(
    _ asset: AssetRow, in source: AssetSource, _ read: (Int) -> Void = { _ in }
  ) throws -> AssetState {
    guard try !isSealed() || keysAtHand() != nil else { return try verifyFiles(asset, in: source, read) }
    return try readContent(of: asset, from: source) { read($0.count) }
  }

  private func verifyFiles(
    _ asset: AssetRow, in source: AssetSource, _ read: (Int) -> Void
  ) throws -> AssetState {
    guard isPlausible(asset) else { return .badReference }
    var isKnown = true
    for place in asset.run.places {
      guard let size = try source.assetSize(place) else { return .missing }
      guard try size == fileSize(of: place, in: asset) else { return .wrongSize(place) }
      guard let known = try store.assets.stored(place) else {
        isKnown = false
        continue
      }
      var hash = SHA256()
      let isThere = try source.readAsset(place, from: 0) { bytes in
        hash.update(bytes)
        read(bytes.count)
        return true
      }
      guard isThere else { return .missing }
      guard hash.digest() == known.digest else { return .wrongDigest }
    }
    return isKnown ? .good : .noKey
  }
}
