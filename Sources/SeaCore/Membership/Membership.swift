/// The members of a database and the blocks that count, as a pure function of the entries in all verified blocks.
///
/// **Standing.** An instance may have a role. Its *cut* determines which of its blocks are applied: nothing,
/// everything, or the chain up to one block. Its *hearing*, also a cut, determines which blocks are heard about others
/// and about purges. Its *authority*, also a cut, determines which blocks speak as an admin's. An entry counts only if
/// its block is within the hearing and authority of its author.
///
/// **Lines.** An instance with a new key follows its predecessor. An instance and all its successors form a line. An
/// entry about an instance also applies to its successors. A line has one rank, and entries of its members about each
/// other do not count.
///
/// **Rank.** The recovery line, if any, comes first, then the founder's line. Breadth-first, all lines follow that a
/// ranked instance has made admin by an entry that counts, ordered by (depth, first such entry). Entries are ordered by
/// (Lamport time, author, index, item, hash of the block). An instance of an earlier rank is *senior*. A line keeps its
/// rank. All other lines come last, and their entries never count.
///
/// **Down the ranks.** The standing of each instance is computed in the order of rank. It uses the entries about the
/// instance and its predecessors that count and were written by seniors, in the order of entries:
/// - Initially there is no role and nothing counts. Recovery, founder and their successors start as admins; everything
///   counts.
/// - authorise admin: cut and authority become everything.
/// - authorise write: the cut becomes everything. An authority of everything becomes nothing; any other stays.
/// - authorise read: a cut or authority of everything becomes nothing; any other stays.
/// - revoke: the role ends. An admin's authority becomes the given cut; any other authority stays. The cut becomes the
///   given cut, too. It stays if it is nothing, or if the role is read and the given cut is a block.
/// - revoke of a predecessor, unless it keeps this instance: if there is a role, it ends, and cut and authority become
///   nothing.
///
/// This decides which entries count. If two instances revoke each other concurrently, the senior one stays, and no
/// instance can invalidate the entries its own standing depends on.
///
/// **Leaving.** A member whose role comes from others' entries may revoke itself. This revocation applies in the order
/// of entries, and has no effect after the role has ended. No other entry of an instance about itself counts.
///
/// **All entries.** The resulting cut is the hearing. Role and cut are then computed again from all entries that count,
/// including those of juniors. Hearing and authority stay; an admin without an authority of everything becomes a
/// writer.
///
/// An instance that a senior has revoked can therefore change nothing further. If only juniors have revoked an
/// instance, its later blocks are not applied, but its entries about others still count.
package struct Membership: Sendable {
  /// Nil, and so without members, until the founder's first block arrives.
  package let founder: UUID?
  /// The entries that count and were applied, in their order.
  package let counted: [Entry]
  /// The instances that entries count about, their successors, and the founder, by rank.
  package let known: [Standing]
  private let places: [UUID: Int]
  /// The ranks of all instances in lines that ever had an admin, even if no entry about them counts.
  private let ranks: [UUID: Int]
  let successors: Successors

  /// Whether a block is the last block or precedes it on its branch. False while the last block is unknown.
  package typealias IsWithin = (_ block: BlockRef, _ last: BlockRef) -> Bool

  /// - Parameters:
  ///   - births: the verified first blocks of all chains, in any order.
  ///   - entries: the entries of verified blocks, in any order.
  package init(
    _ proof: DatabaseProof, births: some Sequence<Birth>, entries: some Sequence<Entry>,
    isWithin: @escaping IsWithin
  ) {
    let births = Array(births)
    guard births.contains(where: { $0.instance == proof.founderInstance }) else {
      founder = nil
      counted = []
      known = []
      places = [:]
      ranks = [:]
      successors = Successors([])
      return
    }
    founder = proof.founderInstance
    let evaluation = MembershipEvaluation(proof, births, entries, isWithin: isWithin)
    counted = evaluation.counted
    known = evaluation.standings(proof)
    ranks = evaluation.ranks
    successors = evaluation.successors
    places = Dictionary(uniqueKeysWithValues: known.enumerated().map { ($1.instance, $0) })
  }

  /// The standing of an instance; nil if no entry about it counts.
  package subscript(_ instance: UUID) -> Standing? { places[instance].map { known[$0] } }

  /// Whether an instance is senior to another. An unknown instance is not senior to any other.
  package func isSenior(_ instance: UUID, to other: UUID) -> Bool {
    guard let rank = ranks[instance] else { return false }
    return rank < ranks[other] ?? .max
  }

  package func role(of instance: UUID) -> Role? { self[instance]?.role }

  /// Whether the content of a block is applied.
  package func counts(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    self[block.instance]?.cut.covers(block, isWithin) ?? false
  }

  /// Whether a block speaks as an admin's, regardless of juniors' entries about its author.
  package func hasAuthority(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    isHeard(block, isWithin) && self[block.instance]?.authority.covers(block, isWithin) == true
  }

  /// Whether the entries of a block are heard, regardless of juniors' entries about its author.
  package func isHeard(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    self[block.instance]?.hearing.covers(block, isWithin) ?? false
  }
}

