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
    var isUnreadable = false
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
      case "unreadable": blocks[blocks.count - 1].isUnreadable = true
      default: continue
      }
    }
    return blocks
  }

  private func append(_ block: Block, to store: Store) throws -> Bool {
    var writer = ByteWriter()
    let heads = block.heads.sorted { $0.instance < $1.instance }
    let isFirst = block.ref.index == 0
    writer.payload(time: 0, label: nil, heads: heads, items: isFirst ? 1 : 0)
    var payload = Payload(time: 0, label: nil, heads: heads)
    if isFirst {
      let entry = ControlEntry.instance(
        name: "x", key: [UInt8](repeating: 1, count: 32), exchange: [UInt8](repeating: 2, count: 32))
      entry.write(into: &writer)
      payload.controls = [entry]
    }
    writer.append([UInt8](repeating: 0, count: Payload.signatureSize))
    let header = BlockHeader(
      mode: isFirst ? [.signed, .control] : .signed, payloadSize: UInt32(writer.count), index: block.ref.index,
      lamport: block.lamport, previous: block.previous, data: .zero)
    guard var row = try store.branches.place(for: header, block.ref) else { return false }
    let bytes = header.encoded() + writer.array()
    try bytes.withUnsafeBytes { bytes in
      var verified = VerifiedBlock(bytes: bytes, header: header, block.ref, payload: block.isUnreadable ? nil : payload)
      if block.isUnreadable { verified.heads = nil }
      _ = try store.intake.append(verified, to: &row, arrived: 0)
    }
    return true
  }

  /// Where the first block of a chain cannot be read nothing of the chain is kept.
  private static let vectors = Vector.all("clock").filter { $0["name"] != "unread-first" }

  @Test(arguments: vectors) func whateverComesFirst(_ vector: Vector) throws {
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
          if Bool.random(using: &random) { _ = try store.judgeClocks { _ in nil } }
        }
        if left.count == rest.count { break }
        rest = left
      }
      try store.write { _ = try store.judgeClocks { _ in nil } }
      #expect(rest.isEmpty)
      var earned: [String] = []
      var wrong: [String] = []
      for block in blocks {
        let row = try #require(try store.blocks.block(block.ref))
        let branch = try #require(try store.branches.branch(row.branch))
        if row.isEarned { earned.append(block.label) }
        if let from = branch.wrongFrom, from <= row.index {
          wrong.append(block.label)
          #expect(row.state == (block.isUnreadable ? .unread : .badLamport))
        } else {
          #expect(row.state == (block.isUnreadable ? .unread : .applied))
        }
      }
      func words(_ labels: [String]) -> String { labels.isEmpty ? "none" : labels.sorted().joined(separator: " ") }
      #expect(words(earned) == vector["earned"], "round \(round)")
      #expect(words(wrong) == vector["bad-lamport"], "round \(round)")
    }
  }

  @Test func theyAreThere() { #expect(Vector.all("clock").count > 30) }
}
