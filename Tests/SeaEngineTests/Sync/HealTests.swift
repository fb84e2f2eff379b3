import Glibc
import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Any instance that has a lost or damaged block writes it again and reports it.
@Suite(.plainAndSealed) struct HealTests {
  let world: SyncWorld
  let one: Database

  init() throws {
    world = try SyncWorld()
    one = try world.instance("one")
    try world.attach("team", to: one)
    for n in 1...4 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
  }

  enum Harm: CaseIterable { case gone, empty, cut, flipped, longer, junk, folder }

  private func file(_ index: UInt32) -> String { world.blockPath("team", one.instance, index) }

  /// Damages a file like a disk or a cloud client.
  private func harm(_ path: String, _ harm: Harm) throws {
    var bytes = try world.scratch.bytes(path)
    try Path.remove(world.scratch.path(path))
    switch harm {
    case .gone: return
    case .empty: bytes = []
    case .cut: bytes.removeLast(9)
    case .flipped: bytes[bytes.count / 2] ^= 4
    case .longer: bytes.append(0)
    case .junk: bytes = Array("no block of anybody, but of some length".utf8)
    case .folder: return try Path.createDirectories(world.scratch.path(path))
    }
    try world.scratch.write(path, bytes)
  }

  private func expectWhole(_ location: SourceLocation = #_sourceLocation) throws {
    var problems: [Problem.Code] = []
    try Verification.container(
      world.container("team"), named: "", readsPayloads: false,
      { if let problem = $0.problem { problems.append(problem.code) } }, { problems.append($0.code) })
    #expect(problems == [], sourceLocation: location)
  }

  @Test(arguments: Harm.allCases) func authorRestoresDamagedBlockAtOnce(harm: Harm) throws {
    let good = try (0...4).map { try world.scratch.bytes(file(UInt32($0))) }
    for index in UInt32(0)...4 {
      try self.harm(file(index), harm)
      let found = try one.exchange("team")
      #expect(found.healed == 1 && found.problems.filter { $0.code != .rolledBack } == [], "block \(index)")
      #expect(try world.scratch.bytes(file(index)) == good[Int(index)])
      try expectWhole()
    }
    let quiet = try one.exchange("team")
    #expect(quiet.healed == 0 && quiet.pushed == 0 && quiet.problems == [])
    let late = try world.instance("late")
    try world.attach("team", to: late)
    #expect(try late.exchange("team").problems == [] && late.number("a") == 4)
  }

  /// An instance that pulled the blocks from this container knows that they were there.
  @Test(arguments: Harm.allCases) func otherInstanceRestoresPulledBlock(harm: Harm) throws {
    let two = try world.instance("two")
    try world.attach("team", to: two)
    try two.exchange("team")
    try self.harm(file(2), harm)
    #expect(try two.exchange("team").healed == 1)
    try expectWhole()
  }

  /// A first sync reads files that changed since the clone, both single files and pack files.
  @Test(arguments: [false, true]) func firstSyncAfterCloneRestoresBlocks(folded: Bool) throws {
    if folded {
      try one.author.write { _ in for n in 5...2005 { try one.put("a", [("n", .integer(Int64(n)))]) } }
      try one.exchange("team")
    }
    let two = try world.instance("two")
    try world.attach("team", to: two)
    try two.exchange("team", .pull)
    let leaf = "team/transactions/\(one.instance)/" + Layout.Leaf(containing: 1000).foldedPath
    try world.scratch.flip(folded ? leaf : file(2), at: 200)
    #expect(try two.exchange("team").healed == (folded ? 1000 : 1))
    try expectWhole()
  }

  /// A block that was never complete here may be on its way, so the sync waits for it.
  @Test func unseenBlockIsAwaitedBeforeRestoring() throws {
    let clock = TestClock()
    world.settings.clock = { clock.now }
    world.settings.patience = { 3_600_000 }
    let two = try world.instance("two")
    try world.attach("team", to: two)
    try two.exchange("team")
    // In another folder, the blocks arrive in any order.
    try world.attach("cloud", to: two)
    let to = "cloud/transactions/\(one.instance)/1/"
    for index in [0, 1, 3] { try world.scratch.write(to + String(index), world.scratch.bytes(file(UInt32(index)))) }
    for _ in 1...5 {
      let found = try two.exchange("cloud")
      #expect(found.isIncomplete && found.healed == 0)
      #expect(try two.containers.statuses(probe: false).first { $0.setting.name == "cloud" }?.state == .incomplete)
    }
    clock.now += 3_600_001
    let found = try two.exchange("cloud")
    #expect(!found.isIncomplete && found.pushed > 0)
    #expect(try world.container("cloud").lastIndex(of: BranchID(one.instance)) == 4)
    #expect(try two.exchange("cloud").problems == [])
  }

