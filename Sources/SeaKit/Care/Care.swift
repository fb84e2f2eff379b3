internal import SeaCore
internal import SeaEngine

extension Database {
  /// Looking after what lies here and in the containers.
  public var care: Care { Care(database: self) }

  /// Whether things are whole, what can be freed, and what is to be gone for good: `database.care`. Others may read and write meanwhile.
  public struct Care: Sendable { let database: Database }
}

extension Database.Care {
  // MARK: - Freeing space

  /// Takes away what nothing needs: what was left by processes that died, free pages of the store, what a purge could not bring to its end,
  /// and if asked to, files of assets that no revision names.
  /// - Parameters:
  ///   - assets: whether such files go, too: those that this instance never told anybody of, and those of which enough containers have the same
  ///     bytes, which are read.
  ///   - copies: how many containers are enough, 1 or more.
  ///   - isPreview: whether it is only counted, and nothing goes.
  ///   - progress: told of what was read.
  @discardableResult
  public func collect(
    assets: Bool = false, copies: Int = 1, isPreview: Bool = false,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> FreedSpace {
    guard copies > 0 else { throw SeaError(.usage, "one copy at least has to be left elsewhere") }
    return try await database.working(progress, isLooking: isPreview) { engine in
      if !isPreview { try engine.purge.emptying.run() }
      let origins = assets ? try engine.exchange.assetCopies().origins : nil
      return FreedSpace(try engine.assets.collection.collect(origins, least: copies, dryRun: isPreview))
    }
  }

  // MARK: - One container from another

  /// Brings everything that one container has, and that verifies, into another one, which need not be attached. What is damaged or missing
  /// there is written again.
  /// - Parameters:
  ///   - source: the name of an attached container, or where one lies.
  ///   - target: the same; one is made where there is none.
  ///   - isPreview: whether it is only counted, and nothing is written.
  ///   - progress: told of each block that is looked at.
  /// - Throws: `incompatible` if they are of two databases, `unreachable` if one is not there.
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

/// What was freed, or would be.
public struct FreedSpace: Sendable, Hashable {
  /// Bytes in all.
  public let bytes: Int64
  /// Of files that processes left which died, and how many there were.
  public let temporaryFiles: Int, temporaryBytes: Int64
  /// Of files of assets that no revision names.
  public let assetFiles: Int, assetBytes: Int64
  /// Of such files that stay, as too few containers have the same bytes.
  public let keptFiles: Int, keptBytes: Int64
  /// Bytes that the store gave back.
  public let storeBytes: Int64

  init(_ result: GCResult) {
    (bytes, storeBytes) = (result.bytes, result.store)
    (temporaryFiles, temporaryBytes) = (result.temporary.files, result.temporary.bytes)
    (assetFiles, assetBytes) = (result.assets.files, result.assets.bytes)
    (keptFiles, keptBytes) = (result.kept.files, result.kept.bytes)
  }
}

/// What came into a container from another one, or would.
public struct MirrorReport: Sendable, Hashable {
  /// Blocks, and of how many chains.
  public let blocks: Int, chains: Int
  /// Files of assets.
  public let assets: Int
  /// Blocks that were purged in the one and whole in the other, and are purged there by now.
  public let purgedBlocks: Int
  /// Whether the container was made.
  public let isCreated: Bool
  /// Files that were damaged in the target, and are whole again.
  public let mended: [Finding]
  /// What does not verify and was left out.
  public let findings: [Finding]

  init(_ result: Mirror.Result) {
    (blocks, chains, assets) = (result.blocks, result.chains, result.assets)
    (purgedBlocks, isCreated) = (result.emptied, result.created)
    mended = result.mended.map { Finding($0) }
    findings = result.problems.filter(\.isError).map { Finding($0) }
  }
}
