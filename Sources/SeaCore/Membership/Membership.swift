/// Computes the members of a database and the blocks that count. The result depends only on the entries in all verified
/// blocks.
///
/// **Standing.** An instance has at most one role and three cutoffs, each of which is `nothing`, `everything`, or the
/// chain up to a certain block. The *cut* determines which blocks are applied. The *hearing* determines in which blocks
/// purge orders and entries about other instances are considered. The *authority* determines which blocks were written
/// with admin rights. An entry counts only if its block is within both the hearing and the authority of its author.
///
/// **Lines.** An instance that gets a new key continues as a new instance, its successor. An instance and all its
/// successors form a line, which has one rank. An entry about an instance also applies to its successors. Entries that
/// members of a line write about each other do not count.
///
/// **Rank.** The recovery line, if there is one, comes first, followed by the creator's line. Next come, in
/// breadth-first order, all lines in which an already ranked instance has made someone an admin with an entry that
/// counts. Lines at the same depth are sorted by the first such entry. Entries are sorted by (Lamport time, author,
/// index, item, hash of the block). An instance with an earlier rank is *senior* to one with a later rank. A line never
/// loses its rank. All other lines come last, and their entries never count.
///
/// **From senior to junior.** The standing of each instance is computed in order of rank. The entries that count and
/// that seniors wrote about the instance or its predecessors are applied in the order of entries:
/// - Initially, an instance has no role, and all its cutoffs are `nothing`. The recovery instance, the creator and
///   their successors start as admins whose cutoffs are `everything`.
/// - authorize admin: cut and authority become `everything`.
/// - authorize write: the cut becomes `everything`. An authority of `everything` becomes `nothing`; any other authority
///   remains unchanged.
/// - authorize read: a cut or authority of `everything` becomes `nothing`; any other remains unchanged.
/// - revoke: the role ends. An admin's authority becomes the given cut; any other authority remains unchanged. The cut
///   also becomes the given cut, unless it is `nothing`, or the role is read and the given cut is a block.
/// - revoke a predecessor, unless the entry keeps the instance: any existing role ends, and cut and authority become
///   `nothing`.
///
/// The result determines which entries count. If two instances revoke each other concurrently, the senior instance
/// remains a member. No instance can invalidate the entries on which its own standing depends.
///
/// **Leaving.** A member whose role comes from others' entries can revoke itself. The revocation applies in the order
/// of entries, and has no effect if the role has already ended. Other entries of an instance about itself do not count.
///
/// **Junior entries.** The cut that results from seniors' entries becomes the hearing. Role and cut are then computed
/// again from all entries that count, including those of juniors, while hearing and authority stay the same. An admin
/// whose authority is not `everything` becomes a writer.
///
/// Therefore, an instance that a senior has revoked can no longer change anything. If only juniors have revoked an
/// instance, its later blocks are not applied, but its entries about others still count.
package struct Membership: Sendable {
  /// The creator; nil until the creator's first block arrives. Until then, the database has no members.
  package let creator: UUID?
  /// The entries that count and had an effect, sorted.
  package let counted: [Entry]
  /// The creator, the instances about which entries count, and their successors, sorted by rank.
  package let known: [Standing]
  private let places: [UUID: Int]
  private let ranks: [UUID: Int]
  let successors: Successors

  /// Whether `block` is `last` or an earlier block on the same branch. The result is false if `last` is not known yet.
  package typealias IsWithin = (_ block: BlockRef, _ last: BlockRef) -> Bool

  /// - Parameters:
  ///   - births: the verified first blocks of all chains, in any order.
  ///   - entries: the entries of verified blocks, in any order.
  package init(
    _ proof: DatabaseProof, births: some Sequence<FirstBlock>, entries: some Sequence<Entry>,
    isWithin: @escaping IsWithin
  ) {
    let births = Array(births)
    guard births.contains(where: { $0.instance == proof.founderInstance }) else {
      creator = nil
      counted = []
      known = []
      places = [:]
      ranks = [:]
      successors = Successors([])
      return
    }
    creator = proof.founderInstance
    let evaluation = MembershipEvaluation(proof, births, entries, isWithin: isWithin)
    counted = evaluation.counted
    known = evaluation.standings(proof)
    ranks = evaluation.ranks
    successors = evaluation.successors
    places = Dictionary(uniqueKeysWithValues: known.enumerated().map { ($1.instance, $0) })
  }

  /// Returns the standing of an instance; nil if there is no entry about the instance that counts.
  package subscript(_ instance: UUID) -> Standing? { places[instance].map { known[$0] } }

  /// Whether `instance` is senior to `other`. An unknown instance is not senior to any other.
  package func isSenior(_ instance: UUID, to other: UUID) -> Bool {
    guard let rank = ranks[instance] else { return false }
    return rank < ranks[other] ?? .max
  }

  package func role(of instance: UUID) -> Role? { self[instance]?.role }

  package func counts(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    self[block.instance]?.cut.covers(block, isWithin) ?? false
  }

  /// Whether a block has the authority of an admin, regardless of what juniors' entries say about its author.
  package func hasAuthority(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    isHeard(block, isWithin) && self[block.instance]?.authority.covers(block, isWithin) == true
  }

  /// Whether the entries in a block are considered, regardless of what juniors' entries say about its author.
  package func isHeard(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    self[block.instance]?.consideredBlocks.covers(block, isWithin) ?? false
  }
}

