import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A pack file with the blocks of another valid branch of its chain: each branch gets its blocks back, and both are
/// used.
@Suite(.plainAndSealed) struct PackedBranchTests {
  private let world: SyncWorld
  private let one: Database
  private let copy: Database

  /// Two copies of one machine with two thousand blocks each after the same first two. `team` has those of the first
  /// copy, `west` those of the second.
  init() throws {
    world = try SyncWorld(inMemory: true)
    (one, copy) = try world.twins("team", "west")
    for (database, record) in [(one, "mine"), (copy, "theirs")] {
      try database.author.write { _ in for n in 2...2005 { try database.put(record, [("n", .integer(Int64(n)))]) } }
    }
    try one.exchange("team")
    try copy.exchange("west")
  }

  /// The pack file of the first or the second thousand blocks.
  private func folded(_ folder: String, _ branch: BranchID, _ number: Int = 1) throws -> String {
    let all = try world.scratch.files("\(folder)/transactions/\(branch)").filter { $0.hasSuffix(".blocks") }
    let first = "\(folder)/transactions/\(branch)/1.blocks"
    return try number == 1 ? first : #require(all.first { $0 != first }, "\(all)")
  }

  private func hasBoth(_ database: Database) throws -> Bool {
    try database.number("mine") == 2005 && database.number("theirs") == 2005
  }

  private func expectWell(_ machines: [Database]) throws {
    for round in 1... {
      var isQuiet = true
      for one in machines {
        let result = try one.exchange("team")
        let isGood = !result.problems.contains { $0.isError || $0.code == .incomplete }
        isQuiet = isQuiet && isGood && result.pulled + result.pushed + result.healed == 0
        guard isGood else { continue }
        let late = try world.instance("late\(round)\(one.instance)")
        try world.attach("team", to: late)
        try late.exchange("team", .pull)
        #expect(try late.store.projection.digest() == one.store.projection.digest(), "who comes gets less")
      }
      if isQuiet { break }
      try #require(round < 10, "it does not come to rest")
    }
    for one in machines { #expect(try hasBoth(one)) }
    for one in machines {
      let places = try one.status(probe: true).containers.filter { $0.setting.name == "team" }
      #expect(places.map(\.state) == [.ok])
    }
  }

  /// The cloud kept only the other machine's pack file.
  @Test(arguments: [0, 1]) func replacedPackFileKeepsBothBranches(first: Int) throws {
    let branch = BranchID(one.instance)
    let theirs = try world.scratch.bytes(folded("west", branch))
    try world.scratch.write(folded("team", branch), theirs)
    let reader = try world.instance("reader")
    try world.attach("team", to: reader)
    if first == 1 { try reader.exchange("team") }
    try one.exchange("team")
    // Blocks that only the copy has are still pushed by the copy.
    #expect(try one.number("theirs") == 999 && one.number("mine") == 2005)
    try expectWell([one, reader, copy])
  }

  /// The files of two branches were swapped.
  @Test(arguments: [0, 1, 2]) func swappedPackFilesKeepBothBranches(first: Int) throws {
    let reader = try world.instance("reader")
    try world.attach("team", to: reader)
    try copy.exchange("team")
    let siblings = try world.container("team").chains().chains.filter { !$0.isMainBranch }
    #expect(siblings.count == 1)
    let (ours, theirs) = try (folded("team", BranchID(siblings[0].instance), 2), folded("team", siblings[0], 2))
    let (a, b) = try (world.scratch.bytes(ours), world.scratch.bytes(theirs))
    try world.scratch.write(ours, b)
    try world.scratch.write(theirs, a)
    try [one, copy, reader][first].exchange("team")
    try expectWell([one, copy, reader])
  }
}
