internal import SeaCore
internal import SeaEngine

extension Database {
  /// The contents that records name: photographs, documents.
  public var assets: Assets { Assets(database: self) }

  /// The contents that the records of a database name: `database.assets`. All that takes its time is done on threads of its own.
  public struct Assets: Sendable { let database: Database }
}

extension Database.Assets {
  // MARK: - Adding

  /// Runs `body` as `Database.write` does, with new assets that its records can name.
  ///
  ///     try await database.assets.write(["photo": .file(path)]) { transaction, assets in
  ///       var bird = Bird(name: "wren")
  ///       bird.photo = assets["photo"]
  ///       try transaction.save(bird)
  ///     }
  ///
  /// The contents are read first, and keep nobody else who writes waiting. Their files are durable before the records are; if nothing is
  /// written, or nothing names one, it is gone again. Content that is here already is kept once.
  /// - Parameters:
  ///   - body: reads and writes; it is given the assets by their names.
  ///   - contents: by names that `body` finds the assets under.
  ///   - label: what stands in the history as the word for it.
  ///   - progress: told of the bytes that were read.
  /// - Throws: `file-changed` if a file became another one while it was read, and what `Database.write` throws.
  @discardableResult
  public func write<Result: Sendable>(
    _ contents: [String: AssetContent], label: String? = nil, progress: (@Sendable (Progress) -> Void)? = nil,
    _ body: @escaping @Sendable (WriteTransaction, [String: Asset]) throws -> Result
  ) async throws -> Result {
    var gathered: [(name: String, content: AssetContent.Gathered)] = []
    for (name, content) in contents.sorted(by: { $0.key < $1.key }) {
      gathered.append((name, try await content.gathered(in: database.path)))
    }
    let all = gathered
    return try await database.moving(progress) { engine in
      let staged = try all.map { one in (one.name, try one.content.staged(by: engine, named: one.name)) }
      var result: Result?
      _ = try AssetTransaction.run(adding: staged.map(\.1), to: engine.assets, label: label ?? "write") { open in
        let transaction = WriteTransaction(engine, open)
        defer { transaction.end() }
        // Where the same content is they say so by now.
        result = try body(
          transaction, Dictionary(staged.map { ($0.0, Asset($0.1.reference)) }, uniquingKeysWith: { $1 }))
        try transaction.check()
        return true
      }
      return result!
    }
  }

  /// Saves a record with new assets as properties of it.
  /// - Parameters:
  ///   - record: what was set and unset in it is saved, too.
  ///   - contents: by the names of the properties.
  ///   - progress: told of the bytes that were read.
  /// - Returns: the revision that there is now.
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

  // MARK: - Reading

  /// The content of an asset in pieces, as they are read.
  public func pieces(of asset: Asset) -> AssetPieces { AssetPieces(database: database, asset: asset) }

