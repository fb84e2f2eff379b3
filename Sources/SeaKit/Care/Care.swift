internal import SeaCore
internal import SeaEngine

extension Database {
  /// Maintenance of this database and its containers.
  public var care: Care { Care(database: self) }

  /// Verification, cleanup and purging, available as `database.care`. Reads and writes can continue in the meantime.
  public struct Care: Sendable { let database: Database }
}

extension Database.Care {
  // MARK: - Freeing space

  /// Frees space: deletes leftovers of crashed processes and purges, shrinks the store and, if requested, deletes
  /// unused asset files.
  /// - Parameters:
  ///   - assets: whether to delete unused asset files. A file that was pushed is deleted only after enough identical
  ///     copies have been read from containers.
  ///   - copies: how many containers must have a copy, at least 1.
  ///   - progress: receives the progress while copies are read.
  @discardableResult
  public func collect(
    assets: Bool = false, copies: Int = 1, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> FreedSpace {
    try await collect(assets, copies, isPreview: false, progress)
  }

  /// Returns what `collect` would free, without deleting anything.
  public func preview(
    collectingAssets assets: Bool, copies: Int = 1, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> FreedSpace {
    try await collect(assets, copies, isPreview: true, progress)
  }

  private func collect(
    _ assets: Bool, _ copies: Int, isPreview: Bool, _ progress: (@Sendable (Progress) -> Void)?
  ) async throws -> FreedSpace {
    guard copies > 0 else { throw SeaError(.usage, "at least one copy must be left elsewhere") }
    return try await database.working(progress, opensReadOnly: isPreview) { engine in
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
  ///   - progress: receives the progress for each block.
  /// - Throws: `incompatible` if the containers belong to different databases, `unreachable` if one is not available.
  @discardableResult
  public func mirror(
    from source: String, to target: String, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> MirrorReport {
    try await mirror(source, target, isPreview: false, progress)
  }

  /// Returns what `mirror` would copy, without writing anything.
  public func preview(
    mirroring source: String, to target: String, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> MirrorReport {
    try await mirror(source, target, isPreview: true, progress)
  }

  private func mirror(
    _ source: String, _ target: String, isPreview: Bool, _ progress: (@Sendable (Progress) -> Void)?
  ) async throws -> MirrorReport {
    try await database.working(progress, opensReadOnly: isPreview) { engine in
      let (from, to) = (
        try engine.containers.container(source, orAt: source), try engine.containers.container(target, orAt: target)
      )
      let keys = try engine.verification.isOwn(from) ? try engine.keychain.availableKeyRing() : nil
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

/// The space that was freed or, in a preview, would be freed.
public struct FreedSpace: Sendable, Hashable {
  /// The total number of bytes.
  public let bytes: Int64
  /// The number of deleted files that crashed processes left behind, and their size in bytes.
  public let temporaryFiles: Int, temporaryBytes: Int64
  /// The number of deleted asset files that no revision refers to, and their size in bytes.
  public let assetFiles: Int, assetBytes: Int64
  /// The number of unused asset files that were kept because too few containers have a copy, and their size in bytes.
  public let keptFiles: Int, keptBytes: Int64
  /// The number of bytes that the store returned to the file system.
  public let storeBytes: Int64

  init(_ result: GCResult) {
    (bytes, storeBytes) = (result.bytes, result.store)
    (temporaryFiles, temporaryBytes) = (result.temporary.files, result.temporary.bytes)
    (assetFiles, assetBytes) = (result.assets.files, result.assets.bytes)
    (keptFiles, keptBytes) = (result.kept.files, result.kept.bytes)
  }
}

/// A summary of the content that was copied to a container or, in a preview, would be copied.
public struct MirrorReport: Sendable, Hashable {
  /// The number of copied blocks, and the number of chains that the blocks belong to.
  public let blocks: Int, chains: Int
  /// The number of copied asset files.
  public let assets: Int
  /// The number of blocks that were purged in the target because they had been purged in the source.
  public let purgedBlocks: Int
  /// Whether the target container was created.
  public let isCreated: Bool
  /// The damaged files that were repaired in the target.
  public let mended: [Finding]
  /// The invalid content in the source, which was not copied.
  public let findings: [Finding]

  init(_ result: Mirror.Result) {
    (blocks, chains, assets) = (result.blocks, result.chains, result.assets)
    (purgedBlocks, isCreated) = (result.emptied, result.created)
    mended = result.mended.map { Finding($0) }
    findings = result.problems.filter(\.isError).map { Finding($0) }
  }
}
