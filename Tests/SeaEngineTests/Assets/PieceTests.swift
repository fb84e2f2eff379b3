import Glibc
import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Content of more than 16 MiB has a list of pieces, which names damage and lets a fetch use whatever is right.
@Suite(.plainAndSealed) struct PieceTests {
  private static let piece = Int(PieceList.pieceSize)
  private static let size = 2 * piece + 6_000_000

  private let world: SyncWorld
  private let one: Database
  private let two: Database
  private let content: [UInt8]
  private let reference: AssetReference
  private let places: [AssetPlace]

  init() throws {
    world = try SyncWorld()
    // Two content files: two pieces in the first one, one piece in the second one.
    world.settings.assetFileSize = 2 * PieceList.pieceSize
    one = try world.instance("one")
    two = try world.instance("two")
    for folder in ["c", "d"] {
      try world.attach(folder, to: one)
      try world.attach(folder, to: two)
    }
    let (first, second) = ([UInt8](repeating: 1, count: Self.piece), [UInt8](repeating: 2, count: Self.piece))
    content = first + second + [UInt8](repeating: 3, count: 6_000_000)
    reference = try one.addAsset("r", content)
    places = Array(try #require(reference.extent).places)
    for folder in ["c", "d"] { try one.exchange(folder) }
    try two.exchange("c")
  }

  /// Inverts a byte of the content in a copy.
  private func damage(_ folder: String, _ position: Int) throws {
    let file = position < 2 * Self.piece ? 1 : 2
    let at = position - (file - 1) * 2 * Self.piece
    let stored = world.key == nil ? at : 48 + at / 65_536 * 65_552 + at % 65_536
    try invert(folder + "/" + places[file].path, stored)
  }

  private func invert(_ name: String, _ offset: Int) throws {
    let path = world.scratch.path(name)
    #expect(chmod(path, 0o644) == 0)
    let file = try File(path, [.read, .write])
    var byte: [UInt8] = [0]
    _ = try byte.withUnsafeMutableBytes { try file.read(into: $0, at: Int64(offset)) }
    byte[0] ^= 0xFF
    try byte.withUnsafeBytes { try file.write($0, at: Int64(offset)) }
  }

  private func fetch(_ names: String...) throws -> (outcome: FetchOutcome, problems: [Problem]) {
    try two.fetch(reference, from: names.map { ($0, world.container($0)) })
  }

  private func verify(_ database: Database, _ source: AssetSource, _ name: String) throws -> [Problem] {
    var problems: [Problem] = []
    _ = try database.verification.verifyAssets(in: source, named: name) { problems.append($0) }
    return problems
  }

  @Test func firstFileIsPieceList() throws {
    #expect(places.count == 3)
    let sizes = try places.map { try one.assets.files.assetSize($0) }
    let clear: [Int] = [96, 2 * Self.piece, 6_000_000]
    #expect(sizes == clear.map { Int64(world.key == nil ? $0 : PieceSeal.sealedSize(of: $0)) })
    let list = [0..<Self.piece, Self.piece..<2 * Self.piece, 2 * Self.piece..<Self.size].flatMap {
      SHA256.hash(Array(content[$0])).bytes
    }
    #expect(PieceList(list, size: reference.size, digest: reference.digest) != nil)
    if world.key == nil { #expect(try world.scratch.bytes("one/.sea/" + places[0].path) == list) }
    #expect(try one.content(reference) == content)
    #expect(try fetch("c").outcome == .fetched(from: ["c"]))
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
  }

  /// Neither container has the whole content.
  @Test func validPiecesOfDamagedCopiesAreCombined() throws {
    try damage("c", Self.piece + 5)
    try damage("d", 3)
    let (outcome, problems) = try fetch("c", "d")
    #expect(outcome == .fetched(from: ["c", "d"]))
    #expect(problems.map(\.place) == ["c"])
    #expect(problems.map(\.detail) == ["bytes \(Self.piece)-\(2 * Self.piece - 1)"])
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
    #expect(try verify(two, two.assets.files, "").isEmpty)
  }

  @Test func pieceDamagedInEveryCopyFailsFetch() throws {
    for folder in ["c", "d"] { try damage(folder, Self.size - 1) }
    let (outcome, problems) = try fetch("c", "d")
    #expect(outcome == .bad && problems.map(\.place) == ["c", "d"])
    #expect(problems.allSatisfy { $0.detail == "bytes \(2 * Self.piece)-\(Self.size - 1)" })
    #expect(try two.content(reference) == nil)
    #expect(try two.drafts().reduce(0, +) >= Self.size)
    // A right copy that comes later needs to give only the last piece.
    try damage("d", Self.size - 1)
    let counting = CountingContainer(world.container("d"))
    #expect(try two.fetch(reference, from: [("d", counting)]).outcome == .fetched(from: ["d"]))
    #expect(counting.assetBytesRead < Int64(Self.piece))
    #expect(try two.content(reference) == content)
  }

  /// Each container gives a wrong piece once, or twice if it was wrong before.
  @Test func eachContainerIsAskedOnceForPiece() throws {
    for folder in ["c", "d"] { try damage(folder, 7) }
    let counting = ["c", "d"].map { CountingContainer(world.container($0)) }
    for (run, most) in [(Self.size, Self.piece), (Self.piece, Self.piece)].enumerated() {
      let before = counting.map(\.assetBytesRead)
      let (outcome, problems) = try two.fetch(reference, from: [("c", counting[0]), ("d", counting[1])])
      #expect(outcome == .bad && problems.map(\.place) == ["c", "d"])
      let read = zip(counting, before).map { Int($0.assetBytesRead - $1) }
      #expect(read[0] <= most.0 + 3_000_000 && read[1] <= most.1 + 3_000_000, "\(run): \(read)")
    }
  }

  @Test func copiesWithDifferentWrongPiecesGiveContent() throws {
    for position in [3, Self.size - 1] { try damage("c", position) }
    try damage("d", Self.piece)
    let counting = CountingContainer(world.container("d"))
    let (outcome, problems) = try two.fetch(reference, from: [("c", world.container("c")), ("d", counting)])
    #expect(outcome == .fetched(from: ["c", "d"]) && problems.map(\.place) == ["c"])
    #expect(problems.map(\.detail) == ["bytes 0-\(Self.piece - 1), \(2 * Self.piece)-\(Self.size - 1)"])
    let wanted = Self.piece + 6_000_000
    #expect((wanted..<wanted + 5_000_000).contains(Int(counting.assetBytesRead)))
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
  }

  /// Only the wrong piece is read, and it takes the place of the old one.
  @Test func fetchReplacesOnlyWrongLocalPiece() throws {
    #expect(try fetch("c").outcome == .fetched(from: ["c"]))
    try damage("two/.sea", Self.piece + 5)
    // Without a copy, everything stays as it is.
    #expect(try fetch().outcome == .missing)
    #expect(try two.assets.files.assetSize(places[1]) != nil && two.drafts().isEmpty)
    let counting = CountingContainer(world.container("c"))
    let (outcome, problems) = try two.fetch(reference, from: [("c", counting)])
    #expect(outcome == .fetched(from: ["c"]) && problems.isEmpty)
    #expect((Self.piece..<Self.piece + 3_000_000).contains(Int(counting.assetBytesRead)))
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
    #expect(try verify(two, two.assets.files, "").isEmpty && fetch("c").outcome == .here)
  }

  /// What was right stays for the next run.
  @Test func interruptedRepairContinues() throws {
    _ = try fetch("c")
    for position in [5, 2 * Self.piece - 5] { try damage("two/.sea", position) }
    let faulty = FaultyContainer(world.container("c"))
    faulty.assetBytesBeforeFailure = Self.piece + 2_000_000
    #expect(throws: FaultyContainer.failure) { try two.fetch(reference, from: [("c", faulty)]) }
    #expect(try two.content(reference) == nil && two.drafts().count == 1)
    let counting = CountingContainer(world.container("d"))
    #expect(try two.fetch(reference, from: [("d", counting)]).outcome == .fetched(from: ["d"]))
    #expect((Self.piece..<Self.piece + 3_000_000).contains(Int(counting.assetBytesRead)))
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
  }

  /// Another instance encrypted the content again, so that its pieces do not fit into the file.
  @Test func piecesOfOtherEncryptedCopyAreNotMixed() throws {
    let three = try world.instance("three")
    for folder in ["c", "e"] { try world.attach(folder, to: three) }
    try three.exchange("c")
    try world.scratch.write("content", content)
    let row = try #require(three.assets.row(reference))
    #expect(
      try OutsideContent.importAsset(row, from: File(world.scratch.path("content")), named: "", into: three.assets))
    try three.exchange("e")
    try damage("c", Self.piece + 5)
    let counting = CountingContainer(world.container("e"))
    let (outcome, problems) = try two.fetch(reference, from: [("c", world.container("c")), ("e", counting)])
    #expect(outcome == .fetched(from: ["c", "e"]) && problems.map(\.place) == ["c"])
    let wanted = world.key == nil ? Self.piece : 2 * Self.piece
    #expect((wanted..<wanted + 3_000_000).contains(Int(counting.assetBytesRead)))
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
    // Both copies are damaged, in different pieces.
    for place in places { try two.assets.files.remove(place) }
    try damage("e", 5)
    let both = try fetch("c", "e").outcome
    #expect(both == (world.key == nil ? .fetched(from: ["c", "e"]) : .bad))
    if world.key == nil { return }
    // The draft is the copy in `e` now, and begins again with a right copy.
    #expect(try fetch("d").outcome == .fetched(from: ["d"]))
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
  }

  /// Content without a right list is read as a whole.
  @Test(arguments: [false, true]) func withoutListFetchUsesNextCopy(isThere: Bool) throws {
    for folder in ["c", "d"] {
      let list = folder + "/" + places[0].path
      if isThere { try invert(list, 60) } else { try Path.remove(world.scratch.path(list)) }
    }
    try damage("c", Self.piece + 5)
    let (outcome, problems) = try fetch("c", "d")
    #expect(outcome == .fetched(from: ["d"]) && problems.map(\.place) == (isThere ? ["c", "d", "c"] : ["c"]))
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
  }

  /// Only the piece that is wrong in a partial file is fetched again, and what is missing.
  @Test func fetchResumesAfterLastValidPiece() throws {
    let faulty = FaultyContainer(world.container("c"))
    faulty.assetBytesBeforeFailure = 2 * Self.piece - 1_000_000
    #expect(throws: FaultyContainer.failure) { try two.fetch(reference, from: [("c", faulty)]) }
    let name = try #require(
      try world.scratch.files("two/.sea/assets").first { $0.contains(AtomicFile.temporaryPrefix) })
    try invert(name, Self.piece + 200_000)
    let counting = CountingContainer(world.container("c"))
    let (outcome, problems) = try two.fetch(reference, from: [("c", counting)])
    #expect(outcome == .fetched(from: ["c"]) && problems.isEmpty)
    let rest = Self.size - Self.piece
    #expect((rest..<rest + 4_000_000).contains(Int(counting.assetBytesRead)))
    #expect(try two.content(reference) == content)
  }

