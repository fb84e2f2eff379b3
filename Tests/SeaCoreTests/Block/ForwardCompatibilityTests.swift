import SeaCore
import SeaTestSupport
import Testing

/// What is said of a block whose header, digests and signature are right, whatever stands in it.
@Suite struct ForwardCompatibilityTests {
  private let identity: Identity
  private let proof: DatabaseProof
  private let key = EpochKey(number: 1, bytes: [UInt8](0..<32))!
  private let head: BlockRef
  private let other = BlockRef(instance: UUID(high: 9, low: 9), index: 4, digest: SHA256.hash([4]))

  init() throws {
    identity = try Identity(
      signingSeed: SHA256.hash(Array("sign".utf8)).bytes, exchangeSeed: SHA256.hash(Array("exchange".utf8)).bytes)
    proof = try #require(
      DatabaseProof(founder: identity.key, contentType: "org.example.notes", first: key.digest, hasMembers: false))
    head = BlockRef(instance: identity.instance, index: 6, digest: SHA256.hash([7]))
  }

  /// What a reader says: the fault of the chain, or why nothing is applied; nil if all is well.
  private func content(_ block: FutureBlock, sealed: Bool) throws -> BlockContent {
    let bytes = try block.made(proof.database, identity, behind: head, lamport: 9, key: sealed ? key : nil)
    var verifier = ChainVerifier(
      database: proof.database, head: head, lamport: 8, key: identity.key, isSealed: sealed)
    _ = try bytes.withUnsafeBytes { try verifier.check($0) }
    #expect(verifier.checkSignature() == nil)
    let keys = KeyRing(proof, keys: [key])
    return bytes.withUnsafeBytes { BlockReader.content(of: $0, of: identity.instance, keys: sealed ? keys : nil) }
  }

  private func fault(_ change: (inout FutureBlock) -> Void) throws -> [String] {
    try [false, true].map { sealed in
      var block = FutureBlock()
      block.items = [FutureBlock.change("a")]
      change(&block)
      switch try content(block, sealed: sealed).fault {
      case nil: return "ok"
      case .badBlock(let fault): return fault.rawValue
      case .notReadable: return "not-readable"
      case let other?: return "\(other)"
      }
    }
  }

  private func expect(
    _ said: String, sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout FutureBlock) -> Void
  ) throws {
    #expect(try fault(change) == [said, said], sourceLocation: sourceLocation)
  }

  @Test func currentFormatIsAccepted() throws {
    try expect("ok") { _ in }
    try expect("ok") { $0.heads = [other] }
    try expect("ok") { block in (block.items, block.heads) = ([], [other]) }
    try expect("bad-payload") { $0.items = [] }
  }

  @Test func unknownModeMakesBlockUnreadable() throws {
    for bit: UInt8 in [0x40, 0x80] {
      try expect("not-readable") { $0.mode.insert(.init(rawValue: bit)) }
      // Nothing of the payload is looked at.
      try expect("not-readable") { block in
        block.mode.insert(.init(rawValue: bit))
        block.clear = [0xFF]
      }
    }
    try expect("bad-payload") { $0.mode.insert(.control) }
    try expect("bad-payload") { $0.items.append(FutureBlock.entry("later")) }
    try expect("not-readable") { block in
      block.mode.insert(.control)
      block.items.append(FutureBlock.entry("later"))
    }
  }

  @Test func otherFormatMakesBlockUnreadable() throws {
    for format: Int64 in [0, 2, -1, .max, .min] { try expect("not-readable") { $0.format = format } }
    // The number of items neither.
    try expect("not-readable") { $0.clear = [0x81, 0x02] }
    try expect("not-readable") { $0.clear = [0x98, 0xFF, 0x02, 0xFF] }
    try expect("bad-payload") { $0.clear = [0x80] }
    try expect("bad-payload") { $0.clear = [0x81, 0x18, 0x02] }
    try expect("bad-payload") { $0.clear = [0x81, 0x60] }
    try expect("bad-payload") { $0.clear = [0xA1, 0x02] }
    try expect("bad-payload") { $0.clear = [0x81, 0x1B] + [UInt8](repeating: 0xFF, count: 8) }
  }

  @Test func unknownNeedMakesBlockUnreadable() throws {
    try expect("not-readable") { $0.needs = ["later"] }
    try expect("not-readable") { $0.needs = ["b", "aa"] }
    try expect("not-readable") { block in
      block.needs = ["later"]
      block.items = [[0xFF]]
    }
    for bad in [["aa", "b"], ["b", "a"], ["a", "a"], [""], [String(repeating: "x", count: 65)]] {
      try expect("bad-payload") { $0.needs = bad }
    }
    let many = (0..<17).map { "\($0 + 10)" }
    try expect("bad-payload") { $0.needs = many }
    try expect("not-readable") { $0.needs = Array(many.dropLast()) }
  }

  /// Heads can be read where what is behind them cannot.
  @Test func unreadableBlockStillShowsItsHeads() throws {
    for key in [nil, key] {
      for format: Int64 in [1, 2] {
        var block = FutureBlock()
        block.heads = [other]
        block.format = format
        block.items = [[0xFF]]
        let bytes = try block.made(proof.database, identity, behind: head, lamport: 9, key: key)
        #expect(try bytes.withUnsafeBytes { try BlockHeader($0).heads(in: $0) } == [other])
      }
    }
  }

  /// As many heads as a header can say, and one more.
  @Test func numberOfHeadsIsLimited() throws {
    var block = FutureBlock()
    block.heads = (1...BlockHeader.mostHeads).map {
      BlockRef(instance: UUID(high: UInt64($0), low: 1), index: 0, digest: SHA256.hash([4]))
    }
    #expect(try content(block, sealed: false).payload?.heads == block.heads)
    var header = BlockHeader(
      mode: .signed, payloadSize: 4 << 20, index: 1, lamport: 1, heads: UInt32(BlockHeader.mostHeads), previous: .zero,
      data: .zero)
    #expect((try? header.encoded().withUnsafeBytes { try BlockHeader($0) }) != nil)
    header.heads += 1
    #expect(throws: CoreError.badBlock(.badSize)) { try header.encoded().withUnsafeBytes { try BlockHeader($0) } }
  }

  /// Heads that are none are refused before anything of the block is read.
  @Test func invalidHeadsAreRefused() throws {
    var later = other
    later.index = .max
    for bad in [[other, other], [head], [later]] {
      var block = FutureBlock()
      block.heads = bad
      #expect(throws: CoreError.badBlock(.badPayload)) { try content(block, sealed: false) }
    }
  }

  @Test func aboutAcceptsUnknownKeysWithinLimits() throws {
    func map(_ pairs: [(String, [UInt8])]) -> [UInt8] {
      FutureBlock.cbor { writer in
        writer.cborMap(pairs.count)
        for (key, value) in pairs {
          writer.cborText(key)
          writer.append(value)
        }
      }
    }
    func nested(_ levels: Int) -> [UInt8] { [UInt8](repeating: 0x81, count: levels - 1) + [0x00] }
    let time: (String, [UInt8]) = ("time", [0x00])
    try expect("ok") { $0.about = map([("by", [0x61, 0x78]), time, ("zzzzz", nested(8))]) }
    try expect("bad-payload") { $0.about = map([time, ("zzzzz", nested(9))]) }
    try expect("bad-payload") { $0.about = map([time, ("by", [0x00])]) }
    try expect("bad-payload") { $0.about = map([("by", [0x00])]) }
    try expect("bad-payload") { $0.about = map([time, ("zzzzz", [0xF9, 0x00, 0x00])]) }
    try expect("ok") { $0.about = map((0..<15).map { ("a\($0 + 10)", [0xF6]) } + [time]) }
    try expect("bad-payload") { $0.about = map((0..<16).map { ("a\($0 + 10)", [0xF6]) } + [time]) }
  }

  /// A value and a kind of revision of which this version knows nothing: an error, or behind a need the future.
  @Test func unknownItemIsRefusedUnlessNeedIsDeclared() throws {
    let items = [
      FutureBlock.change("a") { $0.append([0xD9, 0xFF, 0xFF, 0x01]) }, FutureBlock.change("a", kind: "moved"),
      FutureBlock.cbor { $0.cborArray(7) },
    ]
    for item in items {
      try expect("bad-payload") { $0.items = [item] }
      try expect("not-readable") { block in
        block.items = [item]
        block.needs = ["later"]
      }
    }
  }

  @Test func clearListRequiresPurgeEntry() throws {
    let rows = (1...3).map { BlockRef(instance: UUID(high: 1, low: 1), index: $0, digest: SHA256.hash([1])) }
    let purge = { (block: inout FutureBlock) in
      block.mode.formUnion([.control, .orders])
      block.items = [FutureBlock.entry("purge")]
    }
    for sealed in [false, true] {
      var block = FutureBlock()
      purge(&block)
      block.list = rows.reversed()
      let bytes = try block.made(proof.database, identity, behind: head, lamport: 9, key: sealed ? key : nil)
      #expect(try bytes.withUnsafeBytes { try ClearList.blocks(of: $0) } == rows)
    }
    // Without a purge entry, or without the list.
    try expect("bad-payload") { block in
      block.mode.insert(.orders)
      block.list = rows
    }
    try expect("bad-payload") { block in
      block.mode.insert(.control)
      block.items = [FutureBlock.entry("purge")]
    }
    try expect("bad-payload") { block in
      purge(&block)
      block.clear = [0xFF, 0xFF, 0xFF, 0xFF]
    }
  }
}
