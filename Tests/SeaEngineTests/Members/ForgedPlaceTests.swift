import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A stranger who can write into the container, and knows the public keys that stand in a request.
@Suite struct ForgedPlaceTests {
  /// What opens under a key that the stranger made up, in the name of a member: as the beginning of a second branch.
  private func block(_ member: Database, _ key: EpochKey) throws -> [UInt8] {
    let names = member.databaseID.bytes + member.instance.bytes
    let secret = try HKDF.key(key.bytes, info: Array("sea block v1".utf8) + names)
    var writer = ByteWriter()
    writer.payload(time: 0, label: nil, items: 1)
    try ControlEntry.instance(
      name: "x", key: member.access.ownCandidate().key, exchange: member.access.ownCandidate().exchange
    ).write(into: &writer)
    let clear = writer.array()
    var header = BlockHeader(
      mode: [.signed, .sealed, .control], payloadSize: UInt32(clear.count + SealedBlock.overhead), index: 0, lamport: 1,
      previous: .zero, data: .zero)
    let epoch = withUnsafeBytes(of: key.number.bigEndian) { Array($0) }
    let iv = [UInt8](repeating: 1, count: AESGCM.ivSize)
    let additional = names + header.encoded()[..<BlockHeader.signedPart] + epoch
    let sealed = try AESGCM.seal(clear, key: secret, iv: iv, additional: additional)
    let payload = epoch + iv + sealed + [UInt8](repeating: 3, count: Payload.signatureSize)
    header.data = SHA256.hash(payload)
    return header.encoded() + payload
  }

  @Test func aMadeUpKeyTroublesNobody() throws {
    let world = try MemberWorld(sealed: true)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    try two.exchange("origin")
    try one.exchange("team")
    try one.authorise(two, as: .write)
    #expect(try world.converge([one, two]) == [])
    let key = try #require(EpochKey(number: 7, bytes: [UInt8](repeating: 9, count: EpochKey.size)))
    let slot = try Slot.instance(
      one.instance, exchange: one.access.ownCandidate().exchange, key, database: one.databaseID,
      ephemeral: Random.bytes(32))
    try world.scratch.write("team/keys/\(slot.digest)", slot.bytes)
    let forged = try block(two, key)
    let branch = BranchID(two.instance, forkedAt: SHA256.hash(forged))
    try world.scratch.write("team/transactions/\(branch)/\(Layout.path(of: 0))", forged)
    for _ in 0..<2 {
      let problems = try one.exchange("team").problems
      #expect(problems.map(\.code) == [.badPrevious])
      #expect(try one.keychain.newestEpoch() == 1 && one.keychain.ring()?.all.map(\.number) == [1])
    }
    #expect(try one.store.branches.siblings().isEmpty)
    // The passphrase still opens everything.
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let three = try world.newcomer("three", ["team"], password: world.password)
    #expect(try three.number("a") == 1)
  }
}
