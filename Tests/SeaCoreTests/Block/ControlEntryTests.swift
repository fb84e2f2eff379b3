import SeaCore
import SeaTestSupport
import Testing

/// The control entries of databases with members, and what is refused of them.
@Suite struct ControlEntryTests {
  /// RFC 8032, section 7.1, test 2.
  private let key = Hex.bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")!
  private let exchange = [UInt8](repeating: 5, count: 32)
  private var instance: UUID { Identity.instance(key: key) }

  private func digest(_ k: UInt8) -> Digest { Digest([UInt8](repeating: k, count: 32))! }

  /// A payload with one item.
  private func payload(_ item: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    writer.payload(time: 1, label: nil, items: 1)
    item(&writer)
    return writer.array()
  }

  private func read(_ bytes: [UInt8]) throws(CoreError) -> [ControlEntry] {
    var result: Result<[ControlEntry], CoreError> = .success([])
    bytes.withUnsafeBufferPointer { buffer in
      do throws(CoreError) {
        result = .success(try Payload(buffer, mode: [.signed, .control], first: false).controls)
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  private func map(_ pairs: [(String, (inout ByteWriter) -> Void)]) -> [UInt8] {
    payload { writer in
      writer.cborMap(pairs.count)
      for (name, value) in pairs {
        writer.cborText(name)
        value(&writer)
      }
    }
  }

  private typealias Value = (inout ByteWriter) -> Void
  private func text(_ text: String) -> Value { { $0.cborText(text) } }
  private func data(_ bytes: [UInt8]) -> Value { { writer in bytes.withUnsafeBytes { writer.cborData($0) } } }
  private func number(_ number: UInt64) -> Value { { $0.cborHead(0, number) } }
  private let null: Value = { $0.cborNull() }
  private func list(_ digests: [Digest]) -> Value {
    { writer in
      writer.cborArray(digests.count)
      for digest in digests { digest.withBytes { writer.cborData($0) } }
    }
  }

  private func instances(_ instances: [UUID]) -> Value {
    { writer in
      writer.cborArray(instances.count)
      for instance in instances { instance.withBytes { writer.cborData($0) } }
    }
  }

  @Test func entriesAreReadAsWritten() throws {
    var entries: [ControlEntry] = [
      .revoke(instance: instance, last: nil),
      .revoke(instance: instance, last: BlockRef(instance: instance, index: 70_000, digest: digest(7))),
      .revoke(instance: instance, last: nil, keeps: [UUID(high: 1, low: 2), UUID(high: 1, low: 3)]),
      .epoch(try EpochChange(epoch: 1, key: digest(1), slots: [digest(2), digest(1), digest(2)])),
      .epoch(try EpochChange(epoch: .max, key: digest(0), slots: [], ended: [digest(9)])),
      .epoch(
        try EpochChange(
          epoch: 3, key: digest(3), slots: [digest(4)], readers: [instance, UUID(high: 1, low: 2)],
          ended: [digest(3), digest(5)])),
    ]
    for role in Role.allCases {
      entries.append(.authorize(try Authorization(key: key, exchange: exchange, role: role)))
    }
    for entry in entries {
      #expect(try read(payload { entry.write(into: &$0) }) == [entry])
    }
  }

  private func authorize(
    key: [UInt8]? = nil, role: String = "write", exchange: [UInt8]? = nil, instance: [UInt8]? = nil
  ) -> [(String, Value)] {
    [
      ("key", data(key ?? self.key)), ("role", text(role)), ("control", text("authorize")),
      ("exchange", data(exchange ?? self.exchange)), ("instance", data(instance ?? self.instance.bytes)),
    ]
  }

  @Test func invalidAuthorizationIsRefused() throws {
    #expect(try read(map(authorize())).count == 1)
    #expect(try read(map(authorize() + [("zzzzzzzzz", null)])) == read(map(authorize())))
    var other = instance.bytes
    other[0] ^= 1
    let low = [UInt8](repeating: 0, count: 32)
    for bad in [
      authorize(role: "owner"), authorize(role: "Write"), authorize(role: ""), authorize(instance: other),
      authorize(key: Array(key.dropLast())), authorize(exchange: exchange + [0]), authorize(instance: []),
      authorize(key: low, instance: Identity.instance(key: low).bytes), Array(authorize().dropLast()),
      authorize().reversed(),
    ] {
      #expect(throws: CoreError.self) { try read(map(bad)) }
    }
  }

  private func revoke(_ index: @escaping Value, _ digest: @escaping Value) -> [(String, Value)] {
    [
      ("index", index), ("keeps", instances([])), ("digest", digest), ("control", text("revoke")),
      ("instance", data(instance.bytes)),
    ]
  }

  private func keeping(_ keeps: [UUID]) -> [(String, Value)] {
    revoke(null, null).map { $0.0 == "keeps" ? ("keeps", instances(keeps)) : $0 }
  }

  @Test func invalidRevocationIsRefused() throws {
    #expect(try read(map(keeping((0..<1000).map { UUID(high: 0, low: $0) }))).count == 1)
    let last = data(digest(1).bytes)
    #expect(try read(map(revoke(number(0), last))).count == 1)
    for bad in [
      revoke(null, last), revoke(number(1), null), revoke(number(1 << 32), last), revoke(text("1"), last),
      revoke(number(1), data([1])), Array(revoke(null, null).dropFirst()), Array(revoke(null, null).dropLast()),
      revoke(null, null).filter { $0.0 != "keeps" },
      keeping([UUID(high: 2, low: 1), UUID(high: 1, low: 1)]), keeping([instance, instance]),
      keeping((0...1000).map { UUID(high: 0, low: $0) }),
    ] {
      #expect(throws: CoreError.self) { try read(map(bad)) }
    }
  }

  private func epoch(
    _ ended: [Digest], _ number: UInt64, _ slots: [Digest], _ readers: [UUID] = []
  ) -> [(String, Value)] {
    [
      ("key", data(digest(1).bytes)), ("ended", list(ended)), ("epoch", self.number(number)), ("slots", list(slots)),
      ("control", text("epoch")), ("readers", instances(readers)),
    ]
  }

  @Test func invalidEpochIsRefused() throws {
    let (a, b) = (digest(1), digest(2))
    #expect(try read(map(epoch([], 1, [a, b]))).count == 1)
    for bad in [
      epoch([], 1, []), epoch([a], 1, [a]), epoch([b, a], 1, []), epoch([], 1, [b, a]), epoch([], 1, [a, a]),
      epoch([], 0, [a]), epoch([], 1 << 32, [a]), Array(epoch([], 1, [a]).dropFirst()),
      epoch([], 1, [a]).filter { $0.0 != "readers" },
      epoch([], 1, [a], [instance, instance]), epoch([], 1, [a], [UUID(high: 2, low: 1), UUID(high: 1, low: 1)]),
    ] {
      #expect(throws: CoreError.self) { try read(map(bad)) }
    }
    func many(_ count: Int) -> [Digest] {
      (0..<count).map { SHA256.hash(Array("\($0)".utf8)) }.sorted()
    }
    #expect(try read(map(epoch([], 1, many(EpochChange.mostSlots)))).count == 1)
    #expect(throws: CoreError.self) { try read(map(epoch([], 1, many(EpochChange.mostSlots + 1)))) }
    #expect(throws: CoreError.self) { try read(map(epoch(many(EpochChange.mostSlots + 1), 1, []))) }
    #expect(throws: CoreError.badBlock(.badPayload)) { try EpochChange(epoch: 1, key: a, slots: [a], ended: [a]) }
    #expect(throws: CoreError.badBlock(.badPayload)) { try EpochChange(epoch: 0, key: a, slots: [a]) }
  }

  /// Whatever is cut off or flipped, the decoder answers; what it takes is the one encoding of it.
  @Test(arguments: TestSeed.some(8)) func mutatedEntriesAreRefusedOrCanonical(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let entries: [ControlEntry] = [
      .authorize(try Authorization(key: key, exchange: exchange, role: .admin)),
      .revoke(instance: instance, last: BlockRef(instance: instance, index: 3, digest: digest(7))),
      .revoke(instance: instance, last: nil, keeps: [UUID(high: 1, low: 2), UUID(high: 1, low: 3)]),
      .epoch(
        try EpochChange(
          epoch: 3, key: digest(3), slots: [digest(4)], readers: [instance, UUID(high: 1, low: 2)],
          ended: [digest(3), digest(5)])),
    ]
    let front = payload { _ in }.count
    for _ in 0..<2000 {
      var bytes = payload { entries.randomElement(using: &random)!.write(into: &$0) }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let k = Int.random(in: 0..<bytes.count, using: &random)
        let byte = UInt8.random(in: 0...255, using: &random)
        bytes[k] = Bool.random(using: &random) ? byte : bytes[k] ^ 1 << (byte & 7)
      }
      if Int.random(in: 0..<4, using: &random) == 0 { bytes.removeLast(Int.random(in: 1...9, using: &random)) }
      guard let entry = try? read(bytes).first else { continue }
      if case .unknown = entry { continue }
      let written = payload { entry.write(into: &$0) }
      #expect(bytes.suffix(written.count - front) == written.suffix(written.count - front))
    }
  }
}