  @Test func verifyReportsDamagedByteRange() throws {
    try damage("one/.sea", 9)
    try damage("one/.sea", Self.piece + 9)
    let problems = try verify(one, one.assets.files, "")
    #expect(problems.map(\.code) == [.badAsset] && problems.map(\.detail) == ["bytes 0-\(2 * Self.piece - 1)"])
    #expect(problems.map(\.index) == [places[1].index])
    #expect(try one.verification.goodCopy(of: problems[0]) == "c")
    #expect(throws: AssetState.wrongPieces([0..<Int64(Self.piece)])) { try one.content(reference) }
  }

  @Test func verifyWithoutDatabaseReportsDamagedByteRange() throws {
    try damage("c", 2 * Self.piece)
    let keys = world.key.map { KeyRing(world.proof!, keys: [$0]) }
    var chains: [ChainReport] = []
    var problems: [Problem] = []
    let container = world.container("c")
    try Verification.container(
      container, named: "c", readsPayloads: false, keys: keys, { chains.append($0) }, { _ in })
    let report = try Verification.readAssets(of: container, named: "c", chains, keys: keys) { problems.append($0) }
    #expect(report.good == 0 && problems.map(\.detail) == ["bytes \(2 * Self.piece)-\(Self.size - 1)"])
  }