  /// All of the content of an asset.
  /// - Parameters:
  ///   - asset: which content.
  ///   - limit: more bytes are not read into memory.
  /// - Throws: `asset-missing` if it is not on this device, `bad-asset` if it is not what the records say, `usage` if it has more bytes than
  ///   the limit.
  public func bytes(of asset: Asset, limit: Int = 64 << 20) async throws -> [UInt8] {
    guard asset.size <= limit else {
      throw SeaError(.usage, "\(asset.place) has \(asset.size) bytes, and no more than \(limit) are to be read at once")
    }
    return try await database.reading { engine in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Int(asset.size))
      try engine.read(asset) { bytes.append(contentsOf: $0) }
      return bytes
    }
  }

  // MARK: - What is where

  /// Whether the content is on this device, as far as names and sizes tell.
  public func isHere(_ asset: Asset) async throws -> Bool {
    try await database.reading { engine in
      let (_, row) = try engine.assetRow(asset)
      return try engine.assets.here(row) != nil
    }
  }

  /// Where the content of an asset is, as far as names and sizes tell: nothing is read.
  public func whereabouts(of asset: Asset) async throws -> AssetWhereabouts {
    try await database.reading { engine in
      let (_, row) = try engine.assetRow(asset)
      let copies = try engine.exchange.assetCopies()
      return AssetWhereabouts(
        isHere: try engine.assets.here(row) != nil,
        containers: try engine.assets.holders(of: row, among: copies.origins),
        unreachable: copies.away.map(\.name))
    }
  }

  /// What records name, by the ids of the records.
  /// - Parameters:
  ///   - ids: of these records; nil for all.
  ///   - history: whether what only earlier revisions name is meant, too.
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

  /// Gets the content of an asset from the containers, if it is not on this device.
  /// - Parameters:
  ///   - asset: which content.
  ///   - progress: told of the bytes that have come.
  /// - Returns: where it came from; empty if it was here.
  /// - Throws: `asset-missing` if no container that can be reached has it, `bad-asset` if none has a good copy.
  @discardableResult
  public func fetch(
    _ asset: Asset, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> [String] {
    try await database.moving(progress) { engine in
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

  /// Takes the contents that records name away from this device, those only of which containers hold good copies, which are read.
  /// - Parameters:
  ///   - ids: of these records; nil for all.
  ///   - copies: how many containers have to have it, 1 or more.
  ///   - progress: told of the bytes that were read.
  /// - Returns: what became of each that was here.
  @discardableResult
  public func drop(
    in ids: [String]? = nil, copies: Int = 1, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> [DroppedAsset] {
    guard copies > 0 else { throw SeaError(.usage, "one copy at least has to be left elsewhere") }
    return try await database.moving(progress) { engine in
      var all: [DroppedAsset] = []
      var removal = AssetRemoval(
        engine.assets, try engine.exchange.assetCopies().origins, least: copies, dryRun: false)
      try removal.drop(engine.selection(ids)) { all.append(DroppedAsset($0)) }
      return all
    }
  }
}

extension Engine {
  /// - Throws: `badAsset` if there can be no such asset.
  func assetRow(_ asset: Asset) throws -> (AssetReference, AssetRow) {
    guard let reference = asset.core, let row = assets.row(reference), assets.isPlausible(row) else {
      throw SeaError(
        .badAsset, "\(asset.place) is the place of no asset of \(asset.size) bytes", ["place": asset.place])
    }
    return (reference, row)
  }

  /// Hands over the content of an asset that is here.
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

/// The content of an asset in pieces of about 1 MiB at most, in their order.
///
/// No more than two are in memory, however slow the loop is; a loop that is left early reads no further. Whether the content is what the
/// records say is known at its end: if it is not, the loop throws, and what it was given is not to be used.
public struct AssetPieces: AsyncSequence, Sendable {
  /// Bytes.
  public typealias Element = [UInt8]

  let database: Database
  let asset: Asset

  /// From the beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One loop over the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    private let pieces: AssetPieces
    private var reading: Reading?

    init(_ pieces: AssetPieces) { self.pieces = pieces }

    /// The next piece; nil at the end.
    /// - Throws: `asset-missing` if the content is not on this device, `bad-asset` if it is not what the records say, `CancellationError` if
    ///   the task is cancelled.
    public mutating func next() async throws -> [UInt8]? {
      let reading = try self.reading ?? Reading(pieces)
      self.reading = reading
      return try await reading.queue.next()
    }
  }

  /// Reads on a thread of its own as long as somebody loops.
  private final class Reading: Sendable {
    let queue = PieceQueue()

    init(_ pieces: AssetPieces) throws {
      let (lane, queue, asset) = (try pieces.database.readers.fresh(), queue, pieces.asset)
      Task.detached {
        do {
          try await lane.run { engine in try engine.read(asset) { try queue.put(Array($0)) } }
          queue.finish(nil)
        } catch { queue.finish(error) }
      }
    }

    deinit { queue.cancel() }
  }
}
