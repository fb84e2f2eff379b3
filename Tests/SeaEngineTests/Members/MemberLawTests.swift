import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Random histories of a database with members, with every action that is locally allowed. The result is the same for
/// all instances in any order of arrival.
@Suite struct MemberLawTests {
  /// An acknowledged put.
  private struct Promise {
    let block: BlockRef
    let id: String
    let number: Int64
  }

  @Test(arguments: TestSeed.some(30)) func plainHistoriesConverge(seed: UInt64) throws { try run(seed, sealed: false) }

  /// With the last seed, the founder is revoked in a block that it cannot read.
  @Test(arguments: TestSeed.some(30) + [20_261_127_000_004]) func encryptedHistoriesConverge(seed: UInt64) throws {
    try run(seed, sealed: true)
  }

  private func run(_ seed: UInt64, sealed: Bool) throws {
    var generator = SeededRandom(seed)
    let world = try MemberWorld(sealed: sealed, inMemory: true)
    let names = Array(["east", "west", "south"].prefix(Int.random(in: 1...3, using: &generator)))
    var all = [try world.founder("i0", names)]
    for name in names { try all[0].exchange(name) }
    for k in 1...Int.random(in: 1...3, using: &generator) {
      var own = names.shuffled(using: &generator)
      own = Array(own.prefix(Int.random(in: 1...own.count, using: &generator)))
      all.append(
        try world.newcomer("i\(k)", own, password: sealed && Bool.random(using: &generator) ? world.password : nil))
    }
    var promises: [Promise] = []
    for step in 0..<40 {
      let one = all.randomElement(using: &generator)!
      let other = all.randomElement(using: &generator)!
      do {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0..<4:
          let id = Bool.random(using: &generator) ? "shared" : "r\(step)"
          let batch = WriteBatch(label: "put")
          // Sometimes the same value as another instance may have written.
          let number = Int64(Bool.random(using: &generator) ? step : step % 2)
          try batch.addEdit(id, type: nil, .none, mustExist: false) { _ in
            .dictionary(Members([("n", .integer(number))]))
          }
          if let block = try one.records.write(batch).block {
            promises.append(Promise(block: block, id: id, number: number))
          }
        case 4..<6:
          try one.authorize(other, as: [.read, .write, .write, .admin, .admin].randomElement(using: &generator)!)
        case 6:
          _ = try one.access.revoke(
            other.instance, after: nil, rotates: Bool.random(using: &generator), isConfirmed: true)
        case 7:
          if sealed { _ = try one.access.rotate(nil) }
        default:
          let setting = try one.containers.settings().randomElement(using: &generator)!
          let exchange = try one.sync(setting, [.pull, .push, .both].randomElement(using: &generator)!)
          let damage = exchange.problems.filter { $0.isDamage }
          #expect(damage.isEmpty, "seed \(seed) step \(step): \(damage)")
        }
      } catch KitError.unauthorized, KitError.notAMember, KitError.cannotAuthorizeItself, KitError.noKey, KitError
        .oldKey
      {
        // The action is not allowed as far as the instance knows.
      }
    }
    let problems = try #require(try world.converge(all), "seed \(seed) does not come to rest")
    try check(all, promises, sealed, "seed \(seed)", problems)
    for one in all { one.close() }
  }

  private func check(
    _ all: [Database], _ promises: [Promise], _ sealed: Bool, _ label: String, _ problems: [Problem]
  ) throws {
    // An instance that was revoked by a block under a key it never got does not know of the revocation.
    let knowing = try all.first { try $0.store.blocks.blocks(.unread).count == 0 } ?? all[0]
    let membership = try #require(try knowing.members.membership())
    // A pending instance applies its own changes, and one without the new keys reads only what it can.
    let compared = all.filter { one in
      sealed ? membership.role(of: one.instance) != nil : membership[one.instance] != nil
    }
    guard let first = compared.first else { return }
    let members = try first.memberText()
    let digest = try first.store.projection.digest()
    let authors = try first.authorText()
    for one in compared {
      #expect(try one.memberText() == members, "\(label)")
      #expect(try one.store.projection.digest() == digest, "\(label)")
      #expect(try one.authorText() == authors, "\(label)")
      #expect(try one.store.projection.digest() == one.store.projection.expectedDigest(), "\(label)")
      // Chains of strangers and revoked instances are only continued by themselves.
      func heads(_ one: Database) throws -> [BlockRef] {
        try one.containers.heads().filter { membership.role(of: $0.instance) != nil }
      }
      #expect(try heads(one) == heads(first), "\(label)")
      #expect(try one.store.blocks.blocks(.unread).count == 0, "\(label)")
      #expect(try one.keychain.validSlotNames() == first.keychain.validSlotNames(), "\(label)")
      if sealed { #expect(try one.keychain.ring()?.newest?.number == first.keychain.newestEpoch(), "\(label)") }
      for promise in promises {
        guard let cut = try one.members.membership()?[promise.block.instance]?.cut,
          cut.covers(promise.block, one.members.isWithin)
        else { continue }
        #expect(try one.has(promise.id, promise.number), "\(label): \(promise.id) of \(promise.block)")
      }
    }
  }
}

extension Database {
  /// Whether some revision of a record has that number.
  fileprivate func has(_ id: String, _ number: Int64) throws -> Bool {
    guard let row = try store.records.record(id) else { return false }
    return try store.records.revisions(of: row).contains { leaf in
      guard let body = try store.records.body(of: leaf),
        case .integer(number)? = try body.withUnsafeBufferPointer({ try Value.decode(body: $0) }).members?["n"]
      else { return false }
      return true
    }
  }
}
