import SeaContainerTesting
import SeaKit
import Testing

/// What holds containers of programs against their promises.
@Suite struct ContractTests {
  @Test func theOneInMemoryKeepsAllPromises() async throws {
    let memory = MemoryContainer()
    #expect(try await ContainerContract.check { memory } == [])
    #expect(memory.names.isEmpty)
  }

  /// Each has one flaw, and the promise that this breaks is named, with at most one more that follows from it.
  @Test(arguments: [
    (Flawed.Flaw.givesMissing, "missing", "gives bytes instead of nil"), (.losesTail, "write", "100000 bytes"),
    (.ignoresOffset, "range", "500 bytes from 99990 on"), (.overwrites, "once", "does not return false"),
    (.namesBeside, "list", "names files that are not in it"), (.tellsOtherSizes, "list", "a size of 1 of"),
    (.keepsOld, "replace", "does not leave"), (.keepsRemoved, "remove", "still there"),
    (.cannotRemoveTwice, "remove", "on fire"), (.takesFirstPiece, "pieces", "9 MiB"),
    (.writesHalf, "whole", "although"), (.mixesUp, "together", "bytes of another"),
  ])
  func eachBrokenPromiseIsNamed(_ flaw: Flawed.Flaw, _ promise: String, _ words: String) async throws {
    let memory = MemoryContainer()
    let broken = try await ContainerContract.check { Flawed(memory: memory, flaw: flaw) }
    let found = broken.filter { $0.promise == promise }
    #expect(found.count == 1 && found[0].what.contains(words), "\(broken)")
    #expect(broken.map(\.promise).allSatisfy(ContainerContract.promises.contains))
  }

  @Test func whatHangsAndWhatForgetsIsNamed() async throws {
    let memory = MemoryContainer()
    let hung = try await ContainerContract.check(limit: .milliseconds(50)) { Flawed(memory: memory, flaw: .hangs) }
    #expect(hung.first?.promise == "missing" && hung[0].what.contains("took more than"), "\(hung)")
    // Each has a place of its own.
    let apart = try await ContainerContract.check { MemoryContainer() }
    #expect(apart.map(\.promise) == ["anew"], "\(apart)")
  }

  @Test func aPlaceWithFilesIsLeftAlone() async throws {
    let memory = MemoryContainer()
    memory["notes.txt"] = [1]
    await #expect(throws: ContainerContract.PlaceNotEmpty.self) { try await ContainerContract.check { memory } }
    #expect(memory.names == ["notes.txt"])
  }

  @Test func contentIsGoneThroughOnce() async throws {
    let content = FileContent([1, 2, 3])
    #expect(content.size == 3)
    #expect(try await content.bytes() == [1, 2, 3])
    #expect(try await content.bytes() == [])
  }
}
