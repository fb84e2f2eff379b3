import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// The distribution of keys of an encrypted database after various events.
@Suite struct KeyTests {
  let world: MemberWorld

  init() throws { world = try MemberWorld(sealed: true) }

  /// Checks that all instances can read everything and report nothing.
  private func agree(_ all: [Database]) throws {
    #expect(try world.converge(all) == [])
    for one in all {
      #expect(try one.store.blocks.blocks(.unread).isEmpty)
      #expect(try one.store.projection.digest() == all[0].store.projection.digest())
      #expect(try one.store.projection.digest() == one.store.projection.expectedDigest())
    }
  }

  private func epochs(_ database: Database) throws -> String { "\(database.path)/keys/epochs" }

  @Test(arguments: [false, true]) func bothKeysOfSameEpochAreKept(members: Bool) throws {
    let one = try world.founder("one", ["team"], members: members)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    try two.exchange("origin")
    try one.exchange("team")
    if members { _ = try one.authorize(two, as: .admin) }
    try agree([one, two])
    for database in [one, two] {
      _ = try database.access.rotate(Array(world.password.utf8))
      try database.put(database === one ? "a" : "b", [("n", .integer(1))])
    }
    try agree([one, two])
    #expect(try one.keychain.ring()?.keys(of: 2).count == 2)
    // A newcomer reads blocks of both keys: after a request, or with the password as soon as it is authorized.
    let three = try world.newcomer("three", ["team"])
    try three.exchange("origin")
    try one.exchange("team")
    _ = try one.authorize(three, as: .write)
    try agree([one, two, three])
    #expect(try three.number("a") == 1 && three.number("b") == 1)
    // The next epoch contains both keys of the previous one.
    _ = try two.access.rotate(nil)
    try two.exchange("origin")
    let four = try world.newcomer("four", ["team"])
    try four.exchange("origin")
    try two.exchange("origin")
    _ = try two.authorize(four, as: .read)
    try agree([one, two, three, four])
    #expect(try four.keychain.ring()?.all.count == 4)
  }

  /// An instance authorized while an epoch begins elsewhere gets its key from an admin that sees both.
  @Test func instanceAuthorizedDuringNewEpochGetsKey() throws {
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    let three = try world.newcomer("three", ["team"])
    try one.exchange("team")
    _ = try one.authorize(two, as: .admin)
    try agree([one, two])
    try two.exchange("origin")
    _ = try two.authorize(three, as: .write)
    _ = try one.access.rotate(nil)
    try one.put("a", [("n", .integer(1))])
    try agree([one, two, three])
    #expect(try three.number("a") == 1)
    try three.put("b", [("n", .integer(2))])
    try agree([one, two, three])
  }

  /// A crash between the transaction and `.sea/keys/epochs`.
  @Test func keyIsRestoredAfterCrash() throws {
    let one = try world.founder("one", ["team"])
    let old = try world.scratch.bytes("one/.sea/keys/epochs")
    try one.put("a", [("n", .integer(1))])
    _ = try one.access.rotate(nil)
    let new = try world.scratch.bytes("one/.sea/keys/epochs")
    one.close()
    try world.scratch.write("one/.sea/keys/epochs", old)
    let again = try world.reopened("one")
    #expect(try again.keychain.ring()?.newest?.number == 2)
    #expect(try world.scratch.bytes("one/.sea/keys/epochs") == new)
    try again.put("b", [("n", .integer(2))])
    let head = try #require(try again.store.branches.chain(again.instance)).head
    let row = try #require(try again.store.blocks.block(BranchID(again.instance), head.index))
    #expect(try again.store.content.key(of: row) == again.keychain.ring()?.keys(of: 2).first?.digest)
    again.close()
    // Without the file, the own key slot has the key, too.
    try Path.remove(world.scratch.path("one/.sea/keys/epochs"))
    let third = try world.reopened("one")
    #expect(try third.keychain.ring()?.all.count == 2)
    #expect(try world.scratch.bytes("one/.sea/keys/epochs") == new)
  }

