import SeaCore
import SeaTestSupport
import Testing

/// Tests/vectors/member and request: the second evaluator, and what a reader must refuse of a join request.
@Suite struct MembershipVectorTests {
  /// The blocks that a vector's text tells of.
  struct Story: MembershipFacts {
    struct Block {
      let name: String
      let label: String
      let head: BlockRef
      let lamport: UInt32
    }

    private(set) var keys: [String: [UInt8]] = [:]
    private(set) var blocks: [Block] = []
    private var spoken: [Membership.Entry] = []
    private var born: [Membership.FirstBlock] = []
    var proof: DatabaseProof?
    var isReversed = false
    private(set) var epochs: [(block: BlockRef, change: EpochChange)] = []
    /// What each block names, and those that cannot be read.
    private var heads: [Digest: [BlockRef]] = [:]
    private var unreadable: [BlockRef] = []
    private var parents: [Digest: Digest] = [:]
    private var indices: [Digest: UInt32] = [:]

    init(_ text: [String]) throws {
      var item: UInt32 = 0
      for line in text where !line.isEmpty {
        let words = line.split(separator: " ").map(String.init)
        if words[0] == "instance" {
          keys[words[1]] = Hex.bytes(words[2])
        } else if words[0] == "block" {
          let head = BlockRef(
            instance: try instance(words[1]), index: try #require(UInt32(words[2])), digest: Self.digest(words[4]))
          blocks.append(
            Block(name: words[1], label: words[4], head: head, lamport: try #require(UInt32(words[3]))))
          if head.index == 0 { born.append(Membership.FirstBlock(instance: head.instance, digest: head.digest)) }
          if words[5] != "-" { parents[head.digest] = Self.digest(words[5]) }
          indices[head.digest] = head.index
          item = 0
        } else if words[0] == "follows" {
          let block = try #require(blocks.last).head
          born[born.count - 1] = Membership.FirstBlock(
            instance: block.instance, digest: block.digest, follows: try instance(words[1]))
        } else if words[0] == "epoch" {
          epochs.append((try #require(blocks.last).head, try epoch(words)))
          item += 1
        } else if words[0] == "head" {
          let head = BlockRef(
            instance: try instance(words[1]), index: try #require(UInt32(words[2])), digest: Self.digest(words[3]))
          heads[try #require(blocks.last).head.digest, default: []].append(head)
        } else if words[0] == "unreadable" {
          unreadable.append(try #require(blocks.last).head)
        } else {
          let block = try #require(blocks.last)
          if let said = try control(words) {
            spoken.append(
              try #require(Membership.Entry(said, block: block.head, lamport: block.lamport, item: item)))
          }
          item += 1
        }
      }
    }

    /// epoch NUMBER LABEL [slots LABEL ...] [ended LABEL ...] [readers NAME ...]
    private func epoch(_ words: [String]) throws -> EpochChange {
      var lists: [String: [String]] = [:]
      var name = ""
      for word in words.dropFirst(3) {
        if ["slots", "ended", "readers"].contains(word) { name = word } else { lists[name, default: []].append(word) }
      }
      return try EpochChange(
        epoch: #require(UInt32(words[1])), key: Self.digest(words[2]), slots: (lists["slots"] ?? []).map(Self.digest),
        readers: (lists["readers"] ?? []).map(instance), ended: (lists["ended"] ?? []).map(Self.digest))
    }

    static func digest(_ label: String) -> Digest { SHA256.hash(Array(label.utf8)) }

    func instance(_ name: String) throws -> UUID { Identity.instance(key: try #require(keys[name])) }

    private func control(_ words: [String]) throws -> ControlEntry? {
      switch words[0] {
      case "authorize":
        let exchange = [UInt8](repeating: 9, count: 32)
        let role = try #require(Role(rawValue: words[2]))
        return .authorize(try Authorization(key: #require(keys[words[1]]), exchange: exchange, role: role))
      case "revoke":
        let instance = try instance(words[1])
        let keeps = try words.firstIndex(of: "keeps").map { try words[($0 + 1)...].map(self.instance) } ?? []
        guard words[2] != "none" else { return .revoke(instance: instance, last: nil, keeps: keeps.sorted()) }
        let last = BlockRef(instance: instance, index: UInt32(words[2])!, digest: Self.digest(words[3]))
        return .revoke(instance: instance, last: last, keeps: keeps.sorted())
      default: return nil
      }
    }

    func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool {
      guard let head = blocks.first(where: { $0.head.digest == last.digest })?.head, head.index == last.index,
        head.instance == block.instance
      else { return false }
      var at: Digest? = last.digest
      while let digest = at {
        if digest == block.digest { return true }
        at = parents[digest]
      }
      return false
    }

    /// Each as if it were on a branch of its own.
    func unreadableControlBlocks() -> [BlockRef] {
      unreadable.map {
        BlockRef(BranchID($0.instance, forkedAt: $0.digest), index: $0.index, digest: $0.digest)
      }
    }

    func heads(upTo block: BlockRef) -> [BlockRef] {
      var named: [[BlockRef]] = []
      var at: Digest? = block.digest
      while let digest = at {
        named.append(heads[digest] ?? [])
        at = parents[digest]
      }
      return named.reversed().flatMap { $0 }
    }

    func births() -> [Membership.FirstBlock] { isReversed ? born.reversed() : born }
    func entries() -> [Membership.Entry] { isReversed ? spoken.reversed() : spoken }

    /// As the vectors write it.
    func text(_ cut: Membership.BlockSelection) -> String {
      switch cut {
      case .nothing: return "none"
      case .everything: return "all"
      case .last(let last):
        let labels = blocks.map(\.label) + (1...9).flatMap { k in keys.keys.map { "\($0)\(k)" } }
        return "\(last.index) \(labels.first { Self.digest($0) == last.digest } ?? "?")"
      }
    }
  }

  @Test(arguments: Vector.all("member"))
  func membershipMatchesVector(_ vector: Vector) throws {
    var story = try Story(vector.text)
    story.proof = Hex.bytes(vector["proof"]).flatMap { DatabaseProof($0) }
    for isReversed in [false, true] {
      story.isReversed = isReversed
      let judge = BlockValidity(story)
      let membership = try #require(judge.membership)
      for name in story.keys.keys {
        let standing = membership[try story.instance(name)]
        let cuts = [standing?.cut, standing?.consideredBlocks, standing?.authority].map { story.text($0 ?? .nothing) }
        let said = ([standing?.role?.rawValue ?? "none"] + cuts).joined(separator: ", ")
        #expect(said == vector["member-\(name)"], "\(name)")
      }
      let held = story.blocks
        .filter { !judge.counts($0.head) }.map(\.label).sorted()
      #expect((held.isEmpty ? "none" : held.joined(separator: " ")) == vector["held"])
    }
  }

  @Test(arguments: Vector.all("epoch"))
  func epochKeysMatchVector(_ vector: Vector) throws {
    var story = try Story(vector.text)
    let proof = try #require(Hex.bytes(vector["proof"]).flatMap { DatabaseProof($0) })
    story.proof = proof
    let judge = BlockValidity(story)
    let membership = judge.membership
    let known = Set(
      story.births().map(\.instance) + (membership?.known.filter { $0.exchange != nil }.map(\.instance) ?? []))
    let entitled = story.epochs
      .filter { judge.hasAuthority($0.block) ?? true }
      .map { EpochCount.Entry($0.change, by: $0.block.instance) }
    for entries in [entitled, entitled.reversed()] {
      let count = EpochCount(entries, first: proof.first, membership) { known.contains($0) }
      let labels = Dictionary(
        vector.text.flatMap { $0.split(separator: " ").map(String.init) }.map { (Story.digest($0), $0) }
      ) { first, _ in first }
      let keys = count.keys.map { "\($0.number) \(labels[$0.digest] ?? "?")" }
      #expect((keys.isEmpty ? "none" : keys.sorted().joined(separator: ", ")) == vector["counting"])
      #expect(keys.first ?? "none" == vector["seals"])
      let counting = entries.filter { count.counts($0.key) }.map(\.change)
      let valid = Set(counting.flatMap(\.slots)).subtracting(counting.flatMap(\.ended))
      let slots = valid.map { labels[$0] ?? "?" }.sorted()
      #expect((slots.isEmpty ? "none" : slots.joined(separator: " ")) == vector["slots"])
    }
  }

  @Test(arguments: Vector.all("request"))
  func joinRequestMatchesVector(_ vector: Vector) throws {
    let read = Result { () throws(CoreError) in
      try JoinRequest(vector.bytes, of: vector.instance, in: vector.database)
    }
    switch read {
    case .success(let request):
      #expect(vector["expect"] == "ok")
      #expect(request.key == Hex.bytes(vector["key"]))
      #expect("\"\(request.name)\"" == vector["called"] || vector["called"].contains("\\"))
      #expect(request.exchange == Hex.bytes(vector["exchange"]))
      #expect(request.fingerprint.words.joined(separator: " ") == vector["words"])
    case .failure(.badRequest(let fault)): #expect(fault.rawValue == vector["expect"])
    case .failure(let error): Issue.record("\(error)")
    }
  }

  @Test func noVectorIsMissing() {
    #expect(Vector.all("member").count >= 144)
    #expect(Vector.all("request").count >= 27)
  }
}
