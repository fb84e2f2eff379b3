import SeaContainer
import SeaCore

/// The chain of an instance without a database, which can write arbitrary blocks like a malicious instance.
package struct ForeignChain {
  package let identity: Identity
  package let database: UUID
  package let container: MemoryContainer
  /// The position after the last block. A chain that is reset to an earlier position continues as a fork.
  package struct Position {
    package var branch: BranchID
    package var head: BlockRef?
    package var lamport: UInt32 = 0
  }
  package var position: Position
  package private(set) var lastBlock: [UInt8] = []
  private var forks: Set<BranchID> = []

  /// Creates a chain and writes its first block.
  package init(_ name: String, _ database: UUID, in container: MemoryContainer) throws {
    let seed = SHA256.hash(Array(name.utf8)).bytes
    identity = try Identity(signingSeed: seed, exchangeSeed: seed)
    self.database = database
    self.container = container
    position = Position(branch: BranchID(identity.instance))
    try add([], [.instance(name: name, key: identity.key, exchange: try identity.exchangeKey())])
  }

  package struct Revision {
    package var id = "r"
    package var body: Value?
    package var parent: RevisionID?
    package var kind = RevisionKind.put
    package var merged: [RevisionID] = []

    package init(_ body: Value? = nil, id: String = "r", parent: RevisionID? = nil, kind: RevisionKind = .put) {
      self.id = id
      self.body = body
      self.parent = parent
      self.kind = kind
    }
  }

  /// Writes a block.
  /// - Parameter forks: whether the block begins a fork at its index, which the chain then continues.
  @discardableResult
  package mutating func add(
    _ revisions: [Revision], _ controls: [ControlEntry] = [], forks: Bool = false, time: Int64 = 0
  ) throws -> [RevisionID] {
    var builder = BlockBuilder(reservedSize: 4096 + controls.count * 512)
    for one in revisions {
      var body = ByteWriter()
      _ = try one.body?.encodeBody(into: &body)
      let id = Array(one.id.utf8)
      try id.withUnsafeBufferPointer { id in
        _ = try builder.add(
          id: id, type: nil, parent: one.parent, merged: one.merged, kind: one.kind,
          body: one.body == nil ? nil : body.bytes, hasReferences: false)
      }
    }
    let made = builder.changes.map(\.revision)
    position.lamport += 1
    let (bytes, head) = try builder.finish(
      database: database, identity: identity, previous: position.head, lamport: position.lamport, time: time,
      label: nil, controls: controls
    ) { block, _ in (Array(block.bytes), block.head) }
    if forks {
      let branch = BranchID(identity.instance, forkedAt: head.digest)
      guard self.forks.insert(branch).inserted else {
        // An identical block yields the same branch name and would replace the earlier block.
        position.lamport -= 1
        return try add(revisions, controls, forks: true, time: time + 1)
      }
      position.branch = branch
    }
    container.setBytes(bytes, of: position.branch, head.index)
    lastBlock = bytes
    position.head = head
    return made
  }

  /// Writes a record whose leaf revisions merge each other crosswise at each level, so that finding their common base
  /// is slow.
  package mutating func addLattice(_ id: String, leaves: Int, levels: Int) throws {
    var level: [RevisionID] = []
    for depth in 0..<levels {
      var next: [Revision] = []
      for k in 0..<leaves {
        let content = Value.dictionary(Members([("p\(k)", .integer(Int64(depth)))]))
        var one = Revision(content, id: id, parent: level.isEmpty ? nil : level[k])
        one.merged = level.filter { $0 != one.parent }.sorted()
        next.append(one)
      }
      level = try add(next)
    }
  }
}
