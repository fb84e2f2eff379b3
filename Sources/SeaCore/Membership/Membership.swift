/// Who belongs to a database, and which blocks count: a pure function of the entries in all verified blocks.
///
/// **Standing.** An instance has a role or none; a *cut* (which of its blocks are applied: nothing, everything, or the
/// chain up to one block); a *hearing* (which of its blocks say something about others and about what is purged; again a cut);
/// and an *authority* (which of them speak as an admin's). An entry counts only if its block is within hearing and
/// authority of its author.
///
/// **Lines.** An instance that goes on under a new key follows another one, and those that come from one instance are a
/// line with it. What is said about an instance is said about its successors, too; a line has one rank, and those in it
/// have no say about each other.
///
/// **Rank.** The line of recovery comes first, if there is one, then that of the founder. Then, breadth-first, all lines
/// of which a ranked instance has authorised one as admin by an entry that counts, in the order of (depth, first of
/// these entries). Entries are ordered by (Lamport time, author, index, item, hash of the block). Who is ranked before is
/// *senior*. A line keeps its rank. All others come behind, and entries written by them never count.
///
/// **Down the ranks.** The standing of an instance is worked out in the order of rank from the entries about it and its
/// predecessors that its seniors wrote and that count, in the order of entries:
/// - It starts without role, nothing counts. Recovery, founder and their successors start as admins, everything counts.
/// - authorise admin: cut and authority are everything.
/// - authorise write: the cut is everything. An authority of everything becomes nothing, any other stays.
/// - authorise read: a cut or authority of everything becomes nothing, any other stays.
/// - revoke: no role. The authority of an admin becomes the given cut, any other stays. So does the cut; but for a
///   reader it stays, unless the given one is nothing, and where nothing counts nothing counts afterwards.
/// - revoke of a predecessor, unless it keeps this one: no role, and if there was one nothing counts.
///
/// This decides which entries count, so of two who revoke each other without knowing it the senior one stays, and nobody
/// saws off the branch it sits on.
///
/// **Leaving.** Who has a role by the entries of others may end it by a revoke of itself, which takes its place in the
/// order of entries and does nothing where the role has ended already. Nothing else counts that an instance says about
/// itself.
///
/// **From all.** The cut that comes out is the hearing. Then role and cut are worked out once more, from all entries that
/// count, by seniors or not. Hearing and authority stay; an admin without an authority of
/// everything becomes a writer.
///
/// So whoever is revoked by a senior can change nothing any more. Whoever is revoked by juniors only writes nothing more that
/// is applied, but is still heard about others.
package struct Membership: Sendable {
  /// Nil until its first block is known: then nobody is a member.
  package let founder: UUID?
  /// The entries that count and took part, in their order.
  package let counted: [Entry]
  /// All instances that an entry counts about, their successors, and the founder, by rank.
  package let known: [Standing]
  private let places: [UUID: Int]
  /// The ranks of all in lines that ever had an admin, also of those about whom nothing counts.
  private let ranks: [UUID: Int]
  let successors: Successors

  /// Whether a block is on the branch that ends in another block of the same instance, or is that block. False as long
  /// as the other one is not known.
  package typealias IsWithin = (_ block: BlockRef, _ last: BlockRef) -> Bool

  /// - Parameters:
  ///   - births: the verified first blocks of all chains, in any order.
  ///   - entries: of verified blocks, in any order.
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

  /// Nil for somebody about whom nothing counts.
  package subscript(_ instance: UUID) -> Standing? { places[instance].map { known[$0] } }

  /// Whether an instance is senior to another: an unknown one is senior to nobody.
  package func isSenior(_ instance: UUID, to other: UUID) -> Bool {
    guard let rank = ranks[instance] else { return false }
    return rank < ranks[other] ?? .max
  }

  package func role(of instance: UUID) -> Role? { self[instance]?.role }

  /// Whether what a block says is applied.
  package func counts(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    self[block.instance]?.cut.covers(block, isWithin) ?? false
  }

  /// Whether what a block says counts as said by an admin, whatever juniors say of its author.
  package func hasAuthority(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    isHeard(block, isWithin) && self[block.instance]?.authority.covers(block, isWithin) == true
  }

  /// Whether what a block says is heard, whatever juniors say of its author.
  package func isHeard(_ block: BlockRef, _ isWithin: IsWithin) -> Bool {
    self[block.instance]?.hearing.covers(block, isWithin) ?? false
  }
}

extension Membership {
  /// A verified first block, as far as it says who somebody is.
  package struct Birth: Hashable, Sendable {
    package let instance: UUID
    /// The hash of the block.
    package let digest: Digest
    /// Whose place it takes: what its certificate says, which holds.
    package let follows: UUID?

    package init(instance: UUID, digest: Digest, follows: UUID? = nil) {
      self.instance = instance
      self.digest = digest
      self.follows = follows
    }

    /// - Returns: nil unless the entry is the first of a chain.
    package init?(_ entry: ControlEntry?, block: BlockRef) {
      guard case .instance(_, _, _, let follows)? = entry, block.index == 0 else { return nil }
      self.init(instance: block.instance, digest: block.digest, follows: follows?.predecessor)
    }
  }

  /// An entry about a membership, and where it stands.
  package struct Entry: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
      case authorise(Authorisation)
      /// Nothing counts of it without `last`.
      /// `keeps` are successors that it does not touch.
      case revoke(UUID, last: BlockRef?, keeps: [UUID])
    }

    /// The block that it is in, whose instance is the author.
    package let block: BlockRef
    /// The proven time of the block.
    package private(set) var lamport: UInt32
    /// Its number among the items of the block.
    package let item: UInt32
    package let act: Act

    package var author: UUID { block.instance }
    package var subject: UUID {
      switch act {
      case .authorise(let authorisation): authorisation.instance
      case .revoke(let instance, _, _): instance
      }
    }

    /// Nil for an entry that says nothing about membership.
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

    /// The same entry at another time.
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

    /// A block is its digest, and says one thing in one place.
    static func isSame(_ x: Entry, _ y: Entry) -> Bool { x.block == y.block && x.item == y.item }
  }

  /// Part of the blocks of one instance.
  package enum Cut: Hashable, Sendable {
    case nothing
    /// The chain up to this block, and no other branch beyond.
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
    /// The blocks that are heard, by what seniors say.
    package let hearing: Cut
    /// The blocks that speak as an admin's, as far as they are heard.
    package let authority: Cut
    /// That of its line: 0 for recovery, or for the founder where there is none; admins come before all others.
    package let rank: Int
    /// Whether somebody of its line was ever an admin: all others are juniors of those who were, and of nobody else.
    package let isRanked: Bool
    /// The oldest of its line: its own where it follows nobody.
    package let line: UUID
    package let follows: UUID?
    /// The last entry that gave it a role; nil for the founder as such.
    package let authorised: Entry?
    /// The entry that ended its membership.
    package let revoked: Entry?
    /// Its keys as authorised. Of founder and recovery only the first is known unless somebody has authorised them too,
    /// of successors none.
    package let key: [UInt8]?
    package let exchange: [UInt8]?
  }
}
