import Glibc
import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// A container behind a helper beside the same one in its folder.
@Suite struct HelperContainerTests {
  let folder: ScratchFolder
  let near: DirectoryContainer
  let far: HelperContainer

  init() throws {
    folder = try ScratchFolder(inMemory: true)
    near = DirectoryContainer(folder.path("c"))
    far = HelperContainer(HelperPlace("thread:")!, .folder(folder.path("c")))
    try near.create(Specimen.info)
  }

  /// Writes so that every block is a file of its own.
  private func singles(_ range: Range<UInt32>) throws {
    for index in range { try folder.write("c/transactions/\(alpha)/\(Layout.path(of: index))", TestBlock.make(index)) }
  }

  @Test func blocksPackedAfterListingAreRead() throws {
    try singles(0..<1000)
    #expect(try far.lastIndex(of: alpha) == 999)
    #expect(try near.fold(alpha) == 1)
    #expect(try far.read() == (0..<1000, .end(next: 1000)))
  }

  /// A large answer that comes slowly is waited for, and so is one that takes its time and says so.
  @Test func slowHelperIsAwaitedWhileItAnswers() throws {
    let info = Specimen.info.text
    let helpers = Helpers.threads { far in
      while let line = far.line() {
        if line.hasPrefix("sea-helper") {
          far.say("sea-helper 1\n")
        } else if line == "list ." {
          for _ in 0..<8 {
            far.say("wait\n")
            Clock.sleep(nanoseconds: 300_000_000)
          }
          for number in 0..<12 {
            far.say("file 1 2 some-name-that-is-not-short-\(number)\n")
            Clock.sleep(nanoseconds: 200_000_000)
          }
          far.say("ok\n")
        } else {
          far.say("ok \(info.utf8.count)\n\(info)")
        }
      }
    }
    helpers.silence = 1
    #expect(try HelperContainer(HelperPlace("thread:")!, helpers).info() == Specimen.info)
  }

  /// What lies there already is read once, and what is new is not written a block at a time first.
  @Test func completingFolderTakesFewRequests() throws {
    try far.write(0..<500)
    let before = far.requests
    try far.write(500..<1100)
    #expect(far.requests - before < 500 + 500 + 100 + 10)
    far.forget()
    #expect(try far.read() == (0..<1100, .end(next: 1100)))
    let survey = try near.survey(alpha)
    #expect(survey.folded.count == 1 && survey.singles.count == 100 && !survey.hasUnfolded)
  }

  /// Who was stopped in the middle of it, at any file, goes on.
  @Test func interruptedPackingIsResumed() throws {
    try singles(0..<1000)
    #expect(try far.survey(alpha).hasUnfolded)
    #expect(try far.fold(alpha) == 1)
    try singles(300..<900)
    far.forget()
    #expect(try far.survey(alpha).hasUnfolded)
    #expect(try far.fold(alpha) == 1)
    #expect(try !far.survey(alpha).hasUnfolded && near.survey(alpha).singles.isEmpty)
    // Where they are not the same both stay.
    try singles(3..<4)
    try folder.write("c/transactions/\(alpha)/\(Layout.path(of: 5))", TestBlock.make(5, content: [9]))
    far.forget()
    #expect(try far.fold(alpha) == 0)
    #expect(try near.survey(alpha).singles.map(\.index) == [3, 5])
  }

  @Test func blocksPackedDuringReadAreRead() throws {
    for at in [0, 3, 500, 999] as [UInt32] {
      try singles(0..<1000)
      far.forget()
      var next: UInt32 = 0
      let end = try far.readBlocks(of: alpha, from: 0) { index, _ in
        #expect(index == next)
        next += 1
        if index == at { try near.fold(alpha) }
        return true
      }
      #expect(end == .end(next: 1000) && next == 1000)
      _ = try near.drop(alpha, from: 0)
    }
  }

  @Test func blocksAddedAndPackedAfterListingAreRead() throws {
    try singles(0..<700)
    #expect(try far.lastIndex(of: alpha) == 699)
    try singles(700..<1000)
    #expect(try near.fold(alpha) == 1)
    try near.write(1000..<1003)
    #expect(try far.read() == (0..<1003, .end(next: 1003)))
  }