extension Membership {
  package struct FirstBlock: Hashable, Sendable {
    package let instance: UUID
    package let digest: Digest
    package let follows: UUID?

    package init(instance: UUID, digest: Digest, follows: UUID? = nil) {
      self.instance = instance
      self.digest = digest
      self.follows = follows
    }

    /// - Returns: nil unless the entry is in block 0 and describes the instance.
    package init?(_ entry: ControlEntry?, block: BlockRef) {
      guard case .instance(_, _, _, let follows)? = entry, block.index == 0 else { return nil }
      self.init(instance: block.instance, digest: block.digest, follows: follows?.predecessor)
    }
  }

  package struct Entry: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
      case authorize(Authorization)
      /// Ends a membership. If `last` is nil, no blocks of the instance count. The successors in `keeps` stay members.
      case revoke(UUID, last: BlockRef?, keeps: [UUID])
    }

    package let block: BlockRef
    package private(set) var lamport: UInt32
    package let item: UInt32
    package let act: Act

    package var author: UUID { block.instance }
    package var subject: UUID {
      switch act {
      case .authorize(let authorization): authorization.instance
      case .revoke(let instance, _, _): instance
      }
    }

    package init?(_ entry: ControlEntry, block: BlockRef, lamport: UInt32, item: UInt32) {
      switch entry {
      case .authorize(let authorization): act = .authorize(authorization)
      case .revoke(let instance, let last, let keeps): act = .revoke(instance, last: last, keeps: keeps)
      case .instance, .shared, .epoch, .purge, .unknown: return nil
      }
      self.block = block
      self.lamport = lamport
      self.item = item
    }

    package func at(_ time: UInt32) -> Entry {
      var entry = self
      entry.lamport = time
      return entry
    }

    var makesAdmin: Bool {
      guard case .authorize(let authorization) = act else { return false }
      return authorization.role == .admin
    }

    package static func precedes(_ x: Entry, _ y: Entry) -> Bool {
      if x.lamport != y.lamport { return x.lamport < y.lamport }
      if x.author != y.author { return x.author < y.author }
      if x.block.index != y.block.index { return x.block.index < y.block.index }
      if x.item != y.item { return x.item < y.item }
      return x.block.digest < y.block.digest
    }

    /// The digest identifies a block, and the item number identifies an entry within the block.
    static func isSame(_ x: Entry, _ y: Entry) -> Bool { x.block == y.block && x.item == y.item }
  }

  package enum BlockSelection: Hashable, Sendable {
    case nothing
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
    package let cut: BlockSelection
    /// The blocks whose entries are considered, as determined by seniors.
    package let consideredBlocks: BlockSelection
    /// The blocks within `consideredBlocks` that have the authority of an admin.
    package let authority: BlockSelection
    /// The rank of the instance's line, starting at 0. Lines that have ever had an admin come first.
    package let rank: Int
    /// Whether the instance's line has ever had an admin. Other lines are junior to all ranked lines, but not to each
    /// other.
    package let isRanked: Bool
    /// The oldest instance of the instance's line, which may be the instance itself.
    package let line: UUID
    package let follows: UUID?
    /// The last entry that gave the instance a role; nil for the creator's initial role.
    package let authorized: Entry?
    package let revoked: Entry?
    /// The Ed25519 key. Among instances without an authorization, only the creator and the recovery instance have one.
    package let key: [UInt8]?
    package let exchange: [UInt8]?
  }
}
