import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Lost or damaged blocks of a forked chain, whose author no longer repairs it.
@Suite(.plainAndSealed) struct ForkHealTests {
  let world: SyncWorld
  let instance: UUID
  let sibling: BranchID
  let reader: Database

  /// The main branch of `east` is 0, 1, 2; its fork is 2', 3'. In `west`, that fork is the main branch.
  init() throws {
    world = try SyncWorld()
    let (one, copy) = try world.twins("east", "west")
    instance = one.instance
    try one.put("a", [("n", .integer(2))])
    try copy.put("a", [("n", .integer(3))])
    try copy.put("a", [("n", .integer(4))])
    try one.exchange("east")
    try copy.exchange("west")
    reader = try world.instance("reader")
    for folder in ["west", "east"] { try world.attach(folder, to: reader) }
    sibling = BranchID(instance, forkedAt: hash(of: try world.scratch.bytes("west/transactions/\(instance)/1/2")))
  }

  private func expectWhole(_ name: String, _ location: SourceLocation = #_sourceLocation) throws {
    var problems: [Problem.Code] = []
    try Verification.container(
      world.container(name), named: "", readsPayloads: false,
      { if let problem = $0.problem, problem.isDamage { problems.append(problem.code) } },
      { if $0.isDamage { problems.append($0.code) } })
    #expect(problems == [], sourceLocation: location)
    let late = try world.instance("late")
    try world.attach(name, to: late)
    #expect(try late.exchange(name).problems.allSatisfy { $0.code == .fork }, sourceLocation: location)
    #expect(try late.store.projection.digest() == reader.store.projection.digest(), sourceLocation: location)
  }

  /// Exchanges until the sync no longer waits; without patience, three syncs are enough.
  private func settle(_ name: String) throws -> SyncResult {
    for _ in 1...3 { try reader.exchange(name) }
    return try reader.exchange(name)
  }

  /// A folder has a gap, because another folder contains that block. Later a block of another branch fills the gap.
  @Test func blockInGapOfKnownFolderIsRead() throws {
    let (from, to) = ("west/transactions/\(instance)/1/", "other/transactions/")
    for index in [0, 1, 3] {
      try world.scratch.write(to + "\(instance)/1/\(index)", world.scratch.bytes(from + "\(index)"))
    }
    let second = try world.scratch.bytes(from + "2")
    try world.scratch.write(to + "\(BranchID(instance, forkedAt: hash(of: second)))/1/2", second)
    try world.scratch.write("other/info.json", world.scratch.bytes("west/info.json"))
    try world.attach("other", to: reader)
    for _ in 1...2 { try reader.exchange("other") }
    #expect(try reader.store.branches.branches(of: instance).count == 1)
    try world.scratch.write(
      to + "\(instance)/1/2", world.scratch.bytes("east/transactions/\(instance)/1/2"))
    _ = try settle("other")
    #expect(try reader.store.branches.branches(of: instance).count == 2)
    try expectWhole("other")
  }

  /// The end of a branch exists, but the blocks before it are missing.
  @Test func missingBlocksBeforeBranchEndAreRestored() throws {
    try reader.exchange("west")
    let from = "west/transactions/\(instance)/1/"
    let to = "other/transactions/"
    for index in 0...2 {
      let trunk = try world.scratch.bytes("east/transactions/\(instance)/1/\(index)")
      try world.scratch.write(to + "\(instance)/1/\(index)", trunk)
    }
    let last = try world.scratch.bytes(from + "3")
    try world.scratch.write(to + "\(BranchID(instance, forkedAt: hash(of: last)))/1/3", last)
    try world.scratch.write("other/info.json", world.scratch.bytes("west/info.json"))
    try world.attach("other", to: reader)
    #expect(try !isQuiet(reader.exchange("other")))
    _ = try settle("other")
    #expect(try settle("other").problems == [])
    try expectWhole("other")
  }

  private func isQuiet(_ result: SyncResult) -> Bool {
    result.problems.allSatisfy { !$0.isError && $0.code != .incomplete }
  }

  private func asides(_ name: String) throws -> [String] {
    try world.scratch.files(name).filter { $0.contains(".damaged-") }
  }

  /// A cloud client chose between two writers file by file.
  @Test func folderWithTwoBranchesStaysUnchanged() throws {
    for folder in ["west", "east"] { try reader.exchange(folder) }
    let (path, block) = try (
      "east/transactions/\(instance)/1/3", world.scratch.bytes("west/transactions/\(instance)/1/3")
    )
    try world.scratch.write(path, block)
    _ = try settle("east")
    #expect(try settle("east").problems == [])
    #expect(try world.scratch.bytes(path) == block && asides("east") == [])
    try expectWhole("east")
    let result = try Mirror.copy(from: world.container("east"), to: world.container("mirror"), dryRun: false)
    #expect(result.problems.allSatisfy { !$0.isDamage })
    try expectWhole("mirror")
  }

