internal import SeaCore
internal import SeaEngine

extension Database.Inspection {
  /// A block: the signed transaction of an instance.
  public struct Block: Sendable, Hashable, Identifiable {
    /// Another block that a block refers to.
    public struct Link: Sendable, Hashable {
      /// The id of the block.
      public let id: String
      /// The instance that wrote the block.
      public let instance: Instance
      /// The number of the block in its chain.
      public let index: Int
      /// The digest of the block, as hexadecimal digits.
      public let digest: String
    }

    /// The id: the id of the chain, `/`, and the number of the block.
    public let id: String
    /// The digest of the block, as hexadecimal digits.
    public let digest: String
    /// The id of the chain, and the instance that wrote the block.
    public let chain: String, instance: Instance
    /// The number of the block in its chain, starting at 0.
    public let index: Int
    /// The Lamport time, which is greater than that of all blocks that the author had seen.
    public let lamport: Int
    /// The size of the block in bytes.
    public let bytes: Int
    /// The properties of the block in the words of `sea inspect`, such as `sealed` and `compressed`.
    public let mode: [String]
    /// The time, according to the author's clock; nil if the content cannot be read.
    public let time: Timestamp?
    /// The message of the transaction; nil if there is none or the content cannot be read.
    public let label: String?
    /// The newest blocks of other instances that the author had seen since its last block.
    public let seen: [Link]
    /// The numbers of revisions and of control entries; nil if the content cannot be read.
    public let changes: Int?, entries: Int?
    /// Whether the content was purged.
    public let isPurged: Bool
    /// Whether all earlier blocks of the chain are present and complete. A sync stops at the first block that is not.
    public let isReached: Bool

    init(_ block: InspectedBlock, _ instances: Instances) {
      (id, digest, chain) = (block.ref.description, block.ref.digest.description, block.ref.branch.description)
      instance = instances.named(block.ref.instance, block.name)
      (index, lamport, bytes) = (Int(block.ref.index), Int(block.header.lamport), block.size)
      mode = block.header.mode.words
      (time, label) = (block.time.map { Timestamp(milliseconds: $0) }, block.label)
      seen = block.heads.map { Link($0, instances) }
      (changes, entries) = (block.changeCount, block.controlCount)
      (isPurged, isReached) = (block.header.mode.contains(.removed), block.isReached)
    }
  }

  /// The newest blocks of some chains.
  public struct BlockList: Sendable, Hashable {
    /// The chains that the blocks belong to, and the number of other chains.
    public let chains: [Chain], moreChains: Int
    /// The blocks, and the number of older blocks of these chains.
    public let blocks: [Block], moreBlocks: Int
    /// Problems that were found while reading. To find all problems, verify the place.
    public let findings: [Finding]

    init(_ newest: NewestBlocks, _ instances: Instances) {
      (chains, moreChains) = (newest.chains.map { Chain($0, instances) }, newest.moreChains)
      (blocks, moreBlocks) = (newest.blocks.map { Block($0, instances) }, newest.moreBlocks)
      findings = newest.problems.map { Finding($0) }
    }
  }

  /// A block with its content.
  public struct BlockContent: Sendable, Hashable {
    /// A field of the header.
    public struct Field: Sendable, Hashable {
      /// The name of the field, and its value in words.
      public let name: String, value: String
      /// The place of the field in the block, in bytes.
      public let offset: Int, size: Int
      /// The bytes of the field, as hexadecimal digits.
      public let hex: String
    }

    /// A change to a record.
    public struct Change: Sendable, Hashable {
      /// The id and the type of the record; the type is nil if the record has none.
      public let id: String, type: String?
      /// The new revision, its parent, and the other revisions that it merges.
      public let revision: Revision, parent: Revision?, merged: [Revision]
      /// Whether the revision deletes the record or ends its branch.
      public let isDeletion: Bool
      /// The size of the new content in bytes.
      public let bytes: Int
    }

