import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

extension Database {
  /// Reads content once and keeps it in files in the making, ready to become an asset.
  ///
  /// The writer lock is taken for a moment, to reserve numbers, and given back: what is long is done without it.
  /// - Parameters:
  ///   - name: what the content comes from, for people.
  ///   - dryRun: reads, and keeps nothing.
  /// - Throws: `fileChanged` if a file is not as long at the end as it was at the beginning.
  package func newAsset(from input: AssetInput, named name: String, dryRun: Bool = false) throws -> NewAsset {
    switch input {
    case .file(let file):
      let status = try file.status()
      guard status.kind == .file else { return try newAsset(from: stream(of: file), named: name, dryRun: dryRun) }
      return try newAsset(file, size: status.size, named: name, dryRun: dryRun)
    case .stream(let next):
      let (spool, size) = try spooled(next)
      return try newAsset(spool, size: size, named: name, dryRun: dryRun)
    }
  }

  /// What cannot be read twice, kept in a file without a name.
  private func spooled(_ next: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> (File, Int64) {
    let file = try File.nameless(in: path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try next(buffer)
      guard count > 0 else { return (file, try file.status().size) }
      try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  private func stream(of file: File) -> AssetInput {
    .stream { buffer in try file.readSome(into: buffer) }
  }

  private func newAsset(_ file: File, size: Int64, named name: String, dryRun: Bool) throws -> NewAsset {
    guard AssetReference.sizes.contains(size) else { throw KitError.assetTooLarge(name) }
    let count = AssetRun.count(forSize: size, fileSize: settings.assetFileSize)
    let first = try dryRun ? 0 : reserveAssets(count, named: name)
    let key = try isSealed() ? try keyRing()?.newest : nil
    var reading = AssetReading(file, size: size, name: name, report: settings.report)
    var pieces: [NewAsset.Piece] = []
    for index in first..<first + UInt32(count) {
      let place = AssetPlace(instance: instance, index: index)
      let draft = try dryRun ? nil : assetFolder.draft()
      do {
        let seal = PieceSeal.Place(database: databaseID, instance: instance, index: index)
        let sealer = try key.map { try PieceSeal.Sealer($0, salt: Random.bytes(PieceSeal.saltSize), seal) }
        let (stored, digest) = try reading.copy(upTo: settings.assetFileSize, sealer, to: draft)
        pieces.append(NewAsset.Piece(draft: draft, place: place, size: stored, digest: digest))
      } catch {
        draft?.discard()
        for piece in pieces { piece.draft?.discard() }
        throw error
      }
    }
    let (mime, digest) = try reading.finish()
    let run = AssetRun(instance, first, first + UInt32(count) - 1)
    let reference = AssetReference(place: run.description, mime: mime, size: size, sha256: digest)
    let asset = NewAsset(reference, instance, pieces)
    if dryRun { asset.reference = try known(asset)?.reference ?? reference }
    return asset
  }

  private func reserveAssets(_ count: Int64, named name: String) throws -> UInt32 {
    try prepareKeys()
    let first = try writing {
      try members.requireWriter()
      return try store.assets.reserveAssets(instance, count: count)
    }
    store.unlock()
    guard let first else { throw KitError.assetTooLarge(name) }
    return first
  }

  /// Writes a batch whose records name new assets: their files are in place, whole and durable, before the records are.
  /// If nothing is written, they are gone again.
  package func write(_ batch: WriteBatch, adding assets: [NewAsset]) throws -> CommitResult {
    guard !assets.isEmpty else { return try records.write(batch) }
    try prepareKeys()
    try beSole()
    guard assets.allSatisfy({ $0.instance == instance }) else {
      throw KitError.renewedMeanwhile
    }
    do {
      for (k, asset) in assets.enumerated() {
        let twin = assets[..<k].first {
          $0.reference.sha256 == asset.reference.sha256 && $0.reference.size == asset.reference.size
        }
        if let twin { asset.merge(into: twin) } else { try place(asset) }
      }
      let written = try writing {
        for asset in assets {
          for piece in asset.pieces { try store.assets.setStored(piece.place, size: piece.size, piece.digest) }
        }
        return try records.writeInTransaction(batch)
      }
      guard written.block != nil else {
        try takeBack(assets)
        return written
      }
      return written
    } catch {
      try? takeBack(assets)
      throw error
    }
  }

  /// The same content, as it is known already: one that is here, if there is.
  private func known(_ asset: NewAsset) throws -> AssetRow? {
    let rows = try store.assets.assets(size: asset.reference.size, digest: asset.reference.sha256).filter {
      isPlausible($0)
    }
    return try rows.first { try isWhole($0, in: assetFolder) } ?? rows.first
  }

  /// Gives the files their places, or lets them go if the content is here. The writer lock is held.
  private func place(_ asset: NewAsset) throws {
    if let known = try known(asset) {
      let isHere = try isWhole(known, in: assetFolder)
      // Sealed bytes are bound to the place that they were sealed for.
      if try isHere || !isSealed() { asset.reference = known.reference }
      if isHere {
        for piece in asset.pieces { piece.draft?.discard() }
        asset.pieces = []
        return
      }
      if try !isSealed() {
        for (k, place) in known.run.places.enumerated() { asset.pieces[k].place = place }
      }
    }
    for k in asset.pieces.indices {
      guard let draft = asset.pieces[k].draft else { continue }
      let place = asset.pieces[k].place
      if let old = try assetFolder.assetSize(place) {
        // Of content whose other files are lacking; or past this program.
        if try holdsStored(asset.pieces[k], size: old) {
          draft.discard()
          continue
        }
        try assetFolder.remove(place)
      }
      try assetFolder.take(draft, as: place)
      asset.pieces[k].isPlaced = true
    }
  }

  /// Whether the file that is there has the bytes of a piece.
  private func holdsStored(_ piece: NewAsset.Piece, size: Int64) throws -> Bool {
    guard size == piece.size else { return false }
    var hash = SHA256()
    try assetFolder.readAsset(piece.place, from: 0) { bytes in
      hash.update(bytes)
      return true
    }
    return hash.digest() == piece.digest
  }

  /// Takes away what was put in place for nothing, unless other records name it.
  private func takeBack(_ assets: [NewAsset]) throws {
    let placed = assets.flatMap { asset in asset.pieces.filter { $0.isPlaced } }
    guard !placed.isEmpty else { return }
    let unnamed = try placed.filter { try !store.assets.isNamed($0.place) }.map { $0.place }
    try store.write {
      for piece in placed where !unnamed.contains(piece.place) {
        try store.assets.setStored(piece.place, size: piece.size, piece.digest)
      }
      for place in unnamed { try store.assets.forgetStored(place) }
    }
    for place in unnamed { try assetFolder.remove(place) }
  }
}
