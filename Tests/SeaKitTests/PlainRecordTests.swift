import SeaKit
import Testing

/// Records of plain values are written and read without a look at anything but their bytes. What comes of it is what values come to.
@Suite struct PlainRecordTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  struct Plain: SeaRecord, Equatable {
    static let recordType = "plain"
    struct Inner: Codable, Equatable {
      var depth: Double
      var names: [String]
    }

    var id: String
    var text = "ä\u{301} and more than a small text has room for"
    var isSet = true
    var whole = 20.0
    var half = -0.5
    var count = -7
    var most = Int64.max
    var small: UInt8 = 255
    var missing: String?
    var here: Double? = 3
    var also: Int? = 24
    var yes: Bool? = false
    var inner = Inner(depth: 1, names: ["x", ""])
    var bytes: [UInt8] = [0, 255]
    var time = Timestamp(milliseconds: -1)
    var price: ExactDecimal = "1.50"
    var other: Reference<Plain> = Reference("q")
    var pairs: [String: Int] = [:]
  }

  @Test func listAndSingleFetchReadAlike() async throws {
    let all = [Plain(id: "a"), Plain(id: "b", text: "", missing: "not", here: nil, pairs: ["x": 1])]
    try await database.write { transaction in for one in all { try transaction.save(one) } }
    #expect(try await database.fetch(Plain.all) == all)
    #expect(try await database.fetch(Plain.self, id: "a") == all[0])
    #expect(try await database.fetch(Plain.all.order(by: "-_id")) == all.reversed())
  }

  /// A revision that says the same in the same bytes is none.
  @Test func directEncodingEqualsEncodingOfValues() async throws {
    let one = Plain(id: "a")
    let first = try await database.save(one)
    #expect(try await database.save(one) == first)
    let record = try #require(try await database.record("a"))
    #expect(record["whole"] == 20 && record["missing"] == nil && record["inner"] == ["depth": 1, "names": ["x", ""]])
    #expect(record["bytes"] == .data([0, 255]) && record["id"] == nil)
    var other = one
    (other.missing, other.also) = ("now", nil)
    try await database.save(other)
    #expect(try await database.fetch(Plain.all) == [other])
    let copy = Record(type: "plain", id: "z", try #require(try await database.record("a")).properties)
    try await database.save(copy)
    other.id = "z"
    #expect(try await database.save(other).depth == 1)
  }

  /// Whatever a program writes elsewhere is read as what the property is.
  @Test func otherKindsAreConvertedWhenRead() async throws {
    struct Loose: SeaRecord, Equatable {
      static let recordType = "loose"
      var id: String
      var name: String
      var count: Int
      var size: Double
      var more: [String]?
      var isOpen: Bool?
      var revision: String

      enum CodingKeys: String, CodingKey { case id, name, count, size, more, isOpen, revision = "_rev" }
    }
    var record = Record(
      type: "loose", id: "a",
      [
        "name": .labeled("n", label: "l"), "count": .counter(4), "size": 3, "more": .set(["s"]), "id": "none",
      ])
    try await database.write { [record] in try $0.save(record) }
    record = try #require(try await database.record("a"))
    let want = Loose(
      id: "a", name: "n", count: 4, size: 3, more: ["s"], isOpen: nil,
      revision: try #require(record.revision).description)
    #expect(try await database.fetch(Loose.all) == [want])
    #expect(try await database.fetch(Loose.self, id: "a") == want)
    record["size"] = "large"
    try await database.save(record)
    let one = try await failure { try await database.fetch(Loose.self, id: "a") }
    #expect(one.message == "record 'a': 'size' cannot be read: a text is not Double")
    #expect(try await failure { try await database.fetch(Loose.all) }.message == one.message)
    record["size"] = nil
    try await database.save(record)
    #expect(
      try await failure { try await database.fetch(Loose.all) }.message == "record 'a': 'size' is missing")
  }

  @Test func unstorableValueIsRefused() async throws {
    var one = Plain(id: "a")
    one.half = .nan
    let error = try await failure { [one] in try await database.save(one) }
    #expect(error.code == .badData)
    #expect(try await database.record("a") == nil)
    let null = try await failure { try await database.save(Record(type: "t", id: "n", ["half": .null])) }
    #expect(null.details["path"] == "half" && null.message.contains("null is not a property value"), "\(null)")
  }

  /// Of a property that is said twice the last one counts.
  @Test func lastValueOfRepeatedPropertyWins() async throws {
    struct Twice: SeaRecord {
      static let recordType = "twice"
      var id = "t"
      enum Key: String, CodingKey { case id, name }

      init() {}
      init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .id)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("first", forKey: .name)
        try container.encode("last", forKey: .name)
      }
    }
    try await database.save(Twice())
    #expect(try await database.record("t")?.properties == ["name": "last"])
  }

  /// The bytes that a record is read from are gone with the query.
  @Test func decoderStaysUsableAfterTheQuery() async throws {
    struct Keeping: SeaRecord {
      static let recordType = "keeping"
      nonisolated(unsafe) static var later: [() throws -> String] = []
      var id: String
      var name: String
      enum CodingKeys: String, CodingKey { case id, name }

      init(_ name: String) { (id, self.name) = (name, name) }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        (id, name) = ("", "")
        Keeping.later.append {
          try container.decode(String.self, forKey: .name) + container.decode(String.self, forKey: .id)
        }
      }
    }
    let names = ["one-that-is-read-later", "another", "the-last-one"]
    try await database.write { transaction in for name in names { try transaction.save(Keeping(name)) } }
    _ = try await database.fetch(Keeping.all)
    #expect(Set(try Keeping.later.map { try $0() }) == Set(names.map { $0 + $0 }))
  }
}
