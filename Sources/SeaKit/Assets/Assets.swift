internal import SeaCore
internal import SeaEngine
internal import SeaSystem

extension Database {
  /// Assets, such as photographs and documents, that records refer to.
  public var assets: Assets { Assets(database: self) }

  /// Operations on assets, available as `database.assets`.
  public struct Assets: Sendable { let database: Database }
}

extension Database.Assets {
  // MARK: - Adding

  /// Adds assets, then runs `body` in a write transaction, in which records can refer to the new assets.
  ///
  ///     try await database.assets.write(["photo": .file(path)]) { transaction, assets in
  ///       var bird = Bird(name: "wren")
  ///       bird.photo = assets["photo"]
  ///       try transaction.save(bird)
  ///     }
  ///
  /// All content is read before the transaction begins, and is safely on disk before the records are. If the
  /// transaction fails or no record refers to an asset, its files are deleted. Identical content is stored only once.
  /// - Parameters:
  /// - contents: the content of each asset, keyed by the name that `body` uses for the asset.
  ///   - label: the message of the transaction in the history.
  /// - progress: receives the number of bytes read so far.
  /// - body: reads and writes records; receives the new assets, keyed by name.
  /// - Throws: `file-changed` if a file changed while it was being read, and the errors of `Database.write`.
  @discardableResult
  public func write<Result: Sendable>(
    _ contents: [String: AssetContent], label: String? = nil, progress: (@Sendable (Progress) -> Void)? = nil,
    _ body: @escaping @Sendable (WriteTransaction, [String: Asset]) throws -> Result
  ) async throws -> Result {
    var gathered: [(name: String, content: AssetContent.ReadableContent)] = []
    for (name, content) in contents.sorted(by: { $0.key < $1.key }) {
      gathered.append((name, try await content.readable(in: database.path)))
    }
    let all = gathered
    return try await database.transferring(progress) { engine in
      let staged = try all.map { one in (one.name, try one.content.staged(by: engine, named: one.name)) }
      var result: Result?
      _ = try AssetTransaction.run(adding: staged.map(\.1), to: engine.assets, label: label ?? "write") { open in
        let transaction = WriteTransaction(engine, open)
        defer { transaction.end() }
        // By now, an asset whose content was already stored refers to the existing file.
        result = try body(
          transaction, Dictionary(staged.map { ($0.0, Asset($0.1.reference)) }, uniquingKeysWith: { $1 }))
        try transaction.check()
        return true
      }
      return result!
    }
  }