extension Membership {
  /// The identity facts from a verified first block.
  package struct Birth: Hashable, Sendable {
    package let instance: UUID
    /// The hash of the block.
    package let digest: Digest
    /// The predecessor, from a valid certificate.
    package let follows: UUID?

    package init(instance: UUID, digest: Digest, follows: UUID? = nil) {
      self.instance = instance
      self.digest = digest
      self.follows = follows
    }

    /// - Returns: nil unless the entry is the first one of a chain.
    package init?(_ entry: ControlEntry?, block: BlockRef) {
      guard case .instance(_, _, _, let follows)? = entry, block.index == 0 else { return nil }
      self.init(instance: block.instance, digest: block.digest, follows: follows?.predecessor)
    }
  }

  /// An entry about a membership, with its block.
  package struct Entry: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
      case authorise(Authorisation)
      /// Without `last`, nothing of the instance counts. The successors in `keeps` stay members.
      case revoke(UUID, last: BlockRef?, keeps: [UUID])
    }

    /// The block with the entry; its instance is the author.
    package let block: BlockRef
    /// The proven time of the block.
    package private(set) var lamport: UInt32
    /// The index of the entry among the items of the block.
    package let item: UInt32
    package let act: Act

    package var author: UUID { block.instance }
    package var subject: UUID {
      switch act {
      case .authorise(let authorisation): authorisation.instance
      case .revoke(let instance, _, _): instance
      }
    }

    /// Nil if the entry is not about membership.
    package init?(_ entry: ControlEntry, block: BlockRef, lamport: UInt32, item: UInt32) {
      switch entry {
      case .authorise(let authorisation): act = .authorise(authorisation)
      case .revoke(let instance, let last, let keeps): act = .revoke(instance, last: last, keeps: keeps)
      case .instance, .shared, .epoch, .purge, .unknown: return nil
      }
      self.block = block
      self.lamport = lamport
      self.item = item
    }

    /// Returns the same entry with another time.
    package func at(_ time: UInt32) -> Entry {
      var entry = self
      entry.lamport = time
      return entry
    }

    var makesAdmin: Bool {
      guard case .authorise(let authorisation) = act else { return false }
      return authorisation.role == .admin
    }

    package static func precedes(_ x: Entry, _ y: Entry) -> Bool {
      if x.lamport != y.lamport { return x.lamport < y.lamport }
      if x.author != y.author { return x.author < y.author }
      if x.block.index != y.block.index { return x.block.index < y.block.index }
      if x.item != y.item { return x.item < y.item }
      return x.block.digest < y.block.digest
    }

    /// A digest identifies a block, and an item of a block is unique.
    static func isSame(_ x: Entry, _ y: Entry) -> Bool { x.block == y.block && x.item == y.item }
  }

  /// A subset of the blocks of an instance.
  package enum Cut: Hashable, Sendable {
    case nothing
    /// The chain up to this block, without other branches.
    case last(BlockRef)
    case everything

    package func covers(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
      switch self {
      case .nothing: false
      case .last(let last): isWithin(block, last)
      case .everything: true
      }
    }
  }

  package struct Standing: Sendable, Equatable {
    package let instance: UUID
    package let role: Role?
    /// The blocks that are applied.
    package let cut: Cut
    /// The blocks that are heard, according to seniors.
    package let hearing: Cut
    /// The heard blocks that speak as an admin's.
    package let authority: Cut
    /// The rank of its line: 0 for recovery, or for the founder without recovery. Admins come before all others.
    package let rank: Int
    /// Whether its line ever had an admin. Other lines are junior to those that had one, and to no others.
    package let isRanked: Bool
    /// The oldest instance of its line, which may be the instance itself.
    package let line: UUID
    package let follows: UUID?
    /// The last entry that gave it a role; nil for the founder's initial role.
    package let authorised: Entry?
    /// The entry that ended its membership.
    package let revoked: Entry?
    /// Its keys from its authorization. Without one, the exchange key is nil, and the other key exists only for founder
    /// and recovery.
    package let key: [UInt8]?
    package let exchange: [UInt8]?
  }
}