  @Test func blockWithUnknownPredecessorWaitsInPlace() throws {
    try reader.exchange("east")
    let (path, block) = try (
      "east/transactions/\(instance)/1/3", world.scratch.bytes("west/transactions/\(instance)/1/3")
    )
    try world.scratch.write(path, block)
    #expect(try reader.exchange("east").problems.contains { $0.code == .incomplete && $0.index == 2 })
    #expect(try !isQuiet(settle("east")))
    #expect(try world.scratch.bytes(path) == block && asides("east") == [])
    try reader.exchange("west")
    _ = try settle("east")
    #expect(try settle("east").problems == [])
    #expect(try world.scratch.bytes(path) == block && asides("east") == [])
    try expectWhole("east")
  }

  /// The only copy of a block has the name of a conflict copy.
  @Test func conflictedCopyServesAsItsBlock() throws {
    for folder in ["west", "east"] { try reader.exchange(folder) }
    let chain = "west/transactions/\(instance)/1/"
    try world.scratch.write(chain + "2 (conflicted copy)", world.scratch.bytes(chain + "2"))
    try world.scratch.write(chain + "2", world.scratch.bytes("east/transactions/\(instance)/1/2"))
    for name in try world.scratch.files("west/transactions").filter({ $0.contains("~") }) {
      try Path.remove(world.scratch.path(name))
    }
    try expectWhole("west")
  }

  /// Quarantining the same damaged content twice leaves one file, and an empty file leaves none.
  @Test func sameDamageIsQuarantinedOnce() throws {
    try reader.exchange("east")
    let path = "east/transactions/\(instance)/1/2"
    for _ in 1...2 {
      try world.scratch.write(path, Array("no block of anybody".utf8))
      _ = try settle("east")
    }
    #expect(try asides("east").count == 1)
    try world.scratch.write(path, [])
    _ = try settle("east")
    #expect(try asides("east").count == 1)
    #expect(try settle("east").problems == [])
  }

  @Test func junkAfterBranchEndIsQuarantined() throws {
    for folder in ["west", "east"] { try reader.exchange(folder) }
    try world.scratch.write("east/transactions/\(instance)/1/3", Array("no block of anybody".utf8))
    #expect(try !isQuiet(reader.exchange("east")))
    _ = try settle("east")
    #expect(try settle("east").problems == [])
    try expectWhole("east")
  }

  /// Our main branch has a block at that index, but the container's main branch is another one.
  @Test func damageInOtherBranchIsReported() throws {
    try reader.exchange("west")
    try world.scratch.write("east/transactions/\(instance)/1/3", Array("no block of anybody".utf8))
    for _ in 1...2 { #expect(try !isQuiet(reader.exchange("east"))) }
  }

  /// Names and sizes are right, but the content was never read.
  @Test func firstSyncFindsDamagedContent() throws {
    try reader.exchange("west")
    let to = "other/transactions/\(instance)/1/"
    for index in 0...3 {
      var bytes = try world.scratch.bytes("west/transactions/\(instance)/1/\(index)")
      if index == 2 { bytes[bytes.count / 2] ^= 4 }
      try world.scratch.write(to + "\(index)", bytes)
    }
    try world.scratch.write("other/info.json", world.scratch.bytes("west/info.json"))
    try world.attach("other", to: reader)
    let found = try reader.exchange("other")
    #expect(found.healed > 0 || !isQuiet(found))
    #expect(try settle("other").problems.allSatisfy { $0.code == .mended })
    try expectWhole("other")
  }

  /// A cloud replaced a block of our branch by the other branch's. Later blocks of ours do not prove that ours exists.
  @Test func laterBlocksDoNotProveEarlierBlocks() throws {
    let chain = "transactions/\(instance)/1/"
    for index in 0...2 {
      try world.scratch.write("part/" + chain + "\(index)", world.scratch.bytes("west/" + chain + "\(index)"))
      if index < 2 {
        try world.scratch.write("mixed/" + chain + "\(index)", world.scratch.bytes("west/" + chain + "\(index)"))
      }
    }
    for folder in ["part", "mixed"] {
      try world.scratch.write(folder + "/info.json", world.scratch.bytes("west/info.json"))
      try world.attach(folder, to: reader)
    }
    try reader.exchange("mixed", .pull)
    try reader.exchange("part")
    try world.scratch.write("mixed/" + chain + "2", world.scratch.bytes("east/" + chain + "2"))
    try world.scratch.write("mixed/" + chain + "3", world.scratch.bytes("west/" + chain + "3"))
    let found = try reader.exchange("mixed")
    #expect(found.pulled > 0 && isQuiet(found))
    #expect(try isQuiet(settle("mixed")) && asides("mixed") == [])
    try expectWhole("mixed")
  }

  /// All files of an unknown chain have names of conflict copies.
  @Test func conflictedCopiesOfUnknownChainAreImported() throws {
    try reader.exchange("west")
    let stranger = try world.instance("stranger")
    try world.attach("west", to: stranger)
    try stranger.put("b", [("n", .integer(7))])
    try stranger.exchange("west")
    let files = try world.scratch.files("west/transactions/\(stranger.instance)")
    #expect(!files.isEmpty)
    for file in files { try Path.rename(world.scratch.path(file), to: world.scratch.path(file + " (1)")) }
    let found = try reader.exchange("west")
    #expect(try found.pulled > 0 && reader.number("b") == 7)
    try expectWhole("west")
  }
}
