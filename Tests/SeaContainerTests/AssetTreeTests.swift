import Glibc
import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// Files of assets in a folder: who is at them, what is left of the dead, and what stands in the way.
@Suite struct AssetTreeTests {
  private let scratch: ScratchFolder
  private let tree: AssetTree
  private let place = AssetPlace(instance: alpha.instance, index: 1003)

  init() throws {
    scratch = try ScratchFolder()
    tree = AssetTree(try Directory(scratch.path))
  }

  private func drafts() throws -> [(name: String, isAlive: Bool)] {
    var found: [(name: String, isAlive: Bool)] = []
    try tree.forEachDraft { name, _, isAlive in
      found.append((name, isAlive))
      return false
    }
    return found
  }

  @Test func assetPathFollowsFormat() throws {
    let draft = try tree.draft()
    try [UInt8]([1, 2, 3]).withUnsafeBytes { try draft.write($0, at: 0) }
    try tree.install(draft, as: place)
    #expect(try scratch.bytes("assets/\(alpha.instance)/2/1/3") == [1, 2, 3])
    #expect(place.path == "assets/\(alpha.instance)/2/1/3")
    #expect(try tree.size(place) == 3)
    #expect(try tree.remove([place]) == 3)
    #expect(try tree.remove([place]) == nil)
  }

  @Test func onlyOneWriterHoldsDraft() throws {
    var first = try tree.draft(for: place)
    #expect(try tree.draft(for: place) == nil)
    #expect(try drafts().map(\.isAlive) == [true])
    // Another one is at it: the file is made a second time, and the first that is whole stays.
    let content = bytes(1_100_000)
    try tree.write(place, size: Int64(content.count)) { fill($1, content, $0) }
    #expect(try tree.size(place) == Int64(content.count))
    try first?.fill(Int64(content.count)) { fill($1, content, $0) }
    try tree.install(try #require(first), as: place)
    first = nil
    #expect(try drafts().isEmpty)
    #expect(try scratch.bytes(place.path) == content)
  }

  @Test func abandonedDraftIsReused() throws {
    var first: AssetDraft? = try tree.draft(for: place)
    try [UInt8](repeating: 7, count: 100).withUnsafeBytes { try first?.write($0, at: 0) }
    first = nil
    #expect(try drafts().map(\.isAlive) == [false])
    let second = try #require(try tree.draft(for: place))
    #expect(try second.size() == 100)
    second.discard()
    #expect(try drafts().isEmpty)
  }

  @Test func onlyAbandonedDraftsAreRemoved() throws {
    let alive = try tree.draft()
    _ = try tree.draft(for: place)
    try tree.forEachDraft { _, _, _ in true }
    #expect(try drafts().map(\.isAlive) == [true])
    alive.discard()
    #expect(try drafts().isEmpty)
  }

  @Test func linksAndFoldersAreNotOpenedAsAssets() throws {
    try scratch.write("elsewhere/file", [1, 2, 3])
    let parent = "assets/\(alpha.instance)/1"
    try Path.createDirectories(scratch.path(parent))
    for name in ["0", "2"] { #expect(symlink(scratch.path("elsewhere/file"), scratch.path(parent + "/" + name)) == 0) }
    try Path.createDirectories(scratch.path(parent + "/1"))
    for index in 0...2 as ClosedRange<UInt32> {
      let place = AssetPlace(instance: alpha.instance, index: index)
      #expect(try tree.size(place) == nil)
      #expect(try tree.open(place) == nil)
      #expect(throws: ContainerError.self) { try tree.write(place, size: 3) { fill($1, [9, 9, 9], $0) } }
    }
    #expect(try scratch.bytes("elsewhere/file") == [1, 2, 3])
    var found = 0
    try tree.forEach { _, _ in found += 1 }
    #expect(found == 0)
  }

  /// The name of a file in the making follows from its place, so that somebody could have put something there.
  @Test func foreignFileAtDraftPathIsUntouched() throws {
    _ = try tree.draft(for: place)
    let name = try #require(try drafts().first?.name)
    let path = scratch.path("assets/" + name)
    try scratch.write("mine", [1, 2, 3])
    for make in [
      { symlink(scratch.path("mine"), path) }, { Glibc.link(scratch.path("mine"), path) }, { mkfifo(path, 0o666) },
      { mkdir(path, 0o777) },
    ] as [() -> Int32] {
      try Path.remove(path)
      #expect(make() == 0)
      #expect(try tree.draft(for: place) == nil)
      try tree.write(place, size: 4) { fill($1, [9, 9, 9, 9], $0) }
      #expect(try scratch.bytes("mine") == [1, 2, 3] && tree.size(place) == 4)
      _ = try tree.remove([place])
    }
  }
}
