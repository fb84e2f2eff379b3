import SeaCore
import SeaStore
import SeaTestSupport
import Testing

/// Tests/vectors/clock: which blocks are earned and which are wrong, in whatever order they come.
@Suite struct ClockVectorTests {
  private struct Block {
    var ref: BlockRef
    var lamport: UInt32
    var label: String
    var previous: Digest
    var heads: [BlockRef] = []
  }

  /// The blocks of a vector, chain by chain in the order of the text.
  private func blocks(_ vector: Vector) -> [Block] {
    var instances: [Substring: UUID] = [:]
    var blocks: [Block] = []
    func digest(_ label: Substring) -> Digest { label == "-" ? .zero : SHA256.hash(Array(label.utf8)) }
    for line in vector.text {
      let words = line.split(separator: " ")
      switch words.first {
      case "instance": instances[words[1]] = Identity.instance(key: Hex.bytes(String(words[2]))!)
      case "block":
        let ref = BlockRef(instance: instances[words[1]]!, index: UInt32(words[2])!, digest: digest(words[4]))
        blocks.append(
          Block(ref: ref, lamport: UInt32(words[3])!, label: String(words[4]), previous: digest(words[5])))
      case "head":
        let head = BlockRef(
          instance: instances[words[1]] ?? UUID(high: 1, low: 2), index: UInt32(words[2])!, digest: digest(words[3]))
        blocks[blocks.count - 1].heads.append(head)
      default: continue
      }
    }
    return blocks
  }

  private func append(_ block: Block, to store: Store) throws -> Bool {
    var writer = ByteWriter()
    let heads = block.heads.sorted { $0.instance < $1.instance }
    let isFirst = block.ref.index == 0
    for head in heads { head.writeRow(into: &writer) }
    writer.payload(time: 0, label: nil, items: 1)
    var payload = Payload(time: 0, label: nil, heads: heads)
    let entry =
      isFirst
      ? ControlEntry.instance(
        name: "x", key: [UInt8](repeating: 1, count: 32), exchange: [UInt8](repeating: 2, count: 32))
      : .shared(key: block.label, value: "x")
    entry.write(into: &writer)
    payload.controls = [entry]
    writer.append([UInt8](repeating: 0, count: Payload.signatureSize))
    let header = BlockHeader(
      mode: [.signed, .control], payloadSize: UInt32(writer.count), index: block.ref.index, lamport: block.lamport,
      heads: UInt32(heads.count), previous: block.previous, data: .zero)
    guard var row = try store.branches.position(for: header, block.ref) else { return false }
    try (header.encoded() + writer.array()).withUnsafeBytes { bytes in
      let verified = VerifiedBlock(bytes: bytes, header: header, block.ref, payload: payload)
      _ = try store.intake.append(verified, to: &row, arrived: 0)
    }
    return true
  }

  @Test(arguments: Vector.all("clock")) func clockResultIsIndependentOfArrivalOrder(_ vector: Vector) throws {
    let blocks = blocks(vector)
    var random = SeededRandom(blocks.count > 0 ? UInt64(blocks.count) : 1)
    for round in 0..<6 {
      let store = try Store(temporary: ())
      defer { store.close() }
      // Blocks come behind the ones before them, and settling may happen anywhere between.
      var rest = blocks
      if round == 1 { rest.sort { ($0.ref.instance, $0.ref.index) < ($1.ref.instance, $1.ref.index) } }
      if round == 2 { rest.sort { ($1.ref.instance, $0.ref.index) < ($0.ref.instance, $1.ref.index) } }
      if round > 2 { rest.shuffle(using: &random) }
      while !rest.isEmpty {
        var left: [Block] = []
        try store.write {
          for block in rest where try !append(block, to: store) { left.append(block) }
          if Bool.random(using: &random) { _ = try store.judgeClocks() }
        }
        if left.count == rest.count { break }
        rest = left
      }
      try store.write { _ = try store.judgeClocks() }
      #expect(rest.isEmpty)
      var earned: [String] = []
      var wrong: [String] = []
      for block in blocks {
        let row = try #require(try store.blocks.block(block.ref))
        let branch = try #require(try store.branches.branch(row.branch))
        if row.isEarned { earned.append(block.label) }
        if let from = branch.wrongFrom, from <= row.index {
          wrong.append(block.label)
          #expect(row.state == .badLamport)
        } else {
          #expect(row.state == .applied)
        }
      }
      func words(_ labels: [String]) -> String { labels.isEmpty ? "none" : labels.sorted().joined(separator: " ") }
      #expect(words(earned) == vector["earned"], "round \(round)")
      #expect(words(wrong) == vector["bad-lamport"], "round \(round)")
      try checkSettings(vector, blocks, store)
    }
  }

  /// Each block but the first ones has a setting of its own: when it was said, and which of them overrules which.
  private func checkSettings(_ vector: Vector, _ blocks: [Block], _ store: Store) throws {
    var proven: [String: UInt32] = [:]
    for one in vector["proven"].split(separator: ", ") {
      let words = one.split(separator: " ")
      proven[String(words[0])] = UInt32(words[1])
    }
    let rows = try store.control.shared("").sorted { a, b in
      (a.earned, a.time, a.block.instance, a.block.digest) < (b.earned, b.time, b.block.instance, b.block.digest)
    }
    var labels: [String] = []
    for row in rows {
      guard case .shared(let label, _) = row.entry else { continue }
      labels.append(label)
      #expect(row.time == proven[label], "\(label)")
    }
    #expect((labels.isEmpty ? "none" : labels.joined(separator: " ")) == vector["settings"])
  }

  @Test func vectorFilesAreFound() { #expect(Vector.all("clock").count > 30) }
}
