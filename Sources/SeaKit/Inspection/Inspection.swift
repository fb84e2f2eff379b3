internal import SeaCore
internal import SeaEngine

extension Database {
  /// The structure of this database and its containers, available as `database.inspection`: their files, chains and
  /// blocks. Nothing is verified, and nothing is changed.
  public var inspection: Inspection { Inspection(database: self) }

  /// Operations that show the structure of a database or container. See `database.inspection`.
  public struct Inspection: Sendable { let database: Database }
}

extension Database.Inspection {
  /// The files of one kind.
  public struct Files: Sendable, Hashable {
    /// The kind in one word, as `sea inspect --json` prints it, such as `block` or `asset`.
    public let kind: String
    /// A description of the kind.
    public let about: String
    /// The number of files, and their size in bytes.
    public let count: Int, bytes: Int64
  }

  /// The chain of an instance, or a branch of it.
  public struct Chain: Sendable, Hashable, Identifiable {
    /// The id: the id of the instance, followed by `~` and digits for a branch that is not the main branch.
    public let id: String
    /// The instance that writes the chain.
    public let instance: Instance
    /// Whether this is the main branch.
    public let isTrunk: Bool
    /// The numbers of the first and the last block.
    public let first: Int, last: Int
    /// The number of blocks, and the number of blocks that are missing between the first and the last.
    public let blocks: Int, missingBlocks: Int
    /// The size of the blocks in bytes.
    public let bytes: Int64
    /// The times of the first and the last block, according to their author's clock; nil if unknown.
    public let firstTime: Timestamp?, lastTime: Timestamp?
  }

  /// Returns the number and the size of the files of each kind.
  /// - Parameter container: the name of an attached container, or a location; nil for this database.
  /// - Throws: `unreachable` if the container is unavailable, `incompatible` if it is not a container.
  public func sizes(in container: String? = nil) async throws -> [Files] {
    try await inspecting(container) { _, place, _ in
      let layout = try place.layout(keepsFiles: false)
      return FileMeaning.Kind.allCases.compactMap { kind in
        layout.kinds[kind].map {
          Files(kind: kind.rawValue, about: kind.words($0.files), count: $0.files, bytes: $0.bytes)
        }
      }
    }
  }

  /// Returns the chains.
  /// - Parameter container: the name of an attached container, or a location; nil for this database.
  /// - Throws: `unreachable` if the container is unavailable, `incompatible` if it is not a container.
  public func chains(in container: String? = nil) async throws -> [Chain] {
    try await inspecting(container) { _, place, instances in try place.chains().map { Chain($0, instances) } }
  }

  /// Returns the newest blocks, in an order in which each block follows the blocks that its author had seen.
  /// - Parameters:
  ///   - container: the name of an attached container, or a location; nil for this database.
  ///   - chain: the id of a chain; nil for all chains.
  ///   - limit: the maximum number of blocks.
  /// - Throws: `unreachable` if the container is unavailable, `incompatible` if it is not a container, `usage` if the
  ///   id is not valid.
  public func blocks(
    in container: String? = nil, of chain: String? = nil, limit: Int = 100
  ) async throws -> BlockList {
    let branch = try chain.map { try BranchID.checked($0) }
    return try await inspecting(container) { engine, place, instances in
      let newest = try NewestBlocks(
        place, of: branch, most: max(1, limit), mostChains: 60, check: { try engine.settings.checkStop() })
      return BlockList(newest, instances)
    }
  }

  /// Returns a block with its content; nil if the block is missing.
  /// - Parameters:
  ///   - id: the id of the block.
  ///   - container: the name of an attached container, or a location; nil for this database.
  /// - Throws: `unreachable` if the container is unavailable, `incompatible` if it is not a container, `usage` if the
  ///   id is not valid.
  public func block(_ id: String, in container: String? = nil) async throws -> BlockContent? {
    guard let slash = id.lastIndex(of: "/"), let index = UInt32(id[id.index(after: slash)...]) else {
      throw SeaError(.usage, "'\(id)' is not the id of a block")
    }
    let branch = try BranchID.checked(String(id[..<slash]))
    return try await inspecting(container) { _, place, instances in
      var found: BlockContent?
      try place.readBlock(branch, index) { found = BlockContent($0, $1, keys: place.keys, instances) }
      return found
    }
  }

  private func inspecting<Result: Sendable>(
    _ container: String?, _ body: @escaping @Sendable (Engine, any InspectedPlace, Instances) throws -> Result
  ) async throws -> Result {
    guard let container else {
      return try await database.reading { engine in
        try engine.atOneState { try body(engine, InspectedStore(engine), Instances(engine)) }
      }
    }
    return try await database.working(opensReadOnly: true) { engine in
      let found = try engine.containers.container(container, orAt: container)
      return try body(engine, InspectedContainer(found, named: container, engine), Instances(engine))
    }
  }
}

extension Database.Inspection.Chain {
  init(_ chain: InspectedChain, _ instances: Instances) {
    (id, instance, isTrunk) = (
      chain.branch.description, instances.named(chain.branch.instance, chain.name), chain.branch.isMainBranch
    )
    (first, last) = (Int(chain.first), Int(chain.last))
    (blocks, missingBlocks, bytes) = (chain.count, chain.missing, chain.bytes)
    firstTime = chain.began.map { Timestamp(milliseconds: $0) }
    lastTime = chain.ended.map { Timestamp(milliseconds: $0) }
  }
}

extension Instances {
  /// An instance with the name that its chain announces, if this database knows none.
  func named(_ id: UUID, _ name: String?) -> Instance {
    let known = self[id]
    guard known.name == nil, let name, !name.isEmpty else { return known }
    return Instance(id: known.id, name: name, isOwn: known.isOwn)
  }
}

extension BranchID {
  fileprivate static func checked(_ text: String) throws -> BranchID {
    guard let branch = BranchID(text) else { throw SeaError(.usage, "'\(text)' is not the id of a chain") }
    return branch
  }
}
