import SeaKit
import Testing

/// Records that are saved because another record refers to them.
@Suite struct NewReferenceTests {
  struct Owner: SeaRecord, Equatable {
    static let recordType = "owner"
    var id = RecordID.new()
    var name: String
    var visits: Counter = 0
    var parent: Reference<Owner>?
  }

  struct Boat: SeaRecord {
    static let recordType = "boat"
    struct Cabin: Codable { var guest: Reference<Owner>? }
    var id = RecordID.new()
    var owner: Reference<Owner>?
    var crew: [Reference<Owner>] = []
    var roles: [String: Reference<Owner>] = [:]
    var cabins: [Cabin] = []
    var friends = MergeSet<Reference<Owner>>()
    var builder: Labeled<Reference<Owner>>?
    var seats: [Reference<Owner>?] = []
  }

  /// A class can be part of a circle.
  final class Link: SeaRecord, @unchecked Sendable {
    static let recordType = "link"
    let id: String
    var next: Reference<Link>?
    init(_ id: String) { self.id = id }
  }

  private let database: Database

  init() async throws { database = try await .inMemory() }

  private func names() async throws -> [String] { try await database.fetch(Owner.all).map(\.name).sorted() }

  @Test func savingARecordSavesTheNewRecordsItRefersTo() async throws {
    let ann = Owner(name: "Ann", visits: 3, parent: Reference(Owner(name: "Zoe")))
    let boat = Boat(owner: Reference(ann))
    try await database.save(boat)
    #expect(try await names() == ["Ann", "Zoe"])
    let read = try #require(try await database.fetch(Boat.self, id: boat.id))
    #expect(try await database.fetch(Owner.self, id: #require(read.owner).id)?.visits.value == 3)
    // Both are in one transaction, and the counter is not counted again.
    #expect(try await database.history.operations().count == 1)
    try await database.save(boat)
    #expect(try await database.fetch(Owner.self, id: ann.id)?.visits.value == 3)
  }

  @Test func newRecordsAreFoundInCollectionsAndNestedValues() async throws {
    func new(_ name: String) -> Reference<Owner> { Reference(Owner(id: name, name: name)) }
    try await database.save(
      Boat(
        crew: [new("array"), Reference("absent")], roles: ["cook": new("dictionary")],
        cabins: [.init(guest: new("nested"))],
        friends: MergeSet([new("set")]), builder: Labeled(new("label"), "yard"), seats: [nil, new("optional")]))
    #expect(try await names() == ["array", "dictionary", "label", "nested", "optional", "set"])
  }

  @Test func existingAndDeletedRecordsAreLeftAlone() async throws {
    try await database.save(Owner(id: "a", name: "stored"))
    try await database.save(Boat(id: "b", owner: Reference(Owner(id: "a", name: "kept"))))
    #expect(try await names() == ["stored"])
    try await database.delete("a")
    try await database.save(Boat(id: "c", owner: Reference(Owner(id: "a", name: "kept"))))
    #expect(try await names() == [])
    #expect(try await database.fetch(Boat.self, id: "c")?.owner?.id == "a")
    // The same holds within a transaction.
    try await database.write { transaction in
      try transaction.save(Owner(id: "n", name: "first"))
      try transaction.save(Boat(owner: Reference(Owner(id: "n", name: "second"))))
    }
    #expect(try await names() == ["first"])
  }

  @Test func severalReferencesToOneNewRecordSaveItOnce() async throws {
    let ann = Owner(id: "ann", name: "Ann", visits: 1)
    try await database.save(
      Boat(owner: Reference(ann), crew: [Reference(ann), Reference(Owner(name: "Bob", parent: Reference(ann)))]))
    #expect(try await names() == ["Ann", "Bob"])
    #expect(try await database.fetch(Owner.self, id: "ann")?.visits.value == 1)
  }

  @Test func circleOfNewRecordsIsRefused() async throws {
    let (one, two, three) = (Link("one"), Link("two"), Link("three"))
    (one.next, two.next, three.next) = (Reference(two), Reference(three), Reference(two))
    let error = try await failure { try await database.save(one) }
    #expect(error.code == .badData && error.message.contains("'two' → 'three' → 'two'"), "\(error)")
    #expect(!error.message.contains("'one'"))
    #expect(try await database.count(Link.all) == 0)
    // The transaction goes on without the refused records.
    let own = try await database.write { transaction in
      do { try transaction.save(one) } catch is SeaError { try transaction.save(Link("four")) }
      return try transaction.ids(Link.all)
    }
    #expect(own == ["four"])
    let alone = Link("alone")
    alone.next = Reference(alone)
    #expect(try await failure { try await database.save(alone) }.message.contains("'alone' → 'alone'"))
    // A reference by id closes the circle, and so does a record that exists.
    three.next = Reference("one")
    try await database.save(one)
    three.next = Reference(one)
    try await database.save(three)
    alone.next = nil
    #expect(try await database.read { try $0.ids(Link.all) } == ["four", "one", "three", "two"])
  }

  @Test func chainOfManyNewRecordsNeedsNoStack() async throws {
    let count = 100_000
    func chain() -> Owner {
      var last = Owner(id: "0", name: "")
      for k in 1..<count { last = Owner(id: "\(k)", name: "", parent: Reference(last)) }
      return last
    }
    let link = Link("first")
    var last = link
    for k in 0..<count {
      let next = Link("l\(k)")
      last.next = Reference(next)
      last = next
    }
    // A circle of this length is refused with a short message.
    last.next = Reference(link)
    let error = try await failure { try await database.save(link) }
    #expect(error.message.utf8.count < 300)
    last.next = nil
    let all = chain()
    try await database.save(all)
    #expect(try await database.count(Owner.all) == count)
  }

  @Test func failureOfANewRecordLeavesNothing() async throws {
    let boat = Boat(
      id: "b", owner: Reference(Owner(id: "ann", name: "Ann", parent: Reference(Owner(id: "-", name: "")))))
    let error = try await failure { try await database.save(boat) }
    #expect(error.code == .badData && error.details["id"] == "ann", "\(error)")
    #expect(try await database.count(Query.records()) == 0)
    // Nor does it if the transaction ignores the error.
    _ = try await failure {
      try await database.write { transaction in
        do { try transaction.save(boat) } catch is SeaError {}
      }
    }
    #expect(try await database.count(Query.records()) == 0)
    // If only the state of the record differs, the transaction goes on.
    try await database.save(Boat(id: "b"))
    try await database.write { transaction in
      let again = Boat(id: "b", owner: Reference(Owner(name: "Ann")))
      #expect(throws: SeaError.self) { try transaction.save(again, check: .isNew) }
      try transaction.save(Boat(id: "c"))
    }
    #expect(try await database.read { try $0.ids(Query.records()) } == ["b", "c"])
  }

  @Test func referencesAreEqualByID() throws {
    let ann = Owner(id: "a", name: "Ann")
    #expect(Reference(ann) == Reference<Owner>("a") && Set([Reference(ann), Reference("a")]).count == 1)
    var other = Reference(ann)
    other.id = "b"
    #expect(other != Reference(ann))
  }

  @Test func recordAsAPropertyIsStoredInside() async throws {
    struct Race: SeaRecord {
      static let recordType = "race"
      var id = "r"
      var winner: Owner
    }
    try await database.save(Race(winner: Owner(id: "w", name: "Wim")))
    #expect(try await database.count(Owner.all) == 0)
    #expect(try await database.record("r")?[path: "winner.id"] == "w")
    #expect(try await database.fetch(Race.self, id: "r")?.winner.name == "Wim")
  }
}
