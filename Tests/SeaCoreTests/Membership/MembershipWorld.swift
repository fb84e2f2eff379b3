import SeaCore
import SeaTestSupport

/// Chains of some instances, of which only what they say about memberships is there. The first is the founder.
struct MembershipWorld {
  struct Member {
    let key: [UInt8]
    let instance: UUID
  }

  enum Act {
    case authorize(Int, Role)
    case revoke(Int, BlockRef?)
    /// Revokes without a point, and keeps these.
    case keeping(Int, [Int])
  }

  static let members: [Member] = (0..<9).compactMap { k in
    guard let key = try? Ed25519.publicKey(seed: [UInt8](repeating: UInt8(k + 1), count: 32)) else { return nil }
    return Member(key: key, instance: Identity.instance(key: key))
  }

  let proof = DatabaseProof(founder: members[0].key, contentType: "org.example.notes", first: nil, hasMembers: true)!
  private(set) var entries: [Membership.Entry] = []
  /// The first blocks of all.
  var births = members.map { Membership.FirstBlock(instance: $0.instance, digest: SHA256.hash($0.key)) }
  /// The newest block of each instance's trunk.
  private(set) var heads: [BlockRef?] = Array(repeating: nil, count: members.count)
  /// All blocks of each instance.
  private(set) var blocks: [[BlockRef]] = Array(repeating: [], count: members.count)
  private var parents: [Digest: BlockRef?] = [:]
  private var lamports: [Digest: UInt32] = [:]
  private(set) var clock: UInt32 = 0

  /// Lets one go on in the place of another.
  mutating func follow(_ k: Int, _ before: Int?) {
    births[k] = Membership.FirstBlock(
      instance: instance(k), digest: births[k].digest, follows: before.map { instance($0) })
  }

  func instance(_ k: Int) -> UUID { Self.members[k].instance }

  /// Writes a block.
  /// - Parameters:
  ///   - after: the block it follows, if not the head of the trunk.
  ///   - lamport: behind that of the block before; the clock's, unless given.
  @discardableResult
  mutating func write(_ author: Int, _ acts: Act..., after: BlockRef? = nil, lamport: UInt32? = nil) -> BlockRef {
    write(author, acts: acts, after: after, lamport: lamport)
  }

  @discardableResult
  mutating func write(_ author: Int, acts: [Act], after: BlockRef? = nil, lamport: UInt32? = nil) -> BlockRef {
    let parent = after ?? heads[author]
    let least = parent.flatMap { lamports[$0.digest] }.map { $0 + 1 } ?? 1
    let time = max(least, lamport ?? clock + 1)
    clock = max(clock, time)
    let point = BlockRef(
      instance: instance(author), index: parent.map { $0.index + 1 } ?? 0,
      digest: SHA256.hash(Array("\(author) \(parents.count)".utf8)))
    parents[point.digest] = .some(parent)
    lamports[point.digest] = time
    blocks[author].append(point)
    if after == nil || after == heads[author] { heads[author] = point }
    for (item, act) in acts.enumerated() {
      entries.append(Membership.Entry(entry(act), block: point, lamport: time, item: UInt32(item))!)
    }
    return point
  }

  private func entry(_ act: Act) -> ControlEntry {
    switch act {
    case .authorize(let k, let role):
      let given = try? Authorization(
        key: Self.members[k].key, exchange: [UInt8](repeating: UInt8(k + 2), count: 32), role: role)
      return given.map { .authorize($0) } ?? .unknown("")
    case .keeping(let k, let kept):
      return .revoke(instance: instance(k), last: nil, keeps: kept.map { instance($0) }.sorted())
    case .revoke(let k, let last): return .revoke(instance: instance(k), last: last)
    }
  }

  func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool {
    var point: BlockRef? = last
    while let here = point {
      if here.index == block.index { return here.digest == block.digest }
      guard here.index > block.index, let parent = parents[here.digest] else { return false }
      point = parent
    }
    return false
  }

  func evaluate(_ entries: [Membership.Entry]? = nil) -> Membership {
    Membership(proof, births: births, entries: entries ?? self.entries, isWithin: { isWithin($0, $1) })
  }

  /// The roles of all, in the order of the members.
  func roles(_ membership: Membership? = nil) -> [Role?] {
    let membership = membership ?? evaluate()
    return Self.members.map { membership.role(of: $0.instance) }
  }
}