  /// Saves a record, and sets some of its properties to new assets.
  /// - Parameters:
  /// - record: the record to save, along with its other changes.
  /// - contents: the content of each asset, keyed by property name.
  /// - progress: receives the number of bytes read so far.
  /// - Returns: the new revision.
  @discardableResult
  public func save(
    _ record: Record, adding contents: [String: AssetContent], progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> Revision {
    try await write(contents, label: "save", progress: progress) { transaction, assets in
      var record = record
      for (name, asset) in assets { record[name] = .asset(asset) }
      return try transaction.save(&record)
    }
  }

  /// Saves a typed record, and sets some of its properties to new assets.
  ///
  ///     bird = try await database.assets.save(bird, adding: [\.photo: .file(path)])
  ///
  /// - Parameters:
  ///   - record: the record to save.
  ///   - contents: the content of each asset, by the property that will refer to the asset.
  ///   - progress: receives the number of bytes read so far.
  /// - Returns: the saved record, which refers to the new assets. If you save the old value again, its properties
  ///   replace those of the saved record.
  /// - Throws: the errors of `write`.
  public func save<Saved: SeaRecord>(
    _ record: Saved, adding contents: KeyValuePairs<WritableKeyPath<Saved, Asset?> & Sendable, AssetContent>,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> Saved {
    let paths = contents.map(\.key)
    let named = contents.enumerated().map { ("\($0)", $1.value) }
    return try await write(
      Dictionary(named, uniquingKeysWith: { $1 }), label: "save", progress: progress
    ) { transaction, assets in
      var record = record
      for (place, path) in paths.enumerated() { record[keyPath: path] = assets["\(place)"] }
      try transaction.save(record)
      return record
    }
  }

  // MARK: - Reading

  /// Returns the content of an asset as an asynchronous sequence of pieces.
  /// - Parameters:
  ///   - asset: the asset.
  ///   - fetching: whether to fetch the content from a container if it is not on this device. If the task is cancelled,
  ///     a later call continues with the content received so far. A read-only database never fetches content.
  ///   - progress: receives the number of bytes fetched so far.
  public func pieces(
    of asset: Asset, fetching: Bool = true, progress: (@Sendable (Progress) -> Void)? = nil
  ) -> AssetPieces {
    AssetPieces(database: database, asset: asset, fetches: fetching && !database.isReadOnly, progress: progress)
  }

  /// Reads the whole content of an asset into memory.
  /// - Parameters:
  ///   - asset: the asset.
  ///   - limit: the maximum size in bytes.
  ///   - fetching: whether to fetch the content from a container if it is not on this device. A read-only database
  ///     never fetches content.
  ///   - progress: receives the number of bytes fetched so far.
  /// - Throws: `asset-missing` if the content is neither here nor in an available container, `bad-asset` if it does not
  ///   match the record, `usage` above the limit.
  public func bytes(
    of asset: Asset, limit: Int = 64 << 20, fetching: Bool = true, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> [UInt8] {
    guard asset.size <= limit else {
      throw SeaError(.usage, "\(asset.place) has \(asset.size) bytes, more than the limit of \(limit)")
    }
    return try await having(asset, fetching, progress) { engine in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Int(asset.size))
      try engine.read(asset) { bytes.append(contentsOf: $0) }
      return bytes
    }
  }

  /// Returns the path of the file in the database that has the content of an asset. Only read the file, and do not rely
  /// on it after the content was dropped or purged. Its content is verified when it arrives, but not by this call.
  /// - Parameters:
  ///   - asset: the asset.
  ///   - fetching: whether to fetch the content from a container if it is not on this device. A read-only database
  ///     never fetches content.
  ///   - progress: receives the number of bytes fetched so far.
  /// - Throws: the errors of `bytes(of:)`, except for the limit; `usage` if no file has exactly the content, because it
  ///   is encrypted or in several files. In this case, use `copy(_:to:)` or `pieces(of:)`.
  public func path(
    of asset: Asset, fetching: Bool = true, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> String {
    try await having(asset, fetching, progress) { engine in
      let (reference, row) = try engine.assetRow(asset)
      guard try engine.assets.here(row) != nil else { throw KitError.assetMissing(reference) }
      if let path = try engine.assets.plainFile(reference) { return path }
      let reason = try engine.isSealed() ? "is stored encrypted" : "is stored in several files"
      throw SeaError(
        .usage, "the content of \(asset.place) \(reason); use copy(_:to:) or pieces(of:)", ["place": asset.place])
    }
  }

  /// Writes the content of an asset to a file. The file appears under its name, or replaces an existing file, once its
  /// content is complete and verified.
  /// - Parameters:
  ///   - asset: the asset.
  ///   - path: the path of the file.
  ///   - fetching: whether to fetch the content from a container if it is not on this device. A read-only database
  ///     never fetches content.
  ///   - progress: receives the number of bytes fetched so far.
  /// - Throws: the errors of `bytes(of:)`, except for the limit, and errors of the system.
  public func copy(
    _ asset: Asset, to path: String, fetching: Bool = true, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws {
    try await having(asset, fetching, progress) { engine in
      let file = try AtomicFile(path)
      try engine.read(asset) { try file.write($0) }
      try file.commit(replace: true)
    }
  }

  /// Runs `body`, which reads the content of an asset. If the content is not here, fetches it and runs `body` again.
  private func having<Result: Sendable>(
    _ asset: Asset, _ fetching: Bool, _ progress: (@Sendable (Progress) -> Void)?,
    _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    do { return try await database.reading(body) } catch let error as SeaError
      where error.code == .assetMissing && fetching && !database.isReadOnly
    {
      try await fetch(asset, progress: progress)
      return try await database.reading(body)
    }
  }

  // MARK: - Locations

  /// Returns whether the content is on this device. Only file names and sizes are checked.
  public func isHere(_ asset: Asset) async throws -> Bool {
    try await database.reading { engine in
      let (_, row) = try engine.assetRow(asset)
      return try engine.assets.here(row) != nil
    }
  }

  /// Returns where an asset's content is stored. Only file names and sizes are checked.
  public func whereabouts(of asset: Asset) async throws -> AssetWhereabouts {
    try await database.reading { engine in
      let (_, row) = try engine.assetRow(asset)
      let copies = try engine.exchange.assetCopies()
      return AssetWhereabouts(
        isHere: try engine.assets.here(row) != nil,
        containers: try engine.assets.holders(of: row, among: copies.origins),
        unreachable: copies.unavailable.map(\.name))
    }
  }

  /// Returns the assets that records refer to, ordered by record id.
  /// - Parameters:
  ///   - ids: the ids of the records; nil for all.
  ///   - history: whether to include assets that only earlier revisions refer to.
  public func uses(in ids: [String]? = nil, history: Bool = false) async throws -> [AssetUse] {
    try await database.reading { engine in
      try engine.atOneState {
        var all: [AssetUse] = []
        var selection = try engine.selection(ids)
        selection.withHistory = history
        try engine.assets.forEachUse(selection) { use in
          try engine.settings.checkStop()
          all.append(AssetUse(use, isHere: try engine.assets.here(use.asset) != nil))
        }
        return all
      }
    }
  }

  // MARK: - Fetching and dropping

  /// Fetches the content of an asset from the containers, if it is not on this device.
  /// - Parameters:
  ///   - asset: the asset.
  ///   - progress: receives the number of bytes received.
  /// - Returns: the names of the containers it came from; empty if it was already here.
  /// - Throws: `asset-missing` if no available container has it, `bad-asset` if none has a good copy.
  @discardableResult
  public func fetch(
    _ asset: Asset, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> [String] {
    try await database.transferring(progress) { engine in
      let (reference, row) = try engine.assetRow(asset)
      if try engine.assets.here(row) != nil { return [] }
      switch try engine.assets.fetch(row, from: engine.exchange.assetCopies().origins, { _ in }) {
      case .here: return []
      case .fetched(let names): return names
      case .missing: throw KitError.assetMissing(reference)
      case .bad: throw KitError.badAsset(reference, .wrongDigest)
      }
    }
  }

  /// Removes the content of assets from this device after verifying that containers have enough intact copies.
  /// - Parameters:
  /// - ids: the ids of the records whose assets to remove from this device; nil for all records.
  /// - copies: how many containers must have an intact copy, at least 1.
  /// - progress: receives the number of bytes read so far.
  /// - Returns: one result for each asset whose content was on this device.
  @discardableResult
  public func drop(
    in ids: [String]? = nil, copies: Int = 1, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> [DroppedAsset] {
    guard copies > 0 else { throw SeaError(.usage, "at least one copy must be left elsewhere") }
    return try await database.transferring(progress) { engine in
      var all: [DroppedAsset] = []
      var removal = AssetRemoval(
        engine.assets, try engine.exchange.assetCopies().origins, least: copies, dryRun: false)
      try removal.drop(engine.selection(ids)) { all.append(DroppedAsset($0)) }
      return all
    }
  }
}

extension Engine {
  /// - Throws: `badAsset` if an asset of this size cannot have this location.
  func assetRow(_ asset: Asset) throws -> (AssetReference, AssetRow) {
    guard let reference = asset.core, let row = assets.row(reference), assets.isPlausible(row) else {
      throw SeaError(
        .badAsset, "\(asset.place) does not match an asset of \(asset.size) bytes", ["place": asset.place])
    }
    return (reference, row)
  }

  func read(_ asset: Asset, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    let (reference, row) = try assetRow(asset)
    guard let here = try assets.here(row) else { throw KitError.assetMissing(reference) }
    let state = try assets.readContent(of: here, from: assets.files) {
      try settings.checkStop()
      try sink($0)
    }
    if state != .good { throw KitError.badAsset(reference, state) }
  }

  func selection(_ ids: [String]?) throws -> AssetSelection {
    var selection = AssetSelection()
    selection.records = try ids?.map { try knownRow($0) }
    return selection
  }
}

/// The content of an asset, read in pieces of about 1 MiB or less.
///
/// At most two pieces are in memory at a time, and reading stops when the loop ends early. The content is verified at
/// the end. If the content does not match the record, the loop throws, and you must discard the pieces.
public struct AssetPieces: AsyncSequence, Sendable {
  /// The bytes of one piece.
  public typealias Element = [UInt8]

  let database: Database
  let asset: Asset
  let fetches: Bool
  let progress: (@Sendable (Progress) -> Void)?

  /// Returns an iterator that starts with the first piece.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator over the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    private let pieces: AssetPieces
    private var reading: PieceReading?

    init(_ pieces: AssetPieces) { self.pieces = pieces }

    /// Returns the next piece; nil at the end.
    /// - Throws: `asset-missing` if the content is neither on this device nor in an available container, `bad-asset` if
    ///   the content does not match the record, `CancellationError` if the task is cancelled.
    public mutating func next() async throws -> [UInt8]? {
      let reading = try self.reading ?? pieces.read()
      self.reading = reading
      return try await reading.next()
    }
  }

  /// Reads the content on a separate thread.
  private func read() throws -> PieceReading {
    let lane = try database.readers.newConnection()
    return PieceReading { [self] queue in
      @Sendable func read() async throws {
        try await lane.run { engine in try engine.read(asset) { try queue.put(Array($0)) } }
      }
      do { try await read() } catch let error as SeaError where error.code == .assetMissing && fetches {
        try await database.assets.fetch(asset, progress: progress)
        try await read()
      }
    }
  }
}