  @Test func readReflectsLaterPurgeAndDrop() throws {
    let large = TestBlock.make(5, content: [UInt8](repeating: 7, count: 50_000))
    try near.write(0..<5)
    _ = try near.writeBlocks(of: alpha, from: 5, once(large))
    try near.write(6..<1000)
    try near.fold(alpha)
    #expect(try far.survey(alpha).folded.count == 1)
    let left = try #require(RemovedBlock(removed(large)))
    #expect(try near.empty(alpha, [5: [left]], dryRun: false).emptied == [5])
    var count = 0
    #expect(
      try far.readBlocks(of: alpha, from: 0) { _, _ in
        count += 1
        return true
      } == .end(next: 1000))
    #expect(count == 1000)
    _ = try near.drop(alpha, from: 3)
    #expect(try far.read() == (0..<3, .end(next: 3)))
    _ = try near.drop(alpha, from: 0)
    far.forget()
    #expect(try far.read() == (0..<0, .end(next: 0)))
  }

  /// Two read while one writes and folds: nobody meets a gap, or damage.
  @Test func concurrentReadersSeeNoGap() throws {
    let path = folder.path("c")
    let failures = Threads.run(3) { number in
      if number == 0 {
        let near = DirectoryContainer(path)
        for start in stride(from: UInt32(0), to: 3000, by: 50) { try near.write(start..<start + 50) }
        return
      }
      let far = HelperContainer(HelperPlace("thread:")!, .folder(path))
      var last: UInt32 = 0
      for _ in 0..<2000 where last < 3000 {
        far.forget()
        let (indices, end) = try far.read()
        guard case .end = end, indices.upperBound >= last else { throw WrongBlock(index: indices.upperBound) }
        last = indices.upperBound
      }
    }
    #expect(failures.isEmpty, "\(failures)")
  }

  /// Copies that a cloud client has renamed, what was set aside, and whatever else lies there.
  @Test func strayFilesAreListedReadAndRemoved() throws {
    try near.write(0..<3)
    let chain = "c/transactions/\(alpha)"
    let names = [
      "\(chain)/1/2 (Ada's conflicted copy 2026-01-01)", "\(chain)/1/2 (1)", "\(chain)/1/2%20", "\(chain)/1/ü é",
      "\(chain)/1/2.damaged-00000000", "\(chain)/1 (copy)/0", "\(chain)/1/.5.icloud", "c/transactions/x y/1/0",
      "c/2 (conflicted copy)", "c/info (1).json", "c/keys/a b", "c/assets/\(alpha.instance)/1/0 (copy)", "c/assets/é",
      "c/assets/\(alpha.instance)/1/.3.icloud", "c/~x", "c/a=b&c", "c/\u{85}x",
      "c/\(String(repeating: "ä", count: 120))",
    ]
    for name in names { try folder.write(name, TestBlock.make(2)) }
    #expect(try far.strays() == near.strays().sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
    #expect(try far.survey(alpha).strays == near.survey(alpha).strays)
    #expect(try far.survey(alpha).placeholders == near.survey(alpha).placeholders)
    func all(_ container: Container) throws -> [String] {
      var paths: [String] = []
      #expect(try container.forEachFile { paths.append($0.path) } == [])
      return paths.sorted()
    }
    #expect(try all(far) == all(near))
    #expect(try all(far) == folder.files("c").map { String($0.dropFirst(2)) }.sorted())
    #expect(try far.foreignFiles() == near.foreignFiles())
    #expect(try far.chains() == near.chains())
    #expect(try far.assetEntry(AssetPlace(instance: alpha.instance, index: 3)) == .promised)
    #expect(try far.assetEntry(AssetPlace(instance: alpha.instance, index: 4)) == nil)
    let strays = try far.strays() + far.survey(alpha).strays
    #expect(strays.count >= 8)
    for stray in strays {
      var found: [UInt8] = []
      try far.readStray(stray.path) { bytes in
        found = Array(bytes)
        return true
      }
      #expect(found == TestBlock.make(2), "\(stray.path)")
      try far.removeStray(stray.path)
    }
    #expect(try near.strays().isEmpty && near.survey(alpha).strays.isEmpty)
  }

  /// A cloud client may be still to bring a whole folder of the container.
  @Test func placeholdersForTopFoldersAreRecognized() throws {
    for name in ["c/.transactions.icloud", "c/.assets.icloud"] { try folder.write(name, []) }
    let (listing, place) = (try far.chains(), AssetPlace(instance: alpha.instance, index: 3))
    #expect(listing.isPromised && listing.areAssetsPromised)
    #expect(try listing == near.chains())
    #expect(try far.assetEntry(place) == .promised && near.assetEntry(place) == .promised)
  }

  @Test func wirePathEncodingIsUnique() {
    for path in ["a", "a/b.c", "a b", "ü", "a%b", "…", "a/.. .", ".x", "...", "\u{85}", "a:b"] {
      #expect(WirePath.path(WirePath.text(path)) == path, "\(path)")
      #expect(WirePath.text(path).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
    #expect(WirePath.text("5 (copy)") == "5%20%28copy%29")
    for text in [
      "", "..", "a/..", "%41", "%2f", "a%2Fb", "%2E", "%C3%BC%", "%C3", "%c3%bc", "ü", "a b", "%00", "%7F", "%1B",
    ] {
      #expect(WirePath.path(text) == nil, "\(text)")
    }
  }
}

