import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// `Database.cloneInMemory(name:)`: two devices in one test.
@Suite struct CloneInMemoryTests {
  @Test func clonesExchangeChangesInMemory() async throws {
    let laptop = try await Database.inMemory()
    try await laptop.save(Keeper(id: "a", name: "Ann"))
    let phone = try await laptop.cloneInMemory(name: "phone")
    let tablet = try await laptop.cloneInMemory(name: "tablet")
    #expect(try await phone.instance().name == "phone")
    #expect(try await phone.fetch(Keeper.self, id: "a")?.name == "Ann")
    try await phone.save(Keeper(id: "b", name: "Bob"))
    for device in [phone, laptop, tablet] { #expect(try await device.sync().isComplete) }
    for device in [laptop, tablet] { #expect(try await device.count(Keeper.all) == 2) }
    // A clone can be cloned, too.
    let watch = try await phone.cloneInMemory(name: "watch")
    #expect(try await watch.count(Keeper.all) == 2)
  }

  @Test func cloneUsesTheContainerOfTheProgram() async throws {
    let shared = MemoryContainer()
    var options = Database.Options()
    options.containers["memory"] = { _ in shared }
    let laptop = try await Database.inMemory("org.example.test", options)
    let phone = try await laptop.cloneInMemory(name: "phone")
    #expect(!shared.names.isEmpty)
    shared.isReachable = false
    #expect(try await phone.sync().outcomes[0].error?.code == .unreachable)
    #expect(try await failure { try await laptop.cloneInMemory(name: "tablet") }.code == .unreachable)
  }

  @Test func databaseOnDiskIsNotClonedInMemory() async throws {
    let scratch = try ScratchFolder(inMemory: true)
    let database = try await Database.open(scratch.path("one"), creating: "org.example.test")
    #expect(try await failure { try await database.cloneInMemory(name: "phone") }.code == .usage)
  }
}