  /// The content is right, so the list is computed from it.
  @Test func damagedPieceListIsRebuilt() throws {
    try invert("c/" + places[0].path, 60)
    #expect(try verify(one, world.container("c"), "c").map(\.index) == [places[0].index])
    let (outcome, problems) = try fetch("c")
    #expect(outcome == .fetched(from: ["c"]) && problems.map(\.index) == [places[0].index])
    #expect(try two.content(reference) == content && verify(two, two.assets.files, "").isEmpty)
    // The next sync restores the list in the container.
    let healed = try one.exchange("c")
    #expect(healed.assetsHealed == 1 && healed.problems.allSatisfy { !$0.isError })
    #expect(try verify(one, world.container("c"), "c").isEmpty)
  }

  @Test func contentIsFetchedWithoutPieceList() throws {
    try Path.remove(world.scratch.path("c/" + places[0].path))
    #expect(try fetch("c").outcome == .fetched(from: ["c"]))
    #expect(try two.content(reference) == content && verify(two, two.assets.files, "").isEmpty)
  }

  @Test func lostLocalPieceListIsRebuilt() throws {
    try Path.remove(world.scratch.path("one/.sea/" + places[0].path))
    #expect(try one.content(reference) == content)
    #expect(try verify(one, one.assets.files, "").map(\.code) == [.missingAsset])
    #expect(try one.assets.missing(AssetSelection()).count == 1)
    #expect(try one.fetch(reference, from: []).outcome == .here)
    #expect(try one.assets.missing(AssetSelection()).isEmpty)
    #expect(try verify(one, one.assets.files, "").isEmpty)
  }

  /// A false claim of the same size at the same place has another digest, and neither spoils the other.
  @Test func forgedReferenceIsNotDamage() throws {
    var claim = reference
    claim.digest = SHA256.hash([9])
    try one.put("claim", [("a", .asset(claim))])
    #expect(try verify(one, one.assets.files, "").isEmpty)
    try damage("one/.sea", 9)
    #expect(try verify(one, one.assets.files, "").count == 2)
  }
}
