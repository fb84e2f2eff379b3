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
    var isRemoved = false
    var orders: [PurgeOrder] = []

    var header: BlockHeader {
      BlockHeader(
        mode: .signed, payloadSize: 100, index: ref.index, lamport: lamport, previous: previous, data: .zero)
    }
  }

  /// The blocks of a vector, chain by chain in the order of the text. A removed block has the hash that its header gives.
  private func blocks(_ vector: Vector) -> [Block] {
    var instances: [Substring: UUID] = [:]
    var blocks: [Block] = []
    var hashes: [Substring: Digest] = ["-": .zero]
    var heads: [(block: Int, words: [Substring])] = []
    func digest(_ label: Substring) -> Digest { hashes[label] ?? SHA256.hash(Array(label.utf8)) }
    for line in vector.text {
      let words = line.split(separator: " ")
      switch words.first {
      case "instance": instances[words[1]] = Identity.instance(key: Hex.bytes(String(words[2]))!)
      case "block":
        let ref = BlockRef(instance: instances[words[1]]!, index: UInt32(words[2])!, digest: digest(words[4]))
        blocks.append(
          Block(ref: ref, lamport: UInt32(words[3])!, label: String(words[4]), previous: digest(words[5])))
      case "head": heads.append((blocks.count - 1, words))
      case "unreadable": blocks[blocks.count - 1].isUnreadable = true
      case "removed":
        let last = blocks.count - 1
        blocks[last].isRemoved = true
        hashes[Substring(blocks[last].label)] = blocks[last].header.hash
        blocks[last].ref.digest = blocks[last].header.hash
      default: continue
      }
    }
    for (block, words) in heads {
      let head = BlockRef(
        instance: instances[words[1]] ?? UUID(high: 1, low: 2), index: UInt32(words[2])!, digest: digest(words[3]))
      blocks[block].heads.append(head)
    }
    return blocks
  }

  /// Somebody else's chain that claims for the removed blocks what they name, each head in an order of its own.
  private func claims(for blocks: [Block]) -> [Block] {
    let instance = UUID(high: 9, low: 9)
    var chain: [Block] = []
    for number in 0...blocks.filter(\.isRemoved).reduce(0, { $0 + $1.heads.count }) {
      let digest = SHA256.hash(Array("claims \(number)".utf8))
      let ref = BlockRef(instance: instance, index: UInt32(number), digest: digest)
      chain.append(
        Block(
          ref: ref, lamport: UInt32(number) + 1, label: "claims \(number)", previous: chain.last?.ref.digest ?? .zero))
    }
    var next = 1
    for block in blocks where block.isRemoved {
      for head in block.heads {
        chain[next].orders = [PurgeOrder(block.ref.instance, header: block.header, heads: [head])]
        next += 1
      }
    }
    return chain
  }

  private func append(_ block: Block, to store: Store) throws -> Bool {
    var writer = ByteWriter()
    let heads = block.heads.sorted { $0.instance < $1.instance }
    let isFirst = block.ref.index == 0
    writer.payload(time: 0, label: nil, heads: heads, items: 1)
    var payload = Payload(time: 0, label: nil, heads: heads)
    let entry =
      isFirst
      ? ControlEntry.instance(
        name: "x", key: [UInt8](repeating: 1, count: 32), exchange: [UInt8](repeating: 2, count: 32))
      : .shared(key: block.label, value: "x")
    entry.write(into: &writer)
    payload.controls = block.orders.isEmpty ? [entry] : block.orders.map { .purge($0) }
    writer.append([UInt8](repeating: 0, count: Payload.signatureSize))
    var header = block.header
    if block.isRemoved {
      header = header.removed
    } else {
      header.mode = [.signed, .control]
      header.payloadSize = UInt32(writer.count)
    }
    guard var row = try store.branches.place(for: header, block.ref) else { return false }
    let bytes = header.encoded() + (block.isRemoved ? [] : writer.array())
    try bytes.withUnsafeBytes { bytes in
      if block.isRemoved {
        let verified = VerifiedBlock(bytes: bytes, header: header, block.ref, payload: nil)
        _ = try store.intake.append(verified, to: &row, arrived: 0)
        return
      }
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
    let all = blocks + claims(for: blocks)
    var random = SeededRandom(blocks.count > 0 ? UInt64(blocks.count) : 1)
    for round in 0..<6 {
      let store = try Store(temporary: ())
      defer { store.close() }
      // Blocks come behind the ones before them, and settling may happen anywhere between.
      var rest = all
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
          #expect(row.state == (block.isUnreadable || block.isRemoved ? .unread : .badLamport))
        } else {
          #expect(row.state == (block.isUnreadable || block.isRemoved ? .unread : .applied))
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
      guard case .shared(let label, _) = row.entry, !label.hasPrefix("claims") else { continue }
      labels.append(label)
      #expect(row.time == proven[label], "\(label)")
    }
    #expect((labels.isEmpty ? "none" : labels.joined(separator: " ")) == vector["settings"])
  }

  @Test func theyAreThere() { #expect(Vector.all("clock").count > 30) }
}
