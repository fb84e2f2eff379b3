import SeaContainerTesting
import SeaKit
import Testing

/// What holds containers of programs against their promises.
@Suite struct ContractTests {
  @Test func memoryContainerKeepsAllPromises() async throws {
    let memory = MemoryContainer()
    #expect(try await ContainerContract.check { memory } == [])
    #expect(memory.names.isEmpty)
  }

  /// Each has one flaw, and the promise that this breaks is the first that is named.
  @Test(arguments: [
    (Flawed.Flaw.givesMissing, "missing", "must fail with not-found"),
    (.losesTail, "put", "differs from what was put"),
    (.ignoresOffset, "range", "gives other bytes"), (.overwrites, "once", "must fail with exists"),
    (.namesBeside, "list", "that are not in it"), (.tellsOtherSizes, "list", "with their sizes"),
    (.keepsOld, "replace", "does not store"), (.keepsRemoved, "move", "still there after move"),
    (.cannotRemoveTwice, "delete", "missing file is refused"), (.takesFirstPiece, "large", "9 MiB"),
    (.writesHalf, "whole", "incomplete upload"), (.mixesUp, "order", "the answer of another"),
    (.hangs, "missing", "no answer"), (.throwsAlways, "missing", "on fire"),
  ])
  func firstBrokenPromiseIsReported(_ flaw: Flawed.Flaw, _ promise: String, _ words: String) async throws {
    let memory = MemoryContainer()
    let broken = try await ContainerContract.check { Flawed(memory: memory, flaw: flaw) }
    #expect(broken.first?.promise == promise && broken[0].what.contains(words), "\(broken)")
    #expect(broken.map(\.promise).allSatisfy(ContainerContract.promises.contains))
  }

  @Test func forgetfulContainerIsReported() async throws {
    // Each has a place of its own.
    let apart = try await ContainerContract.check { MemoryContainer() }
    #expect(apart.first?.promise == "whole", "\(apart)")
    #expect(apart.map(\.promise).contains("anew"), "\(apart)")
  }

  @Test func nonemptyContainerIsLeftUnchanged() async throws {
    let memory = MemoryContainer()
    memory["notes.txt"] = [1]
    await #expect(throws: ContainerContract.PlaceNotEmpty.self) { try await ContainerContract.check { memory } }
    #expect(memory.names == ["notes.txt"])
  }

  @Test func contentCanOnlyBeReadOnce() async throws {
    let content = FileContent([1, 2, 3])
    #expect(content.size == 3)
    #expect(try await content.bytes() == [1, 2, 3])
    #expect(try await content.bytes() == [])
  }
}
