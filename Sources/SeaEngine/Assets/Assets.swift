import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Manages the assets that records reference: their state, their files and their transfer.
///
/// Local files are in `.sea/assets`. Files can also come from containers and bundles.
package final class Assets {
  let records: Records
  package let files: AssetFolder
  var author: Author { records.author }
  var folder: SeaFolder { author.folder }
  var store: Store { folder.store }

  package init(_ records: Records) {
    self.records = records
    files = AssetFolder(records.author.folder.path)
  }

  // MARK: - Locations

  /// Returns the size of an asset file in bytes, including the overhead of encryption.
  package func fileSize(of place: AssetPlace, in asset: AssetRow) throws -> Int64 {
    let clear = asset.extent.clearSize(at: place, of: asset.size, fileSize: folder.settings.assetFileSize)
    return try folder.isSealed() ? Int64(PieceSeal.sealedSize(of: Int(clear))) : clear
  }

  /// Returns the asset that a reference names; nil if the reference has no place. The reference does not have to occur
  /// in any revision.
  package func row(_ reference: AssetReference) -> AssetRow? {
    reference.extent.map {
      AssetRow(key: 0, extent: $0, size: reference.size, digest: reference.digest, mime: reference.mime)
    }
  }

  /// Returns whether the number of files in the extent matches the size of the content. If not, there can be no valid
  /// copy.
  package func isPlausible(_ asset: AssetRow) -> Bool {
    asset.extent.fits(asset.size, fileSize: folder.settings.assetFileSize)
  }

  /// Returns the absolute path of the local file with the content of an asset; nil if the content is missing, is
  /// encrypted or is in several files.
  package func plainFile(_ reference: AssetReference) throws -> String? {
    guard try !folder.isSealed(), let asset = row(reference), isPlausible(asset), let here = try here(asset) else {
      return nil
    }
    let places = Array(here.contentPlaces)
    return try places.count == 1 ? Path.absolute(files.path(of: places[0])) : nil
  }

  /// Returns whether a source has all content files of an asset, judged by their sizes.
  package func isWhole(_ asset: AssetRow, in source: AssetSource) throws -> Bool {
    try isPlausible(asset) && asset.contentPlaces.allSatisfy { try source.assetSize($0) == fileSize(of: $0, in: asset) }
  }

  /// Returns whether the list of pieces of a local asset is missing, judged by its size. It can be computed again.
  func lacksList(_ asset: AssetRow) throws -> Bool {
    guard let list = asset.list else { return false }
    return try isWhole(asset, in: files) && files.assetSize(list) != fileSize(of: list, in: asset)
  }

  /// Returns the files of an asset that may exist locally. If a record claims a very large number of files, returns
  /// only those that are stored.
  package func files(of asset: AssetRow) throws -> [AssetPlace] {
    asset.extent.count > 1000 ? try store.assets.stored(in: asset.extent) : Array(asset.extent.places)
  }

  /// Returns an asset that has the same content and whose files exist locally; nil if the content is missing.
  package func here(_ asset: AssetRow) throws -> AssetRow? { try find(asset, in: files) }

  /// Does the same as `here`, but for any source. If several assets of the same size claim a place, the size does not
  /// show which content is there, so a place with only one claim is preferred.
  package func find(_ asset: AssetRow, in source: AssetSource) throws -> AssetRow? {
    var contested: AssetRow?
    if try isWhole(asset, in: source) {
      guard try store.assets.isContested(asset) else { return asset }
      contested = asset
    }
    let twin = try twins(of: asset).first { try isWhole($0, in: source) && !store.assets.isContested($0) }
    return twin ?? contested
  }

  func twins(of asset: AssetRow) throws -> [AssetRow] {
    try store.assets.assets(size: asset.size, digest: asset.digest).filter { $0.extent != asset.extent }
  }

  /// Returns the names of the sources that have the content, judged by file names and sizes.
  package func holders(of asset: AssetRow, among origins: [AssetOrigin]) throws -> [String] {
    try origins.filter { try find(asset, in: $0.source) != nil }.map(\.name)
  }

  /// Counts the referenced assets that exist only in `source`.
  package func count(onlyIn source: AssetSource, besides others: [AssetSource]) throws -> Int {
    var seen: Set<Digest> = []
    try forEach { asset in
      guard try !seen.contains(asset.digest) && find(asset, in: source) != nil else { return }
      if try !([files] + others).contains(where: { try find(asset, in: $0) != nil }) { seen.insert(asset.digest) }
    }
    return seen.count
  }

  // MARK: - Verification

  func verifier(of asset: AssetRow, list: PieceList? = nil, stops: Bool = false) throws -> AssetVerifier {
    let isSealed = try folder.isSealed()
    return AssetVerifier(
      asset, database: folder.databaseID, isSealed: isSealed, keys: try isSealed ? author.keychain.ring() : nil,
      list: list, stops: stops)
  }

  /// Passes the content of an asset to `sink` in order, in parts of at most about 1 MiB.
  ///
  /// The parts are verified at the end of each piece if there is a right list of pieces, otherwise at the end. A wrong
  /// list does not matter if the content is right.
  /// - Returns: `good`, or the reason why the content must not be used.
  /// - Throws: errors of `sink` and of the source.
  package func readContent(
    of asset: AssetRow, from source: AssetSource, _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> AssetState {
    let state = try read(asset, from: source, stops: true, sink)
    return state.isRight ? .good : state
  }

  /// - Parameter stops: whether to stop at the first wrong piece, or else to find all of them.
  private func read(
    _ asset: AssetRow, from source: AssetSource, stops: Bool, _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> AssetState {
    var verifier = try verifier(of: asset, stops: stops)
    let fault = try forEachFile(of: asset, in: source) { place in
      verifier.begin(place)
      let isThere = try source.readAsset(place, from: 0) { bytes in
        try verifier.consume(bytes, sink)
        return true
      }
      if isThere { _ = try verifier.end(sink) }
      return isThere
    }
    if case .wrongList = fault { return verifier.finish() }
    return fault ?? verifier.finish()
  }

  /// Reads and verifies all files of an asset at a source. Without a key, compares encrypted files with recorded
  /// digests.
  package func verify(
    _ asset: AssetRow, in source: AssetSource, _ read: (Int) throws -> Void = { _ in }
  ) throws -> AssetState {
    guard try folder.isSealed(), try author.keychain.availableKeyRing() == nil else {
      return try self.read(asset, from: source, stops: false) { try read($0.count) }
    }
    var isKnown = true
    let fault = try forEachFile(of: asset, in: source) { place in
      guard let known = try store.assets.stored(place) else {
        isKnown = false
        return true
      }
      guard let digest = try source.digest(of: place, read) else { return false }
      if digest == known.digest { return true }
      // If another instance encrypted the file, its bytes are different even if its content is the same.
      guard try source.sealHeader(of: place) != files.sealHeader(of: place) else { throw AssetState.wrongDigest }
      isKnown = false
      return true
    }
    return fault ?? (isKnown ? .good : .noKey)
  }

  /// Calls `body` with the files of an asset in order, up to the first fault. A list of pieces of the wrong size is
  /// skipped, and is the fault if there is no other one.
  /// - Parameter body: returns whether the file exists.
  /// - Returns: the first fault; nil if there was no fault.
  private func forEachFile(
    of asset: AssetRow, in source: AssetSource, _ body: (AssetPlace) throws -> Bool
  ) throws -> AssetState? {
    guard isPlausible(asset) else { return .badReference }
    do {
      var lacksList = false
      for place in asset.extent.places {
        let size = try source.assetSize(place)
        if place == asset.list, try size != fileSize(of: place, in: asset) {
          lacksList = true
          continue
        }
        guard let size else { return .missing }
        guard try size == fileSize(of: place, in: asset) else { return .wrongSize(place) }
        guard try body(place) else { return .missing }
      }
      return lacksList ? .wrongList(asset.extent.start) : nil
    } catch let state as AssetState {
      return state
    }
  }

  // MARK: - Removal

  /// Removes files permanently. Deletes their entries from the store first, because a file without an entry is
  /// harmless. The caller must hold the writer lock.
  func remove(_ places: [AssetPlace]) throws {
    if places.isEmpty { return }
    func forget() throws { try store.write { for place in places { try store.assets.forgetStored(place) } } }
    // If the disk is full, remove the files first to make room for the transaction.
    var isNoted = true
    do { try forget() } catch StoreError.full { isNoted = false }
    try files.remove(places)
    if !isNoted { try forget() }
  }
}

extension AssetSource {
  func digest(of place: AssetPlace, _ read: (Int) throws -> Void = { _ in }) throws -> Digest? {
    var hash = SHA256()
    let isThere = try readAsset(place, from: 0) { bytes in
      hash.update(bytes)
      try read(bytes.count)
      return true
    }
    return isThere ? hash.digest() : nil
  }

  /// Returns the header of an encrypted file. Each header is unique.
  func sealHeader(of place: AssetPlace) throws -> [UInt8] {
    var header: [UInt8] = []
    _ = try readAsset(place, from: 0) { PieceSeal.takeHeader($0, &header) }
    return header
  }
}

extension AssetDraft {
  func sealHeader() throws -> [UInt8] {
    var header: [UInt8] = []
    try read { PieceSeal.takeHeader($0, &header) }
    return header
  }
}

extension PieceSeal {
  /// - Returns: whether the header is incomplete.
  fileprivate static func takeHeader(_ bytes: UnsafeRawBufferPointer, _ header: inout [UInt8]) -> Bool {
    header += bytes.prefix(headerSize - header.count)
    return header.count < headerSize
  }
}

package struct AssetUse: Sendable {
  package var asset: AssetRow
  package var record: RecordRow
  /// The path of the asset; nil if only earlier or deleted revisions reference it.
  package var path: PropertyPath?
}

package struct AssetSelection: Sendable {
  package var filter = AssetFilter.all
  package var records: [RecordRow]?
  /// Whether to include assets that only earlier revisions reference.
  package var withHistory = false

  package init() {}
}

extension Assets {
  /// Returns the assets that a record references, the winner's assets first. With `history`, includes all revisions.
  func uses(of row: RecordRow, history: Bool) throws -> [AssetUse] {
    let assets = try store.assets.assets(ofRecord: row.key)
    guard !assets.isEmpty else { return [] }
    var uses: [AssetUse] = []
    var named: Set<Int64> = []
    var seen: Set<[UInt8]> = []
    for leaf in try row.isDeleted ? [] : store.records.leaves(of: row) where leaf.kind == .put {
      guard let body = try store.records.body(of: leaf) else { continue }
      let value = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
      value.forEachAsset { names, reference in
        guard var asset = assets.first(where: { $0.isNamed(by: reference) }) else { return }
        // Earlier revisions and other records may give a different media type for the same place.
        asset.mime = reference.mime
        let path = PropertyPath(names: names)
        guard seen.insert(Array("\(asset.key) \(path.pointer)".utf8)).inserted else { return }
        named.insert(asset.key)
        uses.append(AssetUse(asset: asset, record: row, path: path))
      }
    }
    guard history else { return uses }
    return uses + assets.filter { !named.contains($0.key) }.map { AssetUse(asset: $0, record: row, path: nil) }
  }

  /// Returns a record that references the asset, preferably in a current revision.
  package func firstUse(of asset: AssetRow) throws -> AssetUse? {
    var past: AssetUse?
    for holder in try store.assets.holders(of: asset.key, limit: 100) {
      guard let row = try store.records.record(holder.id) else { continue }
      for use in try uses(of: row, history: past == nil) where use.asset.key == asset.key {
        if use.path != nil { return use }
        past = use
      }
    }
    return past
  }

  package func matches(_ asset: AssetRow, _ filter: AssetFilter) throws -> Bool {
    guard !filter.isAll else { return true }
    guard !filter.isNone else { return false }
    let types = filter.types.isEmpty ? [] : try store.assets.types(ofAsset: asset.key).compactMap { $0 }
    return try matches(asset, filter, types: types)
  }

  /// - Parameter types: the types of the records that reference the asset.
  func matches(_ asset: AssetRow, _ filter: AssetFilter, types: [String]) throws -> Bool {
    let mimes = filter.mimes.isEmpty ? [asset.mime] : try mimes(of: asset)
    return mimes.contains { filter.matches(size: asset.size, mime: $0, types: types) }
  }

  /// Returns the media types given by current revisions. If no current revision gives one, returns the stored media
  /// type.
  private func mimes(of asset: AssetRow) throws -> Set<String> {
    var mimes: Set<String> = []
    for holder in try store.assets.holders(of: asset.key, limit: 100) {
      guard let row = try store.records.record(holder.id) else { continue }
      for use in try uses(of: row, history: false) where use.asset.key == asset.key { mimes.insert(use.asset.mime) }
    }
    return mimes.isEmpty ? [asset.mime] : mimes
  }

  /// Calls `body` with the selected uses, in ascending order of record IDs or in the order in which records were
  /// selected.
  package func forEachUse(_ selection: AssetSelection, _ body: (AssetUse) throws -> Void) throws {
    let filter = selection.filter
    func visit(_ row: RecordRow) throws {
      if !filter.types.isEmpty, !filter.types.contains(where: { UTF8Text.equal($0, row.type ?? "") }) { return }
      for use in try uses(of: row, history: selection.withHistory)
      where filter.matches(size: use.asset.size, mime: use.asset.mime, types: [row.type ?? ""]) {
        try body(use)
      }
    }
    guard !filter.isNone else { return }
    if let records = selection.records { return try records.forEach(visit) }
    try store.assets.forEachHolder(withDeleted: selection.withHistory) { row in
      try visit(row)
      return true
    }
  }

  package func forEach(_ selection: AssetSelection, _ body: (AssetRow) throws -> Void) throws {
    var seen: Set<Int64> = []
    try forEachUse(selection) { use in
      if seen.insert(use.asset.key).inserted { try body(use.asset) }
    }
  }

  /// Calls `body` with every referenced asset, once for each place.
  package func forEach(_ body: (AssetRow) throws -> Void) throws {
    var key: Int64 = 0
    while true {
      let rows = try store.assets.assets(after: key)
      guard let last = rows.last else { return }
      for row in rows { try body(row) }
      key = last.key
    }
  }

  /// Returns the selected assets whose content or list of pieces is missing locally. Assets with the same content count once.
  /// If records are selected, their local content is verified, and damaged content is missing, too.
  package func missing(_ selection: AssetSelection) throws -> [AssetRow] {
    var missing: [AssetRow] = []
    var seen: Set<Digest> = []
    try forEach(selection) { asset in
      guard !seen.contains(asset.digest), try isMissing(asset, verifies: selection.records != nil) else { return }
      seen.insert(asset.digest)
      missing.append(asset)
    }
    return missing
  }

  private func isMissing(_ asset: AssetRow, verifies: Bool) throws -> Bool {
    guard let here = try here(asset), try !lacksList(asset) else { return true }
    guard verifies, try !store.assets.isShared(here) else { return false }
    return try verify(here, in: files) { _ in try folder.settings.checkStop() }.isDamage
  }

  package func countMissing() throws -> (count: Int, bytes: Int64) {
    var sum = (count: 0, bytes: Int64(0))
    try forEachUnnoted { sum = (sum.count + 1, sum.bytes + $0.size) }
    return sum
  }

  /// Calls `body` with each asset that is referenced now and missing according to the store. Assets with the same
  /// content count once.
  /// - Parameter wanted: the filters, at least one of which must select the asset.
  package func forEachUnnoted(wanted: [AssetFilter] = [.all], _ body: (AssetRow) throws -> Void) throws {
    var seen: Set<Digest> = []
    var key: Int64 = 0
    while true {
      let rows = try store.assets.assetsNotStored(after: key)
      guard let last = rows.last else { return }
      for (asset, isCurrent) in rows where !seen.contains(asset.digest) {
        guard try wanted.contains(where: { try matches(asset, $0) }) else { continue }
        // An asset in a record without a history is current, so that record does not have to be read.
        guard try isCurrent || firstUse(of: asset)?.path != nil else { continue }
        seen.insert(asset.digest)
        try body(asset)
      }
      key = last.asset.key
    }
  }
}

extension RecordView {
  /// Returns the assets that the record references, including those whose content is missing.
  package func assets() throws -> [AssetReference] {
    guard let body, body.firstPlace(of: "$asset".utf8) != nil else { return [] }
    var found: [AssetReference] = []
    try body.withUnsafeBufferPointer { try Value.decode(body: $0) }.forEachAsset { found.append($1) }
    return found
  }
}

extension AssetRow {
  func isNamed(by reference: AssetReference) -> Bool {
    size == reference.size && digest == reference.digest && extent.description.utf8.elementsEqual(reference.place.utf8)
  }
}

extension Value {
  /// Calls `visit` with each asset in the value and its path. An element of a set has the path of the set.
  func forEachAsset(_ names: [String] = [], _ visit: ([String], AssetReference) -> Void) {
    switch self {
    case .asset(let reference): visit(names, reference)
    case .dictionary(let members):
      for (key, value) in members.entries { value.forEachAsset(names + [key], visit) }
    case .array(let values):
      for (index, value) in values.enumerated() { value.forEachAsset(names + [String(index)], visit) }
    case .packed: unpacked.forEachAsset(names, visit)
    case .set(let set): for value in set.elements { value.forEachAsset(names, visit) }
    case .labeled(let value, _): value.forEachAsset(names, visit)
    default: break
    }
  }
}

extension Assets {
  /// Reads content into draft files. Holds the writer lock only briefly, to reserve file numbers.
  /// - Parameters:
  ///   - name: a name for the source of the content, used in messages.
  ///   - dryRun: whether to read the content without keeping it.
  /// - Throws: `fileChanged` if the file changes twice while being read.
  package func stage(_ input: AssetInput, named name: String, dryRun: Bool = false) throws -> StagedAsset {
    switch input {
    case .file(let file):
      let status = try file.status()
      guard status.kind == .file else {
        return try stage(.stream { try file.readAwaited(into: $0) }, named: name, dryRun: dryRun)
      }
      // Try again, because the other program may have finished writing by now.
      do { return try stage(file, status, named: name, dryRun: dryRun) } catch KitError.fileChanged {
        return try stage(file, file.status(), named: name, dryRun: dryRun)
      }
    case .stream(let next):
      let spool = try spooled(next)
      return try stage(spool, spool.status(), named: name, dryRun: dryRun)
    }
  }

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

  /// - Parameter extent: the places named in existing records; nil to reserve new places.
  func stage(
    _ file: File, _ status: FileStatus, named name: String, at extent: AssetExtent? = nil, dryRun: Bool = false
  ) throws -> StagedAsset {
    let size = status.size
    guard AssetReference.sizes.contains(size) else { throw KitError.assetTooLarge(name) }
    let fileSize = folder.settings.assetFileSize
    let count = AssetExtent.count(forSize: size, fileSize: fileSize)
    let first = try extent?.first ?? (dryRun ? 0 : reserve(count, named: name))
    let instance = extent?.instance ?? folder.instance
    let extent = AssetExtent(instance, first, first + UInt32(count) - 1)
    var reading = AssetReading(file, status, name: name, report: folder.settings.report)
    var pieces: [StagedAsset.Piece] = []
    do {
      for index in extent.firstContent(ofSize: size)...extent.last {
        let place = AssetPlace(instance: instance, index: index)
        let draft = try dryRun ? nil : files.draft()
        pieces.append(StagedAsset.Piece(draft: draft, place: place, size: 0, digest: .zero))
        let (stored, digest) = try reading.copy(upTo: fileSize, sealer(for: place), to: draft)
        (pieces[pieces.count - 1].size, pieces[pieces.count - 1].digest) = (stored, digest)
      }
      if let list = reading.list {
        let file = try stored(list, at: extent.start)
        let draft = try dryRun ? nil : files.draft()
        let piece = StagedAsset.Piece(
          draft: draft, place: extent.start, size: Int64(file.count), digest: SHA256.hash(file))
        pieces.insert(piece, at: 0)
        try file.withUnsafeBytes { try draft?.write($0, at: 0) }
      }
    } catch {
      for piece in pieces { piece.draft?.discard() }
      throw error
    }
    let (mime, digest) = try reading.finish()
    let reference = AssetReference(place: extent.description, mime: mime, size: size, digest: digest)
    let asset = StagedAsset(reference, instance, pieces)
    if dryRun, let known = try known(asset) { asset.replaceReference(with: known.reference) }
    return asset
  }

  /// Returns what encrypts a new file; nil if the database is not encrypted.
  private func sealer(for place: AssetPlace) throws -> PieceSeal.Sealer? {
    guard try folder.isSealed(), let key = try author.keychain.ring()?.newest else { return nil }
    let seal = PieceSeal.Place(database: folder.databaseID, instance: place.instance, index: place.index)
    return try PieceSeal.Sealer(key, salt: Random.bytes(PieceSeal.saltSize), seal)
  }

  /// Returns the file of a list of pieces.
  func stored(_ list: PieceList, at place: AssetPlace) throws -> [UInt8] {
    guard var sealer = try sealer(for: place) else { return list.bytes }
    var file: [UInt8] = []
    try list.bytes.withUnsafeBytes { try sealer.update($0, into: &file) }
    try sealer.finish(into: &file)
    return file
  }

  private func reserve(_ count: Int64, named name: String) throws -> UInt32 {
    let first = try author.write { _ in
      try author.members.requireWriter()
      return try store.assets.reserveAssets(folder.instance, count: count)
    }
    guard let first else { throw KitError.assetTooLarge(name) }
    return first
  }

  /// Writes a batch whose records reference new assets. The files are made durable before the records are written. If
  /// no records are written, the files are removed.
  package func write(
    _ batch: WriteBatch, adding assets: [StagedAsset], filling fill: ((WriteBatch) throws -> Void)? = nil
  ) throws -> CommitResult {
    guard !assets.isEmpty else { return try records.write(batch, filling: fill) }
    try author.keychain.prepare()
    return try store.locked {
      try placing(assets) { transaction in
        try fill?(batch)
        let result = try records.write(batch, in: transaction)
        return (result, isWritten: result.block != nil)
      }
    }
  }

  /// Moves the files of new assets to their places, and runs `write`. The caller must hold the writer lock.
  fileprivate func placing<Result>(
    _ assets: [StagedAsset], _ write: (BlockTransaction) throws -> (Result, isWritten: Bool)
  ) throws -> Result {
    try author.ensureOnlyWriter()
    guard assets.allSatisfy({ $0.instance == folder.instance }) else { throw KitError.instanceIDChanged }
    do {
      for (k, asset) in assets.enumerated() {
        if let twin = assets[..<k].first(where: asset.hasContent) {
          asset.yield(to: twin.reference)
        } else {
          try install(asset)
        }
      }
      let (result, isWritten) = try author.write { transaction in
        for piece in assets.flatMap(\.pieces) {
          try store.assets.setStored(piece.place, size: piece.size, piece.digest)
        }
        return try write(transaction)
      }
      if !isWritten { try rollBack(assets) }
      return result
    } catch {
      try? rollBack(assets)
      throw error
    }
  }

  private func known(_ asset: StagedAsset) throws -> AssetRow? {
    let rows = try store.assets.assets(size: asset.reference.size, digest: asset.reference.digest).filter {
      // A place that other content claims too may contain that content.
      try isPlausible($0) && $0.extent != asset.leaves && !store.assets.isShared($0)
    }
    return try rows.first { try isWhole($0, in: files) } ?? rows.first
  }

  /// Moves the files to their places, or discards them if the same content already exists locally.
  private func install(_ asset: StagedAsset) throws {
    if let known = try known(asset) {
      if try isWhole(known, in: files) { return asset.yield(to: known.reference) }
      // An encrypted file is valid only at the place for which it was encrypted.
      if try !folder.isSealed() {
        asset.replaceReference(with: known.reference)
        for (k, place) in known.extent.places.enumerated() { asset.pieces[k].place = place }
      }
    }
    for k in asset.pieces.indices {
      let piece = asset.pieces[k]
      guard let draft = piece.draft else { continue }
      if let old = try files.assetSize(piece.place) {
        // The existing file belongs to incomplete content, or another program created it.
        if try old == piece.size && files.digest(of: piece.place) == piece.digest {
          draft.discard()
          continue
        }
        try files.remove(piece.place)
      }
      try files.install(draft, as: piece.place)
      asset.pieces[k].isPlaced = true
    }
  }

  fileprivate func rollBack(_ assets: [StagedAsset]) throws {
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

package enum AssetTransaction {
  /// Runs one transaction whose records may reference new assets. Removes the files that no record references.
  /// - Returns: the block of the transaction; nil if there was nothing to write.
  package static func run(
    adding staged: [StagedAsset], to assets: Assets, label: String, _ body: (OpenTransaction) throws -> Bool
  ) throws -> BlockRef? {
    func write() throws -> BlockRef? { try assets.records.transaction(label: label, dryRun: false, body) }
    guard !staged.isEmpty else { return try write() }
    try assets.author.keychain.prepare()
    return try assets.store.locked {
      let block = try assets.placing(staged) { _ in
        let block = try write()
        return (block, isWritten: block != nil)
      }
      let unnamed = try staged.filter {
        try $0.pieces.contains { try $0.isPlaced && !assets.store.assets.isNamed($0.place) }
      }
      if block != nil, !unnamed.isEmpty { try assets.rollBack(unnamed) }
      return block
    }
  }
}