  @Test func aPlaceholderIsNotReplacedAtOnce() throws {
    try harm(file(2), .gone)
    let promise = "team/transactions/\(one.instance)/1/.2.icloud"
    try world.scratch.write(promise, [1, 2])
    let found = try one.exchange("team")
    #expect(found.isIncomplete && found.healed == 0 && !found.problems.contains { $0.isDamage })
    for _ in 1...2 { #expect(try one.exchange("team").healed == 0) }
    // Without patience, damage is repaired within three syncs.
    #expect(try one.exchange("team").healed == 1)
  }

  /// Only the cloud client has the block, so the sync is incomplete.
  @Test func placeholderBlockMakesSyncIncomplete() throws {
    let two = try world.instance("two")
    try world.attach("team", to: two)
    try Path.rename(world.scratch.path(file(4)), to: world.scratch.path("away"))
    try world.scratch.write(String(file(4).dropLast()) + ".4.icloud", [1])
    #expect(try two.exchange("team").isIncomplete)
    #expect(try two.number("a") == 3)
    try Path.rename(world.scratch.path("away"), to: world.scratch.path(file(4)))
    try Path.remove(world.scratch.path(String(file(4).dropLast()) + ".4.icloud"))
    #expect(try !two.exchange("team").isIncomplete && two.number("a") == 4)
  }

  /// A sync does not read everything; a full sync does, and thirty syncs together do.
  @Test func damageIsFoundWithinThirtySyncs() throws {
    for n in 5...40 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
    try one.exchange("team")
    for round in 1...2 {
      let path = world.scratch.path(file(7))
      let bytes = try world.scratch.bytes(file(7))
      try flip(path)
      var syncs = 1
      while try syncs < 40 && one.exchange("team").healed == 0 { syncs += 1 }
      #expect(syncs <= 31, "round \(round)")
      #expect(try world.scratch.bytes(file(7)) == bytes)
    }
    try flip(world.scratch.path(file(7)))
    var result = SyncResult()
    try one.exchange.push(to: world.container("team"), named: "team", isFull: true, into: &result)
    #expect(result.healed == 1)
  }

  /// A single read failure is not damage: no valid file is quarantined, and nothing counts as repaired.
  @Test func singleReadFailureIsNotDamage() throws {
    let names = try world.scratch.files("team")
    var (calls, failed) = (0, 0)
    while true {
      let faulty = FaultyContainer(world.container("team"))
      faulty.callsBeforeFailure = calls
      var result = SyncResult()
      do {
        try one.exchange.push(to: faulty, named: "team", isFull: true, into: &result)
      } catch {
        failed += 1
      }
      #expect(result.healed == 0 && result.pushed == 0 && result.problems == [], "call \(calls)")
      if faulty.callsBeforeFailure != nil { break }
      calls += 1
    }
    #expect(try world.scratch.files("team") == names)
    #expect(calls > 5 && failed < calls)
  }

  /// The end of the own chain is read at each sync. If that fails, it is damage like any other, and others do not wait.
  @Test func unreadableOwnHeadIsRestored() throws {
    let two = try world.instance("two")
    try world.attach("team", to: two)
    try two.exchange("team")
    try two.put("b", [("n", .integer(7))])
    try two.exchange("team")
    let faulty = FaultyContainer(world.container("team"))
    faulty.unreadable = (BranchID(one.instance), 4)
    var result = SyncResult()
    try one.exchange.pull(from: faulty, named: "team", into: &result)
    #expect(try one.number("b") == 7)
    try one.exchange.push(to: faulty, named: "team", into: &result)
    #expect(result.healed == 1 && result.problems == [])
    try expectWhole()
  }

  /// A killed writer left temporary files; they are removed later, and no files are added.
  @Test func pushRemovesOldTemporaryFiles() throws {
    let names = try world.scratch.files("team")
    let folder = String(file(4).dropLast())
    let (old, young) = (try AtomicFile.temporaryName(), try AtomicFile.temporaryName())
    for name in [old, young] { try world.scratch.write(folder + name, [1]) }
    var times = [timeval](repeating: timeval(tv_sec: Int(Clock.now() / 1000) - 3700, tv_usec: 0), count: 2)
    #expect(utimes(world.scratch.path(folder + old), &times) == 0)
    let quiet = try one.exchange("team")
    #expect(quiet.pushed == 0 && quiet.problems == [])
    #expect(try world.scratch.files("team") == (names + [folder + young]).sorted())
  }

  private func flip(_ path: String) throws {
    let file = try File(path, [.read, .write])
    var byte: [UInt8] = [0]
    _ = try byte.withUnsafeMutableBytes { try file.read(into: $0, at: 100) }
    byte[0] ^= 1
    try byte.withUnsafeBytes { try file.write($0, at: 100) }
  }

  @Test(arguments: [Harm.gone, .empty, .cut, .flipped]) func damagedPackFileIsRestored(harm: Harm) throws {
    try one.author.write { _ in for n in 5...1005 { try one.put("a", [("n", .integer(Int64(n)))]) } }
    try one.exchange("team")
    let path = "team/transactions/\(one.instance)/1.blocks"
    let good = try world.scratch.bytes(path)
    try self.harm(path, harm)
    var result = SyncResult()
    try one.exchange.push(to: world.container("team"), named: "team", isFull: harm == .flipped, into: &result)
    #expect(result.healed == 1000)
    #expect(try world.scratch.bytes(path) == good)
    try expectWhole()
  }

  /// A pack file has a thousand blocks. A shorter one is quarantined even if it has all known blocks.
  @Test func shortPackFileIsRepaired() throws {
    let all = try (0...4).flatMap { try world.scratch.bytes(file($0)) }
    for index in UInt32(0)...4 { try Path.remove(world.scratch.path(file(index))) }
    try world.scratch.write("team/transactions/\(one.instance)/1.blocks", all)
    #expect(try one.exchange("team").healed == 5)
    #expect(try one.exchange("team").problems == [])
    try expectWhole()
  }

  /// The same for a folder in the place of the file.
  @Test func nonFileInPlaceOfPackIsReplaced() throws {
    try one.author.write { _ in for n in 5...1100 { try one.put("a", [("n", .integer(Int64(n)))]) } }
    try one.exchange("team")
    let leaf = "team/transactions/\(one.instance)/1.blocks"
    try harm(leaf, .folder)
    let found = try one.exchange("team")
    #expect(found.healed == 1000 && found.problems == [])
    try expectWhole()
    try Path.remove(world.scratch.path(leaf))
    #expect(mkfifo(world.scratch.path(leaf), 0o666) == 0)
    #expect(try one.exchange("team").healed == 1000)
    try expectWhole()
  }

  /// The folder of a chain was renamed: all instances continue in the same one of the two, and no valid file is
  /// quarantined.
  @Test func instancesContinueAfterChainFolderIsRenamed() throws {
    let two = try world.instance("two")
    try world.attach("team", to: two)
    try two.exchange("team")
    try world.attach("other", to: one)
    try world.attach("other", to: two)
    for n in 5...8 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.exchange("other")
    try two.exchange("other")
    let folder = world.scratch.path("team/transactions/\(one.instance)")
    try Path.rename(folder, to: folder + "~1404ab1e1404ab1e1404ab1e1404ab1e")
    for _ in 0..<4 {
      try one.exchange("team")
      try two.exchange("team")
    }
    let quiet = try (one.exchange("team"), two.exchange("team"))
    #expect(quiet.0.pushed == 0 && quiet.0.problems == [] && quiet.1.pushed == 0 && quiet.1.problems == [])
    #expect(try !world.scratch.files("team").contains { $0.contains(".damaged-") })
    let late = try world.instance("late")
    try world.attach("team", to: late)
    try late.exchange("team")
    #expect(try late.number("a") == 8)
  }

  /// Junk under the next name or a distant one does not prevent a push.
  @Test func junkDoesNotPreventPush() throws {
    try world.scratch.write(file(5), Array("junk".utf8))
    try world.scratch.write(file(900_000), Array("junk".utf8))
    try one.put("a", [("n", .integer(5))])
    let found = try one.exchange("team")
    #expect(found.pushed == 1)
    #expect(try one.exchange("team").problems == [])
    let late = try world.instance("late")
    try world.attach("team", to: late)
    try late.exchange("team")
    #expect(try late.number("a") == 5)
  }
}

final class TestClock: @unchecked Sendable { var now: Int64 = 1_000_000_000_000 }