/// What a server of a folder lets nobody do.
@Suite struct FolderServerTests {
  private func serve(_ path: String, _ text: String, _ right: ServerWire.Right = .everything) throws -> [String] {
    var input = Array("sea-helper 1\n\(text)".utf8)[...]
    var output: [UInt8] = []
    let wire = ServerWire(
      read: { buffer in
        let part = input.prefix(min(7, buffer.count))
        buffer.copyBytes(from: part)
        input = input.dropFirst(part.count)
        return part.count
      }, write: { output += Array($0) })
    try FolderServer(path, right, wire).run()
    return String(decoding: output, as: UTF8.self).split(separator: "\n").dropFirst().map(String.init)
  }

  @Test func pathsOutsideContainerFormatAreRefused() throws {
    let folder = try ScratchFolder(inMemory: true)
    try folder.write("secret", [1])
    try folder.write("c/info.json", [1])
    let long = String(repeating: "a", count: 256)
    for path in ["../x", "/x", "a/../../x", "%2E%2E/x", "..%2Fx", "a%00", long, "x%0Ay", "./x", "keys//x"] {
      // The bytes are no requests.
      let answers = try serve(
        folder.path("c"), "put \(path) 17\ndelete info.json\nget \(path) 0 9\ndelete \(path)\nlist \(path)\nbye\n")
      #expect(answers.count == 5 && answers.dropLast().allSatisfy { $0.hasPrefix("error bad-request") }, "\(answers)")
      #expect(answers.last == "ok")
    }
    for path in ["notes.txt", "keys/x", "transactions/x/1/0", "a%20b", "transactions/\(alpha)/1/1000"] {
      let answers = try serve(folder.path("c"), "put \(path) 17\ndelete info.json\nreplace \(path) 3\nabcbye\n")
      #expect(answers.count == 3 && answers.dropLast().allSatisfy { $0.hasPrefix("error denied") }, "\(answers)")
    }
    #expect(
      try serve(folder.path("c"), "sing\nput x\nput x y\nput info.json 99999999999999999999\n").map { $0.prefix(13) }
        == ["error unsuppo", "error bad-req", "error bad-req", "error bad-req"])
    #expect(try serve(folder.path("c"), String(repeating: "x", count: 2000) + "\nbye\n") == [])
    #expect(try folder.files() == ["c/info.json", "secret"])
  }

  @Test func linksAreNotFollowed() throws {
    let folder = try ScratchFolder(inMemory: true)
    try folder.write("elsewhere/1/0", [1])
    try folder.write("c/transactions/x", [1])
    #expect(symlink(folder.path("elsewhere"), folder.path("c/transactions/\(alpha)")) == 0)
    #expect(symlink(folder.path("elsewhere/1/0"), folder.path("c/info.json")) == 0)
    let block = "transactions/\(alpha)/1/"
    let answers = try serve(
      folder.path("c"),
      "list .\nget \(block)0 0 9\nput \(block)1 1\nxdelete \(block)0\nget info.json 0 9\nput info.json 1\nxbye\n")
    #expect(answers.first?.hasSuffix("transactions/x") == true && answers.count == 8, "\(answers)")
    #expect(answers[1] == "ok" && answers.last == "ok")
    #expect(!answers[2...].dropLast().contains { $0.hasPrefix("ok 1") }, "\(answers)")
    #expect(try folder.bytes("elsewhere/1/0") == [1])
    #expect(try Directory(folder.path("elsewhere/1")).list().entries.count == 1)
  }

  @Test func rightsLimitAllowedRequests() throws {
    let folder = try ScratchFolder(inMemory: true)
    let id = alpha.instance
    try folder.write("c/info.json", [1])
    try folder.write("c/heads/\(id)", [1])
    let requests =
      "put info.json 1\nxreplace info.json 1\nxdelete info.json\nmove info.json info.json.damaged-00000000\nreplace heads/\(id) 1\nxput requests/\(id) 1\nxbye\n"
    let codes = { (answers: [String]) in answers.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } }
    let denied = "error denied"
    #expect(
      codes(try serve(folder.path("c"), requests, .read)) == [denied, denied, denied, denied, denied, denied, "ok"])
    #expect(try folder.files().count == 2)
    #expect(
      codes(try serve(folder.path("c"), requests, .append)) == [
        "error exists", denied, denied, denied, "ok", "ok", "ok",
      ])
    #expect(try folder.bytes("c/info.json") == [1] && folder.bytes("c/heads/\(id)") == [0x78])
  }
}
