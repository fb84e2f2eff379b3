import SeaCore
import SeaTestSupport
import Testing

/// What somebody can do with very many entries: nothing.
@Suite struct MembershipSizeTests {
  private let founder = MembershipWorld.members[0]

  private func digest(_ text: String) -> Digest { SHA256.hash(Array(text.utf8)) }

  private func entry(_ author: UUID, _ index: Int, _ lamport: Int, _ act: ControlEntry) throws -> Membership.Entry {
    let block = BlockRef(instance: author, index: UInt32(index), digest: digest("\(author) \(index)"))
    return try #require(Membership.Entry(act, block: block, lamport: UInt32(lamport), item: 0))
  }

  private func evaluate(_ entries: [Membership.Entry]) -> Membership {
    Membership(MembershipWorld().proof, births: MembershipWorld().births, entries: entries) { $0.index <= $1.index }
  }

  /// Keys that nobody has the other half of do here.
  private func authorization(_ k: Int) throws -> Authorization {
    var bytes = digest("\(k)").bytes
    bytes[31] = 1
    return try Authorization(key: bytes, exchange: bytes, role: .admin)
  }

  @Test func manyRevocationsAreEvaluated() throws {
    let entries = try (0..<20_000).map { k in
      try entry(founder.instance, k, k + 1, .revoke(instance: UUID(high: UInt64(k), low: 7), last: nil))
    }
    let membership = evaluate(entries)
    #expect(membership.known.count == 20_001)
  }

  @Test func manyAdminsAreEvaluated() throws {
    let entries = try (0..<20_000).map { k in
      try entry(founder.instance, k, k + 1, .authorize(authorization(k)))
    }
    let membership = evaluate(entries)
    #expect(membership.known.count == 20_001)
    #expect(membership.known.last?.role == .admin)
  }

  /// Many admins of which each contradicts all of its seniors.
  @Test(arguments: [20, 60]) func creatorStaysAdminAmongMutualRevocations(_ count: Int) throws {
    let people = try (0..<count).map { try authorization($0) }
    var entries: [Membership.Entry] = []
    for (k, one) in people.enumerated() {
      entries.append(try entry(founder.instance, k, k + 1, .authorize(one)))
      for senior in 0..<k {
        let act: ControlEntry =
          senior % 3 == 0
          ? .authorize(people[senior])
          : .revoke(
            instance: people[senior].instance,
            last: BlockRef(instance: people[senior].instance, index: UInt32(senior), digest: .zero))
        entries.append(try entry(one.instance, senior, count + k, act))
      }
    }
    let membership = evaluate(entries)
    #expect(membership.role(of: founder.instance) == .admin)
  }
}
