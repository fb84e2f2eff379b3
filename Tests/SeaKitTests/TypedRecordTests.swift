import SeaKit
import Testing

@Suite struct TypedRecordTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  private var whole: Bird {
    var bird = Bird(id: "b", name: "wren")
    bird.seen = 3
    bird.weight = "9.50"
    bird.plumage = .bright
    bird.tags = MergeSet(["small", "brown"])
    bird.nest = Bird.Nest(height: 1.5, eggs: [1, 2, 3])
    bird.first = Timestamp("2026-03-01T12:30:00.250Z")
    bird.feather = [0, 255]
    bird.owner = Reference("k")
    bird.isRare = true
    bird.notes = ["a.b": "c", "$d": "e"]
    bird.phone = Labeled("061", "office")
    return bird
  }

  @Test func allPropertiesRoundTrip() async throws {
    let bird = whole
    try await database.write { try $0.save(bird) }
    let read = try #require(try await database.read { try $0.fetch(Bird.self, id: "b") })
    #expect(read.seen.value == 3 && read.tags.elements == ["small", "brown"])
    #expect(read.weight == bird.weight && read.weight?.description == "9.50" && read.nest == bird.nest)
    #expect(read.first == bird.first && read.feather == bird.feather && read.owner == bird.owner)
    #expect(read.isRare && read.plumage == .bright && read.notes == bird.notes && read.phone == bird.phone)
    let record = try #require(try await database.read { try $0.record("b") })
    #expect(record["rare"] == true && record["id"] == nil && record["weight"] == .decimal("9.50"))
    #expect(record["seen"] == .counter(3) && record["owner"] == .reference(RecordReference("k")))
    #expect(record["phone"] == .labeled("061", label: "office") && record["feather"] == .data([0, 255]))
  }

  /// Saving a record that was not changed writes nothing.
  @Test func unchangedRecordIsNotWritten() async throws {
    let bird = whole
    let first = try await database.write { try $0.save(bird) }
    let second = try await database.write { transaction in
      try transaction.save(#require(try transaction.fetch(Bird.self, id: "b")))
    }
    #expect(first == second && first.depth == 1)
  }

  @Test func unknownPropertiesAreKept() async throws {
    let bird = whole
    try await database.write { try $0.save(bird) }
    try await database.write { transaction in
      var record = try #require(try transaction.record("b"))
      record["song"] = "loud"
      record[path: "nest.color"] = "grey"
      record[path: "notes.more"] = "x"
      try transaction.save(&record)
    }
    try await database.write { transaction in
      var bird = try #require(try transaction.fetch(Bird.self, id: "b"))
      bird.nest?.height = 2
      bird.weight = nil
      bird.notes["a.b"] = nil
      bird.seen += 2
      bird.tags.remove("small")
      bird.tags.insert("old")
      try transaction.save(bird)
    }
    let record = try #require(try await database.read { try $0.record("b") })
    #expect(record["song"] == "loud" && record[path: "nest.color"] == "grey" && record[path: "nest.height"] == 2)
    #expect(record["weight"] == nil && record["seen"] == .counter(5))
    #expect(record["notes"] == ["$d": "e", "more": "x"])
    let tags: [String]? = record["tags"]
    #expect(Set(tags ?? []) == ["brown", "old"])
    #expect(record["phone"]?.label == "office")
  }

  @Test func pathReachesIntoLabeledValue() async throws {
    try await database.write { transaction in
      var record = Record(type: "bird", id: "place", ["at": .labeled([1, 2], label: "point")])
      record[path: "at.0"] = 3
      #expect(record[path: "at.0"] == 3)
      try transaction.save(&record)
    }
    let record = try #require(try await database.read { try $0.record("place") })
    #expect(record["at"] == .labeled([3, 2], label: "point"))
  }

  @Test func missingOrMistypedPropertyIsNamed() async throws {
    try await database.write { transaction in
      var one = Record(type: "bird", id: "one", ["name": 7, "rare": true])
      try transaction.save(&one)
      var two = Record(
        type: "bird", id: "two",
        [
          "name": "wren", "seen": .counter(1), "plumage": "dull", "tags": .set([]), "rare": false, "notes": [:],
          "nest": ["height": 1, "eggs": [1, "x"]],
        ])
      try transaction.save(&two)
      var three = Record(type: "keeper", id: "three", [:])
      try transaction.save(&three)
    }
    func message(_ id: String) async throws -> String {
      let error = try await failure { try await database.fetch(Bird.self, id: id) }
      #expect(error.code == .badData && error.details["id"] == id)
      return error.message
    }
    #expect(try await message("one") == "record 'one': 'name' cannot be read: an integer is not String")
    #expect(try await message("two") == "record 'two': 'nest.eggs.1' cannot be read: a text is not Int")
    #expect(try await database.fetch(Bird.self, id: "three") == nil)
    #expect(try await failure { try await database.fetch(Keeper.all) }.details["path"] == "name")
  }

  @Test func classesAndTheirSuperclassesAreOneRecord() async throws {
    let dog = Dog(id: "d", name: "Rex", age: 4)
    try await database.write { try $0.save(dog) }
    let record = try #require(try await database.read { try $0.record("d") })
    #expect(record.properties == ["name": "Rex", "age": 4])
    let read = try #require(try await database.read { try $0.fetch(Dog.self, id: "d") })
    #expect(read.name == "Rex" && read.age == 4)
  }

  @Test func aRecordOfAnotherTypeIsNotOverwritten() async throws {
    try await database.write { try $0.save(Keeper(id: "x", name: "Ann")) }
    let error = try await failure { try await database.save(Bird(id: "x", name: "wren")) }
    #expect(error.code == .badData && error.message.contains("keeper"))
  }

  /// Each case is stored as the kind that it is, and read exactly or not at all.
  @Test func numbersAreStoredExactly() async throws {
    struct Numbers: SeaRecord, Equatable {
      static let recordType = "numbers"
      var id = "n"
      var small: Int8 = -128
      var large = UInt64.max
      var larger = Int128.max
      var whole = Int64.min
      var float: Float = 0.1
      var double = 1e300
      var optional: UInt16?
      var big = BigInteger("123456789012345678901234567890")
      var list: [Int?] = [1, nil, 3]
      var nested = [[1.5], []]
    }
    let numbers = Numbers()
    try await database.write { try $0.save(numbers) }
    #expect(try await database.read { try $0.fetch(Numbers.self, id: "n") } == numbers)
    try await database.write { transaction in
      var record = try #require(try transaction.record("n"))
      record["small"] = 128
      try transaction.save(&record)
    }
    #expect(try await failure { try await database.fetch(Numbers.self, id: "n") }.details["path"] == "small")
  }
}