    /// A control entry, which does not change a record.
    public struct Entry: Sendable, Hashable {
      /// The kind of the entry: `instance`, `shared`, `authorize`, `revoke`, `epoch`, `purge`, or a newer one.
      public let kind: String
      /// The content of the entry, as names and values.
      public let values: [Value]

      /// A name and a value of an entry.
      public struct Value: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The value as text.
        public let text: String
      }
    }

    /// The block.
    public let block: Block
    /// The digest of the block before this one in the chain.
    public let previous: String
    /// The fields of the header, in order.
    public let header: [Field]
    /// The first 200 changes; empty if the content cannot be read.
    public let changes: [Change]
    /// The control entries; empty if the content cannot be read.
    public let entries: [Entry]
    /// Why the content cannot be read; nil if it can.
    public let problem: String?
    /// The bytes of the block.
    public let bytes: [UInt8]

    init(_ block: InspectedBlock, _ bytes: UnsafeRawBufferPointer, keys: KeyRing?, _ instances: Instances) {
      self.block = Block(block, instances)
      self.bytes = Array(bytes)
      let header = block.header
      previous = header.previous.description
      self.header = header.fields.map { name, range, value in
        Field(
          name: name, value: value, offset: range.lowerBound, size: range.count,
          hex: Hex.text(UnsafeRawBufferPointer(rebasing: bytes[range])))
      }
      changes = block.changes.map(Change.init)
      let content = BlockReader.content(of: bytes, of: block.ref.instance, keys: keys)
      entries = content.payload?.controls.map { Entry($0, instances) } ?? []
      problem =
        header.mode.contains(.removed)
        ? "the content was purged" : block.fault.map { Failure.ofLibrary($0).message }
    }
  }
}

extension Database.Inspection.Block.Link {
  init(_ ref: BlockRef, _ instances: Instances) {
    (id, instance, index, digest) = (
      ref.description, instances[ref.instance], Int(ref.index), ref.digest.description
    )
  }
}

extension Database.Inspection.BlockContent.Change {
  init(_ change: InspectedBlock.Change) {
    (id, type, bytes, isDeletion) = (change.id, change.type, change.size, change.kind != .put)
    (revision, parent) = (Revision(change.revision), change.parent.map(Revision.init))
    merged = change.merged.map(Revision.init)
  }
}

extension Database.Inspection.BlockContent.Entry {
  init(_ entry: ControlEntry, _ instances: Instances) {
    func who(_ id: UUID) -> String { instances[id].name.map { "\($0) (\(id))" } ?? id.description }
    let pairs: [(String, String?)]
    switch entry {
    case .instance(let name, let key, let exchange, let follows):
      kind = "instance"
      pairs = [
        ("name", name), ("key", Hex.text(key)), ("exchange", Hex.text(exchange)),
        ("follows", follows.map { who($0.predecessor) }),
      ]
    case .shared(let key, let value): (kind, pairs) = ("shared", [("key", key), ("value", value ?? "removed")])
    case .authorize(let one):
      (kind, pairs) = (
        "authorize", [("instance", who(one.instance)), ("role", one.role.rawValue), ("key", Hex.text(one.key))]
      )
    case .revoke(let instance, let last, let keeps):
      kind = "revoke"
      pairs = [
        ("instance", who(instance)), ("last valid block", last.map { "\($0.index)" } ?? "none"),
        ("keeps", keeps.isEmpty ? nil : keeps.map(who).joined(separator: ", ")),
      ]
    case .epoch(let change):
      kind = "epoch"
      pairs = [
        ("epoch", "\(change.epoch)"), ("key slots", "\(change.slots.count)"), ("readers", "\(change.readers.count)"),
        ("ended", change.ended.isEmpty ? nil : "\(change.ended.count)"),
      ]
    case .purge(let order):
      (kind, pairs) = (
        "purge",
        [("block", "\(who(order.block.instance))/\(order.block.index)"), ("changes", "\(order.changes.count)")]
      )
    case .unknown(let name): (kind, pairs) = (name, [])
    }
    values = pairs.compactMap { name, text in text.map { Value(name: name, text: $0) } }
  }
}
