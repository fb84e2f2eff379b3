import SeaKit
import SeaTestSupport
import Testing

/// A type that has got properties, and whose `mass` was a text once.
private struct Ship: SeaRecord {
  static let recordType = "ship"
  static let defaults: Ship? = Ship(id: "", flag: "none", home: Port(name: "unknown"), crew: ["nobody"])
  var id: String
  var name = "unnamed"
  var flag: String
  var home: Port
  var crew: [String]
  var mass = 0
  var seen: Counter = 0
  var marks = MergeSet<String>()
  var note: String?

  struct Port: Codable, Equatable { var name: String }

  static func convert(_ value: Value, of property: String) -> Value? {
    guard property == "mass", case .string(let text) = value, let number = Int64(text) else { return nil }
    return .integer(number)
  }
}

@Suite struct GrownTypeTests {
  private func stored(_ properties: [String: Value]) async throws -> Database {
    let database = try await Database.inMemory()
    try await database.write { try $0.save(Record(type: "ship", id: "s", properties)) }
    return database
  }

  /// Each way of reading a record: by id, in a query, in an ordered query, and in a transaction.
  private func readings(_ database: Database) async throws -> [Ship] {
    [
      try #require(try await database.fetch(Ship.self, id: "s")), try await database.fetch(Ship.all)[0],
      try await database.fetch(Ship.all.order(by: "-_id"))[0],
      try await database.write { try $0.fetch(Ship.all)[0] },
    ]
  }

  @Test func missingPropertiesHaveTheDefaultsOfTheType() async throws {
    for ship in try await readings(stored(["flag": "CH"])) {
      #expect(ship.flag == "CH" && ship.name == "unnamed" && ship.home == Ship.Port(name: "unknown"))
      #expect(ship.crew == ["nobody"] && ship.mass == 0 && ship.note == nil)
      #expect(ship.seen.value == 0 && ship.marks.isEmpty)
    }
  }

  @Test func propertyOfAnotherKindIsConverted() async throws {
    for ship in try await readings(stored(["mass": "120"])) { #expect(ship.mass == 120) }
    let database = try await stored(["mass": "heavy"])
    await #expect(throws: SeaError.self) { try await database.fetch(Ship.all) }
  }

  @Test func savingWritesTheDefaultAndTheConvertedValue() async throws {
    let database = try await stored(["mass": "120"])
    var ship = try #require(try await database.fetch(Ship.self, id: "s"))
    ship.seen += 1
    try await database.save(ship)
    let record = try #require(try await database.record("s"))
    #expect(record["mass"] == .integer(120) && record["flag"] == .string("none"))
    #expect(try await database.fetch(Ship.self, id: "s")?.seen.value == 1)
  }

  /// A type without defaults and conversions reports what is missing, except counters, sets and optionals.
  @Test func withoutDefaultsAMissingPropertyIsAnError() async throws {
    struct Boat: SeaRecord {
      static let recordType = "ship"
      var id: String
      var flag: String
      var seen: Counter
    }
    let database = try await stored(["mass": 1])
    await #expect(throws: SeaError.self) { try await database.fetch(Boat.all) }
    try await database.write { try $0.save(Record(type: "ship", id: "s", ["flag": "CH"])) }
    #expect(try await database.fetch(Boat.all).map(\.seen.value) == [0])
  }
}
