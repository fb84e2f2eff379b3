internal import SeaCore
internal import SeaEngine

extension Database {
  /// Maintenance of this database and its containers.
  public var care: Care { Care(database: self) }

  /// Verification, cleanup and purging: `database.care`. Others may read and write meanwhile.
  public struct Care: Sendable { let database: Database }
}

extension Database.Care {
  // MARK: - Freeing space

  /// Frees space: files of crashed processes, free pages of the store, leftovers of purges, and unused asset files.
  /// - Parameters:
  ///   - assets: whether to delete unused asset files. They must never have been pushed, or enough containers must hold
  ///     the same bytes, which are read.
  ///   - copies: the required number of containers, 1 or more.
  ///   - isPreview: whether to only count what would be freed.
  ///   - progress: receives the progress of reading.
  @discardableResult
  public func collect(
    assets: Bool = false, copies: Int = 1, isPreview: Bool = false,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> FreedSpace {
    guard copies > 0 else { throw SeaError(.usage, "at least one copy must be left elsewhere") }
    return try await database.working(progress, isLooking: isPreview) { engine in
      if !isPreview { try engine.purge.emptying.run() }
      let origins = assets ? try engine.exchange.assetCopies().origins : nil
      return FreedSpace(try engine.assets.collection.collect(origins, least: copies, dryRun: isPreview))
    }
  }

  // MARK: - One container from another

  /// Copies all valid content of a container to another one, and replaces its damaged and missing files. The target
  /// need not be attached.
  /// - Parameters:
  ///   - source: the name of an attached container, or a location.
  ///   - target: the same; the container is created if it does not exist.
  ///   - isPreview: whether to only count what would be copied.
  ///   - progress: receives the progress for each block.
  /// - Throws: `incompatible` if the containers belong to different databases, `unreachable` if one is not available.
  @discardableResult
  public func mirror(
    from source: String, to target: String, isPreview: Bool = false,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> MirrorReport {
    try await database.working(progress, isLooking: isPreview) { engine in
      let (from, to) = (
        try engine.containers.container(source, orAt: source), try engine.containers.container(target, orAt: target)
      )
      let keys = try engine.verification.isOwn(from) ? try engine.keychain.ringAtHand() : nil
      var result = try Mirror.copy(
        from: from, to: to, keys: keys, own: engine.path, dryRun: isPreview, progress: engine.settings.report,
        checkStop: engine.settings.checkStop)
      try Verification.repairAssets(
        of: to, from: from, keys: keys, readsAll: false, dryRun: isPreview, progress: engine.settings.report,
        checkStop: engine.settings.checkStop, &result)
      return MirrorReport(result)
    }
  }
}

/// The space that was freed, or would be.
public struct FreedSpace: Sendable, Hashable {
  /// The total in bytes.
  public let bytes: Int64
  /// Files of crashed processes.
  public let temporaryFiles: Int, temporaryBytes: Int64
  /// Files of assets that no revision refers to.
  public let assetFiles: Int, assetBytes: Int64
  /// Such files that stay because too few containers have the same bytes.
  public let keptFiles: Int, keptBytes: Int64
  /// The bytes that the store returned to the file system.
  public let storeBytes: Int64

  init(_ result: GCResult) {
    (bytes, storeBytes) = (result.bytes, result.store)
    (temporaryFiles, temporaryBytes) = (result.temporary.files, result.temporary.bytes)
    (assetFiles, assetBytes) = (result.assets.files, result.assets.bytes)
    (keptFiles, keptBytes) = (result.kept.files, result.kept.bytes)
  }
}

/// The content that was copied to a container, or would be.
public struct MirrorReport: Sendable, Hashable {
  /// The number of blocks, and of the chains that they belong to.
  public let blocks: Int, chains: Int
  /// The number of asset files.
  public let assets: Int
  /// Blocks that were purged in the source, and are now purged in the target, too.
  public let purgedBlocks: Int
  /// Whether the container was created.
  public let isCreated: Bool
  /// The damaged files of the target that were repaired.
  public let mended: [Finding]
  /// The invalid content of the source, which was not copied.
  public let findings: [Finding]

  init(_ result: Mirror.Result) {
    (blocks, chains, assets) = (result.blocks, result.chains, result.assets)
    (purgedBlocks, isCreated) = (result.emptied, result.created)
    mended = result.mended.map { Finding($0) }
    findings = result.problems.filter(\.isError).map { Finding($0) }
  }
}
