import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

extension Assets {
  /// Reads content once and keeps it in files in the making, ready to become an asset.
  ///
  /// The writer lock is taken for a moment, to reserve numbers, and given back: what is long is done without it.
  /// - Parameters:
  ///   - name: what the content comes from, for people.
  ///   - dryRun: reads, and keeps nothing.
  /// - Throws: `fileChanged` if somebody has written to a file while it was read, and while it was read again.
  package func stage(_ input: AssetInput, named name: String, dryRun: Bool = false) throws -> StagedAsset {
    switch input {
    case .file(let file):
      let status = try file.status()
      guard status.kind == .file else {
        return try stage(.stream { try file.readAwaited(into: $0) }, named: name, dryRun: dryRun)
      }
      // What somebody has just written to may hold still now.
      do { return try stage(file, status, named: name, dryRun: dryRun) } catch KitError.fileChanged {
        return try stage(file, file.status(), named: name, dryRun: dryRun)
      }
    case .stream(let next):
      let spool = try spooled(next)
      return try stage(spool, spool.status(), named: name, dryRun: dryRun)
    }
  }

  /// What cannot be read twice, kept in a file without a name.
  private func spooled(_ next: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> File {
    let file = try File.nameless(in: folder.path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try next(buffer)
      guard count > 0 else { return file }
      try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// - Parameter extent: where records say that it is; nil for places of its own.
  func stage(
    _ file: File, _ status: FileStatus, named name: String, at extent: AssetExtent? = nil, dryRun: Bool = false
  ) throws -> StagedAsset {
    let size = status.size
    guard AssetReference.sizes.contains(size) else { throw KitError.assetTooLarge(name) }
    let fileSize = folder.settings.assetFileSize
    let count = AssetExtent.count(forSize: size, fileSize: fileSize)
    let first = try extent?.first ?? (dryRun ? 0 : reserve(count, named: name))
    let instance = extent?.instance ?? folder.instance
    let key = try folder.isSealed() ? try author.keychain.ring()?.newest : nil
    var reading = AssetReading(file, status, name: name, report: folder.settings.report)
    var pieces: [StagedAsset.Piece] = []
    for index in first..<first + UInt32(count) {
      let place = AssetPlace(instance: instance, index: index)
      let draft = try dryRun ? nil : files.draft()
      do {
        let seal = PieceSeal.Place(database: folder.databaseID, instance: instance, index: index)
        let sealer = try key.map { try PieceSeal.Sealer($0, salt: Random.bytes(PieceSeal.saltSize), seal) }
        let (stored, digest) = try reading.copy(upTo: fileSize, sealer, to: draft)
        pieces.append(StagedAsset.Piece(draft: draft, place: place, size: stored, digest: digest))
      } catch {
        draft?.discard()
        for piece in pieces { piece.draft?.discard() }
        throw error
      }
    }
    let (mime, digest) = try reading.finish()
    let extent = AssetExtent(instance, first, first + UInt32(count) - 1)
    let reference = AssetReference(place: extent.description, mime: mime, size: size, sha256: digest)
    let asset = StagedAsset(reference, instance, pieces)
    if dryRun, let known = try known(asset) { asset.take(known.reference) }
    return asset
  }

  private func reserve(_ count: Int64, named name: String) throws -> UInt32 {
    let first = try author.write {
      try author.members.requireWriter()
      return try store.assets.reserveAssets(folder.instance, count: count)
    }
    guard let first else { throw KitError.assetTooLarge(name) }
    return first
  }

  /// Writes a batch whose records name new assets: their files are in place, whole and durable, before the records are.
  /// If nothing is written, they are gone again.
  package func write(
    _ batch: WriteBatch, adding assets: [StagedAsset], filling fill: ((WriteBatch) throws -> Void)? = nil
  ) throws -> CommitResult {
    guard !assets.isEmpty else { return try records.write(batch, filling: fill) }
    try author.keychain.prepare()
    return try store.locked {
      try placing(assets) {
        try fill?(batch)
        let result = try records.writeInTransaction(batch)
        return (result, isWritten: result.block != nil)
      }
    }
  }

  /// Runs what writes records that name new assets, with their files in place. The writer lock is held.
  fileprivate func placing<Result>(
    _ assets: [StagedAsset], _ write: () throws -> (Result, isWritten: Bool)
  ) throws -> Result {
    try author.ensureSole()
    guard assets.allSatisfy({ $0.instance == folder.instance }) else { throw KitError.renewedMeanwhile }
    do {
      for (k, asset) in assets.enumerated() {
        if let twin = assets[..<k].first(where: asset.hasContent) {
          asset.yield(to: twin.reference)
        } else {
          try place(asset)
        }
      }
      let (result, isWritten) = try author.write {
        for piece in assets.flatMap(\.pieces) {
          try store.assets.setStored(piece.place, size: piece.size, piece.digest)
        }
        return try write()
      }
      if !isWritten { try takeBack(assets) }
      return result
    } catch {
      try? takeBack(assets)
      throw error
    }
  }

  /// The same content, as it is known already: one that is here, if there is.
  private func known(_ asset: StagedAsset) throws -> AssetRow? {
    let rows = try store.assets.assets(size: asset.reference.size, digest: asset.reference.sha256).filter {
      // What other content claims, too, may hold that.
      try isPlausible($0) && $0.extent != asset.leaves && !store.assets.isShared($0)
    }
    return try rows.first { try isWhole($0, in: files) } ?? rows.first
  }

  /// Gives the files their places, or lets them go if the content is here. The writer lock is held.
  private func place(_ asset: StagedAsset) throws {
    if let known = try known(asset) {
      if try isWhole(known, in: files) { return asset.yield(to: known.reference) }
      // Sealed bytes are bound to the place that they were sealed for.
      if try !folder.isSealed() {
        asset.take(known.reference)
        for (k, place) in known.extent.places.enumerated() { asset.pieces[k].place = place }
      }
    }
    for k in asset.pieces.indices {
      let piece = asset.pieces[k]
      guard let draft = piece.draft else { continue }
      if let old = try files.assetSize(piece.place) {
        // Of content whose other files are lacking; or past this program.
        if try old == piece.size && files.digest(of: piece.place) == piece.digest {
          draft.discard()
          continue
        }
        try files.remove(piece.place)
      }
      try files.take(draft, as: piece.place)
      asset.pieces[k].isPlaced = true
    }
  }

  /// Takes away what was put in place for nothing, unless other records name it.
  fileprivate func takeBack(_ assets: [StagedAsset]) throws {
    let placed = assets.flatMap { $0.pieces.filter(\.isPlaced) }
    let named = try placed.filter { try store.assets.isNamed($0.place) }
    if !named.isEmpty {
      try store.write {
        for piece in named { try store.assets.setStored(piece.place, size: piece.size, piece.digest) }
      }
    }
    try remove(placed.map(\.place).filter { place in !named.contains { $0.place == place } })
  }
}

/// Records that name new assets and are written one after another.
package enum AssetTransaction {
  /// One transaction whose records may name new assets, whose files are in place before it begins. What none of them names is gone again.
  /// - Returns: the block that it became; nil if there was nothing to write.
  package static func run(
    adding staged: [StagedAsset], to assets: Assets, label: String, _ body: (OpenTransaction) throws -> Bool
  ) throws -> BlockRef? {
    func write() throws -> BlockRef? { try assets.records.transaction(label: label, dryRun: false, body) }
    guard !staged.isEmpty else { return try write() }
    try assets.author.keychain.prepare()
    return try assets.store.locked {
      let block = try assets.placing(staged) {
        let block = try write()
        return (block, isWritten: block != nil)
      }
      let unnamed = try staged.filter {
        try $0.pieces.contains { try $0.isPlaced && !assets.store.assets.isNamed($0.place) }
      }
      if block != nil, !unnamed.isEmpty { try assets.takeBack(unnamed) }
      return block
    }
  }
}
