import Glibc
import SeaKit
import SeaTestSupport
import Testing

/// Whether things are whole, what can be freed, and what is gone for good.
@Suite struct MaintenanceTests {
  private func pair(password: String? = nil) async throws -> Pair {
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    new.isSealed = password != nil
    return try await Pair(new, password: password) { database in
      try await database.save(Keeper(id: "a", name: "Ann"))
      try await database.save(Keeper(id: "b", name: "Bob"))
      try await database.assets.save(Record(type: "t", id: "t"), adding: ["x": .bytes([1, 2, 3])])
    }
  }

  /// Makes a byte of the largest block of a container another one.
  private func damage(_ pair: Pair, in place: String) throws {
    let file = try #require(
      pair.scratch.files().filter { $0.hasPrefix(place + "/transactions/") }.max {
        try pair.scratch.bytes($0).count < pair.scratch.bytes($1).count
      })
    var bytes = try pair.scratch.bytes(file)
    bytes[bytes.count - 20] ^= 1
    try pair.scratch.write(file, bytes)
  }

  @Test func verifyReportsIntactDatabaseAsGood() async throws {
    let pair = try await pair()
    try pair.sync()
    let here = try await pair.one.care.verify()
    #expect(here.isGood && here.isComplete && here.chains.count == 2 && here.chains.allSatisfy(\.isGood))
    #expect(here.assets == 1 && here.assetBytes == 3)
    #expect(
      Set(here.chains.compactMap(\.instance.name)) == ["one", "two"] && here.chains.count { $0.instance.isOwn } == 1)
    let there = try await pair.two.care.verify(container: "origin", assets: true)
    #expect(
      there.isGood && there.assets == 1
        && there.chains.map(\.blocks).reduce(0, +) == here.chains.map(\.blocks).reduce(0, +))
    // Where it lies is as good as a name.
    #expect(try await pair.one.care.verify(container: pair.scratch.path("team")).chains.count == 2)
    #expect(
      try await failure { _ = try await pair.one.care.verify(container: pair.scratch.path("none")) }.code
        == .unreachable)
  }

  @Test func verifyOpensEncryptedBlocksOnlyWithKey() async throws {
    let pair = try await pair(password: "a password")
    let one = try await pair.one.care.verify(container: "origin", opensSealed: true)
    #expect(one.isGood && one.isComplete)
    #expect(try await pair.one.care.verify(opensSealed: true).isComplete)
    #expect(try await failure { _ = try await pair.two.care.verify(opensSealed: true) }.code == .noKey)
    let two = try await pair.two.care.verify(container: "origin", assets: true)
    #expect(two.isGood && two.chains.count >= 1)
  }

  @Test func damageIsReportedAndRepairedByMirror() async throws {
    let pair = try await pair()
    try await pair.one.addContainer("spare", at: pair.scratch.path("spare"), creating: true)
    try await pair.one.sync("spare")
    try damage(pair, in: "team")
    let report = try await pair.one.care.verify(container: "origin")
    let finding = try #require(report.findings.first { $0.isDamage })
    #expect(!report.isGood && finding.place == "origin" && finding.goodCopy == ".sea" && finding.code == "bad-data")
    #expect(finding.message.contains("checksum") && finding.block != nil)
    #expect(report.chains.contains { !$0.isGood })
    let preview = try await pair.one.care.preview(mirroring: "spare", to: "origin")
    #expect(preview.blocks >= 1)
    #expect(try await !pair.one.care.verify(container: "origin").isGood, "nothing was written")
    let mirrored = try await pair.one.care.mirror(from: "spare", to: "origin")
    #expect(mirrored.blocks == preview.blocks && mirrored.findings.isEmpty && !mirrored.isCreated)
    #expect(try await pair.one.care.verify(container: "origin", assets: true).isGood)
    // One is made where there is none.
    let made = try await pair.one.care.mirror(from: "origin", to: pair.scratch.path("third"))
    #expect(made.isCreated && made.blocks > 0 && made.assets == 1)
    #expect(try await pair.one.care.verify(container: pair.scratch.path("third"), assets: true).assets == 1)
    let other = try await Database.create(
      in: pair.scratch.path("other"), .init(contentType: "org.example.other", name: "o"))
    try await other.addContainer("else", at: pair.scratch.path("else"), creating: true)
    #expect(
      try await failure { try await pair.one.care.mirror(from: "origin", to: pair.scratch.path("else")) }.code
        == .incompatible)
  }

  @Test func purgedContentDisappearsEverywhere() async throws {
    let pair = try await pair()
    try await pair.one.save(Keeper(id: "a", name: "Ann of the secret"))
    try await pair.one.save(Keeper(id: "a", name: "Anna"))
    try pair.sync()
    let target = PurgeTarget.record("a", keepsNow: true)
    let preview = try await pair.one.care.preview(purging: target)
    #expect(preview.revisions == 2 && preview.records == 1 && !preview.endsNow && preview.obstacles.isEmpty)
    #expect(try await pair.one.care.purgeStanding().isDone, "nothing was ordered yet")
    #expect(try await pair.one.care.purge(target) == preview)
    #expect(try await pair.one.fetch(Keeper.self, id: "a")?.name == "Anna")
    let left = try await pair.one.care.purgeStanding()
    #expect(left.isDoneHere && !left.isDone && left.containers.map(\.isDone) == [false] && left.containers[0].left > 0)
    #expect(
      left.instances.map(\.isDone) == [false] && left.instances[0].instance.name == "two" && left.instances[0].canSay)
    try pair.sync()
    try pair.sync()
    let done = try await pair.one.care.purgeStanding()
    #expect(done.isDone && done.containers.map(\.isDone) == [true] && done.purgedBlocks == preview.blocks)
    #expect(try await pair.one.care.verify().isGood)
    #expect(try await pair.two.care.verify(container: "origin").isGood)
    for place in ["team/", "one/", "two/"] {
      for file in try pair.scratch.files() where file.hasPrefix(place) {
        #expect(try !String(decoding: pair.scratch.bytes(file), as: UTF8.self).contains("of the secret"), "\\(file)")
      }
    }
    // A record that goes as a whole, with the file that only it had named.
    try await pair.one.care.purge(.record("t", keepsNow: false))
    #expect(try await pair.one.record("t") == nil)
    try await pair.one.care.purge(.properties(of: "b", paths: ["name"], keepsNow: false))
    #expect(try await pair.one.record("b")?["name"] == nil)
    #expect(try await pair.one.care.verify().assets == 0)
    // What was written and purged leaves pages of the store that are free.
    try await pair.one.save(Keeper(id: "l", name: String(repeating: "long ", count: 400_000)))
    try await pair.one.care.purge(.record("l", keepsNow: false))
    let freed = try await pair.one.care.preview(collectingAssets: true)
    #expect(freed.storeBytes > 0 && freed.bytes == freed.storeBytes && freed.assetFiles + freed.keptFiles == 0)
    #expect(try await pair.one.care.collect(assets: true).storeBytes > 0)
    #expect(try await pair.one.care.preview(collectingAssets: false).storeBytes == 0)
    #expect(try await failure { try await pair.one.care.purge(.record("none", keepsNow: true)) }.code == .notFound)
    #expect(try await failure { try await pair.one.care.collect(copies: 0) }.code == .usage)
  }

  /// Whatever a program gives, there is an answer or an error.
  @Test func unusualArgumentsNeverTrap() async throws {
    let pair = try await pair()
    let care = pair.one.care
    let texts = [
      "", "\0", "a\0b", "/", ".", "..", "s3://", "ssh://x y/z", String(repeating: "x", count: 100_000), "\u{202E}x",
      "~", "a://b",
    ]
    for text in texts {
      _ = try? await care.verify(container: text)
      _ = try? await care.preview(mirroring: text, to: text)
      _ = try? await care.preview(mirroring: "origin", to: text)
      _ = try? await care.preview(purging: .record(text, keepsNow: true))
      for paths in [[], [text], ["/" + text, "a"]] {
        _ = try? await care.preview(purging: .properties(of: "a", paths: paths, keepsNow: false))
      }
    }
    for time in [Int64.min, -1, 0, .max] {
      _ = try await care.preview(purging: .before(Timestamp(milliseconds: time)))
    }
    #expect(try await care.purge(.before(Timestamp(milliseconds: .min))).revisions == 0)
    // A container is not mirrored into itself, nor into the database.
    await #expect(throws: SeaError.self) { try await care.mirror(from: "origin", to: pair.one.path) }
    #expect(try await care.mirror(from: "origin", to: "origin").blocks == 0)
    #expect(try await care.verify().isGood)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await care.verify()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// In the middle of a chain, and of a container.
  @Test func verifyAndMirrorCanBeCancelled() async throws {
    let pair = try await Pair { database in
      for n in 0..<300 { try await database.save(Keeper(id: "k\(n)", name: "Ann")) }
    }
    let (third, care) = (pair.scratch.path("third"), pair.one.care)
    let works: [@Sendable (@escaping @Sendable (Progress) -> Void) async throws -> Void] = [
      { _ = try await care.verify(progress: $0) },
      { _ = try await care.verify(container: "origin", progress: $0) },
      { _ = try await care.mirror(from: "origin", to: third, progress: $0) },
    ]
    for (k, work) in works.enumerated() {
      let (heard, tell) = AsyncStream.makeStream(of: Int64.self)
      let task = Task {
        try await work { progress in
          // Whoever is told is slow enough to be cancelled.
          if progress.completed > 20 { tell.yield(progress.completed) }
          if progress.completed > 20, progress.completed < 60 { usleep(5_000) }
        }
      }
      var calls = heard.makeAsyncIterator()
      _ = await calls.next()
      task.cancel()
      await #expect(throws: CancellationError.self, "\(k)") { try await task.value }
    }
    #expect(try await pair.one.care.verify(container: "origin").isGood)
  }
}
