import Glibc
import SeaKit
import SeaTestSupport
import Testing

@Suite struct AssetTests {
  private struct Photo: SeaRecord, Equatable {
    static let recordType = "photo"
    var id = "p"
    var title = ""
    var image: Asset?
    var thumbnail: Asset?
  }

  private let pair: Pair
  private var one: Database { pair.one }

  init() async throws { pair = try await Pair() }

  /// More than one piece, and nothing that repeats.
  private let large = [UInt8]((0..<(3 << 20) + 17).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 11) })

  private func addLarge() async throws -> Asset {
    try await one.assets.save(Record(type: "photo", id: "p"), adding: ["image": .bytes(large, mimeType: "image/x-own")])
    return try #require(try await one.record("p")?.image)
  }

  private func all(_ pieces: AssetPieces) async throws -> [UInt8] {
    var all: [UInt8] = []
    for try await piece in pieces { all += piece }
    return all
  }

  @Test func bytesAreAddedAndRead() async throws {
    let asset = try await addLarge()
    #expect(asset.size == Int64(large.count) && asset.mimeType == "image/x-own" && asset.digest.count == 64)
    #expect(try await one.assets.isHere(asset))
    #expect(try await one.assets.bytes(of: asset) == large)
    #expect(try await all(one.assets.pieces(of: asset)) == large)
    #expect(try await failure { try await one.assets.bytes(of: asset, limit: 1000) }.code == .usage)
    let uses = try await one.assets.uses()
    #expect(uses.map(\.record) == ["p"] && uses.map(\.path) == ["/image"] && uses.map(\.asset) == [asset])
    #expect(try await one.assets.uses(in: []).isEmpty)
  }

  /// Typed records name what was added in the same transaction, and the same content is kept once.
  @Test func filesStreamsAndClosuresAreAdded() async throws {
    let path = pair.scratch.path("picture")
    try pair.scratch.write("picture", Array("%PDF-1.4 a file".utf8))
    let stream = AsyncStream<[UInt8]> { continuation in
      for piece in ["a str", "", "eam"] { continuation.yield(Array(piece.utf8)) }
      continuation.finish()
    }
    let source = PieceSource(["clo", "sure"])
    let seen = Seen()
    try await one.assets.write(
      [
        "file": .file(path), "stream": .pieces(stream, mimeType: "text/x"), "closure": .pieces { source.next() },
        "twin": .file(path),
      ],
      progress: { seen.add($0) }
    ) { transaction, assets in
      try transaction.save(Photo(title: "x", image: assets["file"], thumbnail: assets["twin"]))
      try transaction.save(Photo(id: "q", image: assets["stream"], thumbnail: assets["closure"]))
      #expect(try transaction.fetch(Photo.self, id: "p")?.image == assets["file"])
    }
    let p = try #require(try await one.fetch(Photo.self, id: "p"))
    let q = try #require(try await one.fetch(Photo.self, id: "q"))
    #expect(p.image?.mimeType == "application/pdf" && p.image?.place == p.thumbnail?.place)
    #expect(q.image?.mimeType == "text/x")
    func text(_ asset: Asset?) async throws -> String {
      String(decoding: try await one.assets.bytes(of: #require(asset)), as: UTF8.self)
    }
    #expect(try await text(p.image) == "%PDF-1.4 a file")
    #expect(try await text(q.image) == "a stream")
    #expect(try await text(q.thumbnail) == "closure")
    #expect(seen.all.contains { $0.total == 15 && $0.completed == 15 })
    #expect(
      try await failure { try await one.assets.save(Record(type: "t"), adding: ["x": .file(path + "none")]) }.code
        == .system)
  }

  /// What comes to nothing leaves no files.
  /// A pipe that nobody writes into kept the call for ever, and a device that has no end filled the disk.
  @Test(.timeLimit(.minutes(20))) func onlyRegularFilesAreRead() async throws {
    let scratch = try ScratchFolder(inMemory: true)
    #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
    let database = try await Database.inMemory()
    for path in [scratch.path("pipe"), scratch.path(""), "/dev/zero"] {
      let error = try await failure {
        try await database.assets.save(Record(type: "t", id: "t"), adding: ["x": .file(path)])
      }
      #expect(error.code == .usage, "\(error)")
    }
    #expect(try await database.record("t") == nil)
  }

  @Test func unusedAssetsLeaveNoFiles() async throws {
    struct No: Error {}
    do {
      try await one.assets.write(["x": .bytes([1, 2, 3])]) { transaction, assets in
        try transaction.save(Photo(image: assets["x"]))
        throw No()
      }
      Issue.record("it did not fail")
    } catch is No {}
    do {
      try await one.assets.write(["x": .pieces { throw No() }]) { _, _ in }
      Issue.record("it did not fail")
    } catch is No {}
    // Something else is written, and names nothing.
    try await one.assets.write(["x": .bytes([1, 2, 3])]) { transaction, _ in try transaction.save(Photo()) }
    #expect(try await one.fetch(Photo.self, id: "p") == Photo())
    #expect(try pair.scratch.files().filter { $0.contains("one/.sea/assets") } == [])
    #expect(try await one.assets.uses().isEmpty)
    try await addLargeAgain()
  }

  private func addLargeAgain() async throws {
    let asset = try await addLarge()
    #expect(try pair.scratch.files().filter { $0.contains("one/.sea/assets") }.count == 1)
    #expect(try await one.assets.bytes(of: asset).count == large.count)
  }

  @Test(.timeLimit(.minutes(20))) func slowOrAbandonedReaderBlocksNobody() async throws {
    let asset = try await addLarge()
    var count = 0
    for try await piece in one.assets.pieces(of: asset) {
      count += piece.count
      break
    }
    #expect(count > 0 && count < large.count)
    let task = Task { [one] in
      var count = 0
      for try await _ in one.assets.pieces(of: asset) {
        count += 1
        try await Task.sleep(for: .seconds(600))
      }
      return count
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // Many at once do not wait for each other.
    try await withThrowingTaskGroup(of: Int.self) { [one] group in
      for _ in 0..<12 {
        group.addTask {
          var count = 0
          for try await piece in one.assets.pieces(of: asset) { count += piece.count }
          return count
        }
      }
      for try await count in group { #expect(count == large.count) }
    }
  }

  @Test func contentIsFetchedAndDroppedOnDemand() async throws {
    let asset = try await addLarge()
    try pair.sync(assets: .none)
    try Pair.sync(one, assets: .all)
    let two = pair.two
    #expect(try await two.record("p")?.image == .some(.asset(asset)))
    #expect(try await two.assets.isHere(asset) == false)
    #expect(try await failure { try await two.assets.bytes(of: asset, fetching: false) }.code == .assetMissing)
    #expect(try await failure { try await all(two.assets.pieces(of: asset, fetching: false)) }.code == .assetMissing)
    let there = try await two.assets.whereabouts(of: asset)
    #expect(!there.isHere && there.containers == ["origin"] && there.unreachable.isEmpty)
    #expect(try await two.assets.uses().map(\.isHere) == [false])
    let seen = Seen()
    #expect(try await two.assets.fetch(asset, progress: { seen.add($0) }) == ["origin"])
    let last = try #require(seen.all.last)
    #expect(last.completed == asset.size && last.total == asset.size && last.subject == "origin")
    #expect(try await two.assets.fetch(asset).isEmpty)
    #expect(try await all(two.assets.pieces(of: asset)) == large)

    let dropped = try await two.assets.drop(in: ["p"])
    #expect(dropped.map(\.isDropped) == [true] && dropped.map(\.copies) == [["origin"]] && dropped[0].asset == asset)
    #expect(try await two.assets.isHere(asset) == false)
    #expect(try await one.assets.drop(copies: 2).map(\.isDropped) == [false])
    #expect(try await failure { try await one.assets.drop(copies: 0) }.code == .usage)
    #expect(try await one.assets.isHere(asset))
  }

  @Test func readingFetchesContentThatIsMissing() async throws {
    let asset = try await addLarge()
    try pair.sync(assets: .none)
    let two = pair.two
    // No container has the content yet.
    #expect(try await failure { try await two.assets.bytes(of: asset) }.code == .assetMissing)
    try Pair.sync(one, assets: .all)
    #expect(try await failure { try await two.assets.path(of: asset, fetching: false) }.code == .assetMissing)
    var readOnly = Database.Options()
    readOnly.isReadOnly = true
    let reader = try await Database.open(two.path, readOnly)
    #expect(try await failure { try await reader.assets.bytes(of: asset) }.code == .assetMissing)

    let seen = Seen()
    #expect(try await two.assets.bytes(of: asset) { seen.add($0) } == large)
    #expect(seen.all.last?.completed == asset.size)
    #expect(try await two.assets.isHere(asset))
    try await two.assets.drop()
    #expect(try await all(two.assets.pieces(of: asset, progress: { seen.add($0) })) == large)
    try await two.assets.drop()
    let path = try await two.assets.path(of: asset)
    #expect(try pair.scratch.bytes(String(path.dropFirst(pair.scratch.path("").utf8.count))) == large)
    try await two.assets.drop()
    try await two.assets.copy(asset, to: pair.scratch.path("copy"))
    #expect(try pair.scratch.bytes("copy") == large)
    // A file that exists is replaced, and what fails replaces nothing.
    try pair.scratch.write("copy", [1])
    try await two.assets.drop()
    #expect(
      try await failure { try await two.assets.copy(asset, to: pair.scratch.path("copy"), fetching: false) }.code
        == .assetMissing)
    #expect(try pair.scratch.bytes("copy") == [1])
    try await two.assets.copy(asset, to: pair.scratch.path("copy"))
    #expect(try pair.scratch.bytes("copy") == large)
  }

  @Test func cancelledFetchEndsTheRead() async throws {
    let asset = try await addLarge()
    try pair.sync(assets: .none)
    try Pair.sync(one, assets: .all)
    let two = pair.two
    let task = Task { try await two.assets.bytes(of: asset) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let pieces = Task { for try await _ in two.assets.pieces(of: asset) {} }
    pieces.cancel()
    await #expect(throws: CancellationError.self) { try await pieces.value }
    #expect(try await two.assets.bytes(of: asset) == large)
  }

  @Test func encryptedContentHasACopyInsteadOfAPath() async throws {
    var new = Database.NewDatabase(contentType: "org.example.test", name: "sealed")
    new.isSealed = true
    var options = Database.Options()
    options.password = { "secret words of mine" }
    let scratch = try ScratchFolder(inMemory: true)
    let database = try await Database.create(in: scratch.path("sealed"), new, options)
    let photo = try await database.assets.save(Photo(), adding: [\.image: .bytes(Array("secret".utf8))])
    let asset = try #require(photo.image)
    let error = try await failure { try await database.assets.path(of: asset) }
    #expect(error.code == .usage && error.message.contains("pieces(of:)"), "\(error)")
    try await database.assets.copy(asset, to: scratch.path("copy"))
    #expect(try scratch.bytes("copy") == Array("secret".utf8))
  }

  @Test func typedRecordIsSavedWithNewContent() async throws {
    let path = pair.scratch.path("picture")
    try pair.scratch.write("picture", Array("%PDF-1.4 a file".utf8))
    let saved = try await one.assets.save(
      Photo(title: "x"), adding: [\.image: .file(path), \.thumbnail: .bytes([1, 2], mimeType: "image/x")])
    #expect(saved.image?.mimeType == "application/pdf" && saved.thumbnail?.size == 2)
    #expect(try await one.fetch(Photo.self, id: "p") == saved)
    #expect(try await one.history.operations().count == 1)
    #expect(
      try await failure { try await one.assets.save(Photo(title: "y"), adding: [\.image: .file(path + "none")]) }.code
        == .system)
    #expect(try await one.fetch(Photo.self, id: "p") == saved)
  }

  @Test func damagedAssetIsReported() async throws {
    let asset = try await addLarge()
    let file = try #require(try pair.scratch.files().first { $0.contains("one/.sea/assets") })
    var bytes = try pair.scratch.bytes(file)
    bytes[bytes.count - 1] ^= 1
    try pair.scratch.write(file, bytes)
    #expect(try await failure { try await one.assets.bytes(of: asset) }.code == .badAsset)
    #expect(try await failure { try await all(one.assets.pieces(of: asset)) }.code == .badAsset)
    #expect(try await failure { try await pair.two.assets.fetch(asset) }.code == .assetMissing)
  }
}

/// What a closure gives, piece by piece; one at a time.
private final class PieceSource: @unchecked Sendable {
  private var pieces: [String]
  init(_ pieces: [String]) { self.pieces = pieces }
  func next() -> [UInt8]? { pieces.isEmpty ? nil : Array(pieces.removeFirst().utf8) }
}

/// What was told, on one thread; looked at when that is over.
private final class Seen: @unchecked Sendable {
  private(set) var all: [Progress] = []
  func add(_ progress: Progress) { all.append(progress) }
}
