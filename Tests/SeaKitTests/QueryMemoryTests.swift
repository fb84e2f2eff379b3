import SeaKit
import Testing

/// A query may take so much memory, and what else the program has is not its concern.
@Suite struct QueryMemoryTests {
  @Test func memoryOfTheProgramIsNotCounted() async throws {
    let database = try await Database.inMemory()
    try await database.write { try $0.save(Bird(name: "wren")) }
    // Nothing of it is touched: it takes room in no memory.
    let held = UnsafeMutableRawPointer.allocate(byteCount: 1200 << 20, alignment: 16)
    defer { held.deallocate() }
    #expect(try await database.fetch(Bird.all.where("name = 'wren'")).count == 1)
  }
}