  @Test func passwordRestoresFirstKey() throws {
    let one = try world.founder("one", [])
    try one.put("a", [("n", .integer(1))])
    one.close()
    try Path.remove(world.scratch.path("one/.sea/keys/epochs"))
    let without = try world.reopened("one")
    #expect(throws: KitError.noKey(path: without.path, pending: false)) { try without.put("b", [("n", .integer(1))]) }
    without.close()
    let wrong = try world.reopened("one", password: "wrong")
    #expect(throws: KitError.badPassword(place: wrong.path)) { try wrong.put("b", [("n", .integer(1))]) }
    wrong.close()
    let with = try world.reopened("one", password: world.password)
    try with.put("b", [("n", .integer(1))])
    with.close()
    try world.reopened("one").put("c", [("n", .integer(1))])
  }

  /// Blocks imported without a key are read as soon as there is one, even after a crash in between.
  @Test func unreadBlocksAreReadOnceKeyReturns() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    try two.exchange("origin")
    let kept = try world.scratch.bytes("two/.sea/keys/epochs")
    two.close()
    try one.exchange("team")
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    try Path.remove(world.scratch.path("two/.sea/keys/epochs"))
    let blind = try world.reopened("two")
    #expect(try blind.exchange("origin").problems.map(\.code).contains(.noKey))
    #expect(try blind.store.blocks.blocks(.unread).count == 1)
    blind.close()
    try world.scratch.write("two/.sea/keys/epochs", kept)
    let again = try world.reopened("two")
    try again.exchange("origin")
    #expect(try again.number("a") == 1)
    #expect(try again.store.projection.digest() == again.store.projection.expectedDigest())
  }

  /// Two processes of one instance each learn a different key.
  @Test func concurrentProcessesKeepEachOthersKeys() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    try two.exchange("origin")
    try one.exchange("team")
    _ = try two.access.rotate(nil)
    try two.exchange("origin")
    let other = try world.reopened("one")
    _ = try other.keychain.ring()
    _ = try one.keychain.ring()
    _ = try other.access.rotate(nil)
    try one.exchange("team")
    let fresh = try world.reopened("one")
    #expect(try fresh.keychain.ring()?.keys(of: 2).count == 2)
    #expect(try fresh.keychain.ring()?.newest?.number == 2)
  }

  @Test func unstoredKeysRequirePasswordEachTime() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    try world.newcomer("two", ["team"], password: world.password, keepsKeys: false).close()
    #expect(try world.scratch.files("two/.sea/keys") == ["two/.sea/keys/instance"])
    let asked = Counter()
    func open() throws -> Database {
      var settings = world.settings()
      settings.password = { _ in
        asked.count += 1
        return Array("correct horse".utf8)
      }
      return try Database(path: world.scratch.path("two/.sea"), settings)
    }
    let uses: [(Database) throws -> Void] = [
      { try $0.put("b", [("n", .integer(2))]) }, { _ = try $0.exchange("origin") },
      { _ = try $0.access.rotate(Array("correct horse".utf8)) }, { try $0.put("c", [("n", .integer(3))]) },
      { _ = try $0.exchange("origin") }, { _ = try $0.access.addPassword(Array("second".utf8)) },
    ]
    for (number, use) in uses.enumerated() {
      let two = try open()
      try use(two)
      two.close()
      #expect(asked.count == number + 1)
      #expect(try world.scratch.files("two/.sea/keys") == ["two/.sea/keys/instance"], "\(number)")
    }
    try one.exchange("team")
    #expect(try one.number("c") == 3)
  }

  /// One wrapped key is enough for the whole history.
  @Test func newestKeyOpensAllEpochs() throws {
    let one = try world.founder("one", ["team"])
    for n in 1...50 {
      try one.put("r\(n)", [("n", .integer(Int64(n)))])
      _ = try one.access.rotate(nil)
    }
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    try one.exchange("team")
    _ = try one.authorize(two, as: .write)
    try agree([one, two])
    #expect(try two.keychain.ring()?.all.count == 51)
    #expect(try two.number("r1") == 1 && two.number("r50") == 50)
    #expect(try one.keychain.validSlots().filter { $0.kind == .instance(two.instance) }.count == 1)
  }
}

final class Counter { var count = 0 }
