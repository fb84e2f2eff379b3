import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Blocks of a newer format: they are kept, reported and forwarded, and later blocks do not wait for them.
@Suite struct FutureBlockTests {
  private enum Kind: String, CaseIterable, Sendable {
    case mode, about, need, format, value, revision, control

    func make(_ block: inout FutureBlock) {
      block.items = [FutureBlock.change("future")]
      switch self {
      case .mode: block.mode.insert(.init(rawValue: 0x40))
      case .about:
        block.about = FutureBlock.cbor { writer in
          writer.cborMap(2)
          writer.cborText("time")
          writer.cborInt(0)
          writer.cborText("place")
          writer.cborText("here")
        }
      case .need: block.needs = ["later"]
      case .format: block.format = 2
      case .value:
        block.needs = ["colors"]
        block.items = [FutureBlock.change("future") { $0.append([0xD9, 0xFF, 0xFF, 0x01]) }]
      case .revision:
        block.needs = ["moves"]
        block.items = [FutureBlock.change("future", kind: "moved")]
      case .control:
        block.mode.insert(.control)
        block.items = [FutureBlock.entry("later")]
      }
    }
  }

  /// Appends a future block to an author's chain in the container, like the author's newer program.
  private func append(
    _ make: (inout FutureBlock) -> Void, of author: Database, in world: MemberWorld, heads: [BlockRef] = [],
    jump: UInt32 = 0
  ) throws {
    let identity = try IdentityFile.read(folder: "\(author.path)/keys", key: nil)
    let chain = try #require(try author.store.branches.chain(author.instance))
    var block = FutureBlock()
    block.heads = heads
    make(&block)
    let clocks = try heads.map { try #require(try author.store.blocks.block($0)).lamport }
    let lamport = LamportClock.next(after: clocks.reduce(chain.lamport, max)) + jump
    let bytes = try block.made(
      author.databaseID, identity, behind: chain.head, lamport: lamport, key: author.keychain.ring()?.newest)
    try world.scratch.write(
      "team/transactions/\(author.instance)/\(Layout.path(of: chain.head.index + 1))", bytes)
  }

  /// The signature of a later block also covers an earlier one.
  @Test func laterSignatureCoversEarlierBlock() throws {
    let world = try MemberWorld(sealed: false)
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    let identity = try IdentityFile.read(folder: "\(one.path)/keys", key: nil)
    let chain = try #require(try one.store.branches.chain(one.instance))
    var (head, lamport) = (chain.head, chain.lamport)
    for (id, isSigned) in [("a", false), ("b", true)] {
      var block = FutureBlock()
      block.items = [FutureBlock.change(id)]
      lamport += 1
      var bytes = try block.made(one.databaseID, identity, behind: head, lamport: lamport)
      if !isSigned {
        bytes.replaceSubrange((bytes.count - Payload.signatureSize)..., with: [UInt8](repeating: 1, count: 64))
        bytes = resealed(bytes)
      }
      try world.scratch.write("team/transactions/\(one.instance)/\(Layout.path(of: head.index + 1))", bytes)
      head = BlockRef(instance: head.instance, index: head.index + 1, digest: hash(of: bytes))
      let told = try two.exchange("origin").problems.map(\.code)
      #expect(told == (isSigned ? [] : [.badSignature]))
    }
    for index in [head.index - 1, head.index] {
      let row = try #require(try two.store.blocks.block(BranchID(one.instance), index))
      #expect(try two.verification.verifyBlock(row) == nil)
    }
  }

  @Test(arguments: [false, true]) func futureBlocksAreKeptAndForwarded(sealed: Bool) throws {
    for kind in Kind.allCases {
      let world = try MemberWorld(sealed: sealed)
      let one = try world.founder("one", ["team"], members: false)
      try one.put("a", [("n", .integer(1))])
      try one.exchange("team")
      let two = try world.newcomer("two", ["team", "other"], password: world.password)
      try two.exchange("origin")
      try append({ kind.make(&$0) }, of: one, in: world)
      // The author and all others accept the block and continue after it.
      let codes = try one.exchange("team").problems.map(\.code)
      #expect(codes == (kind == .about ? [] : [.notReadable]), "\(kind)")
      try one.put("a", [("n", .integer(2))])
      #expect(try one.exchange("team").problems.isEmpty)
      let told = try two.exchange("origin").problems
      #expect(told.map(\.code) == (kind == .about ? [] : [.notReadable]) && told.allSatisfy { !$0.isError }, "\(kind)")
      #expect(try two.number("a") == 2, "\(kind)")
      #expect(try two.exchange("origin").problems.isEmpty)
      #expect(try two.status().unapplied.map(\.code) == (kind == .about ? [] : [.notReadable]))
      // It is forwarded unchanged.
      try two.exchange("other")
      let head = try #require(try one.store.branches.chain(one.instance)?.head.index)
      let copies = try ["team", "other"].map { folder in
        var found: [[UInt8]] = []
        _ = try world.container(folder).readBlocks(of: BranchID(one.instance), from: 0) { _, bytes in
          found.append(Array(bytes))
          return true
        }
        return found
      }
      #expect(copies[0] == copies[1] && copies[0].count == Int(head) + 1, "\(kind)")
      #expect(try two.store.projection.digest() == two.store.projection.expectedDigest())
      one.close()
      two.close()
    }
  }

  /// A signed block without a valid payload does not stop the chain either, but is reported as wrong.
  @Test(arguments: [false, true]) func blockWithInvalidPayloadIsKept(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    let before = one.instance
    try append({ $0.clear = [0xFF] }, of: one, in: world)
    #expect(try one.exchange("team").problems.map(\.code) == [.badPayload])
    try one.put("a", [("n", .integer(2))])
    try one.exchange("team")
    let told = try two.exchange("origin").problems
    #expect(told.map(\.code) == [.badPayload] && told.allSatisfy { !$0.isError })
    #expect(try two.number("a") == 2 && two.status().unapplied.map(\.code) == [.badPayload])
    var reports: [ChainReport] = []
    try two.verification.verifyStore({ reports.append($0) }, { _ in })
    #expect(reports.flatMap(\.faults).map(\.code) == [.badPayload] && reports.allSatisfy { $0.problem == nil })
    // Its clock is readable without a key, so its author continues after it.
    #expect(try one.instance == before && two.store.branches.chain(before)?.head.index == 2)
  }

  /// A block that may contain membership decisions holds back only blocks that others wrote without knowing it.
  @Test(arguments: [false, true]) func futureControlBlockDefersUnawareBlocks(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let (one, two, three) = try world.members(.write, .write, password: world.password)
    try two.put("a", [("n", .integer(1))])
    #expect(try world.converge([one, two, three]) == [])
    let seen = try #require(try one.store.branches.chain(two.instance)).head
    try two.put("b", [("n", .integer(1))])
    try two.exchange("origin")
    // The founder's newer program has seen the first of the two blocks.
    try append(
      { block in
        block.needs = ["circles"]
        block.mode.insert(.control)
        block.items = [FutureBlock.entry("circle")]
      }, of: one, in: world, heads: [seen])
    try three.exchange("origin")
    #expect(try three.number("a") == 1)
    #expect(try three.store.records.record("b") == nil)
    #expect(try three.store.blocks.blocks(.heldBack).filter { $0.instance == two.instance }.count == 1)
    // The founder continues.
    try one.exchange("team")
    try one.put("c", [("n", .integer(1))])
    try one.exchange("team")
    try three.exchange("origin")
    #expect(try three.number("c") == 1 && three.store.records.record("b") == nil)
    #expect(try three.store.projection.digest() == three.store.projection.expectedDigest())
  }

  /// The clock of the block does not matter for what it holds back. Verifying the container finds the same as an
  /// instance.
  @Test(arguments: [false, true], [0, 50]) func verifyAndPullDeferSameBlocks(sealed: Bool, jump: UInt32) throws {
    let world = try MemberWorld(sealed: sealed)
    let (one, two, three) = try world.members(.write, .write, password: world.password)
    try two.put("a", [("n", .integer(1))])
    try two.exchange("origin")
    try append(
      { block in
        block.needs = ["circles"]
        block.mode.insert(.control)
        block.items = [FutureBlock.entry("circle")]
      }, of: one, in: world, jump: jump)
    try three.exchange("origin")
    var told: [UUID: Int] = [:]
    try Verification.container(
      world.container("team"), named: "team", readsPayloads: true, keys: three.keychain.availableKeyRing(), { _ in },
      { found in
        if found.code == .unauthorized, let instance = found.instance { told[instance] = Int(found.detail) }
      })
    #expect(try three.status().held.first { $0.instance == two.instance }?.isHeldBack == true)
    let here = try three.store.blocks.pendingBlocks().map { ($0.instance, $0.blocks) }
    #expect(told == Dictionary(uniqueKeysWithValues: here) && told[two.instance] != nil)
  }
}
