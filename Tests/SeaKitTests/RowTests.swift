import SeaKit
import SeaTestSupport
import Testing

/// Statements in SQL, and single values of many records.
@Suite struct RowTests {
  private let database: Database

  init() async throws {
    database = try await Database.inMemory()
    try await database.write { transaction in
      try transaction.save(Keeper(id: "ann", name: "Ann"))
      for (name, seen, weight) in [("wren", 3, "9.5"), ("wren", 4, "10.25"), ("owl", 1, "300")] {
        var bird = Bird(name: name, weight: ExactDecimal(weight))
        bird.seen += Int128(seen)
        bird.first = Timestamp(milliseconds: Int64(seen) * 1000)
        bird.isRare = name == "owl"
        bird.plumage = .bright
        bird.nest = Bird.Nest(height: 2.5, eggs: [seen, 2])
        bird.owner = Reference("ann")
        bird.feather = [1, 2]
        try transaction.save(bird)
      }
    }
  }

  private struct Sum: Codable, Equatable, Sendable {
    var name: String
    var seen: Int
    var heaviest: Double?
  }

  @Test func rowsAreDecodedAsTypes() async throws {
    let least = 1
    let sums = try await database.rows(
      "SELECT name, sum(seen) AS seen, max(weight) AS heaviest FROM bird WHERE seen > \(least) GROUP BY name",
      as: Sum.self)
    #expect(sums == [Sum(name: "wren", seen: 7, heaviest: 10.25)])
    let statement = Statement("SELECT count(*) FROM bird WHERE name = :name", ["name": "wren"])
    #expect(try await database.rows(statement, as: Int.self) == [2])
    #expect(try await database.rows("SELECT name, NULL AS b FROM bird WHERE seen = 1").first?.values == ["owl", .null])
    let joined = try await database.rows(
      "SELECT keeper.name AS keeper, bird.name AS bird FROM bird JOIN keeper ON owner = keeper._id WHERE seen = 1")
    let row = try #require(joined.first)
    #expect(row.columns == ["keeper", "bird"] && row["keeper"] == "Ann" && row["none"] == nil)
  }

  /// What SQL has as texts and numbers is what it was as soon as a type is asked for.
  @Test func columnsConvertToTheirOriginalKinds() async throws {
    let row = try #require(try await database.rows("SELECT *, exact(weight) AS exact FROM bird WHERE seen = 1").first)
    #expect(row["first", as: Timestamp.self] == Timestamp(milliseconds: 1000))
    #expect(row["rare", as: Bool.self] == true && row["rare"] == 1)
    #expect(row["owner", as: Reference<Keeper>.self]?.id == "ann" && row["owner", as: String.self] == "ann")
    #expect(row["exact", as: ExactDecimal.self] == ExactDecimal("300"))
    #expect(row["feather", as: [UInt8].self] == [1, 2])
    #expect(row["nest"] == ["height": 2.5, "eggs": [1, 2]])
    #expect(row["seen", as: String.self] == nil)
    let sql: Statement = """
      SELECT _id, name, seen, exact(weight) AS weight, plumage, tags, nest, first, owner, rare, notes, phone
      FROM bird WHERE seen = 1
      """
    let bird = try #require(try await database.rows(sql, as: Bird.self).first)
    let stored = try #require(try await database.first(Bird.all.where("seen = 1")))
    #expect(bird.id == stored.id && bird.plumage == .bright && bird.isRare && bird.nest == stored.nest)
    #expect(bird.first == stored.first && bird.owner == stored.owner && bird.seen == 1)
  }

  @Test func invalidStatementIsReported() async throws {
    let database = database
    #expect(try await failure { try await database.rows("DELETE FROM bird") }.code == .badQuery)
    #expect(try await failure { try await database.rows("") }.code == .badQuery)
    #expect(try await failure { try await database.rows("SELECT 1; SELECT 2") }.code == .badQuery)
    #expect(try await failure { try await database.rows("SELECT \0 1") }.code == .badQuery)
    #expect(try await failure { try await database.rows(Statement("SELECT :a")) }.code == .badQuery)
    let wrong = try await failure { try await database.rows("SELECT name, 'x' AS seen FROM bird", as: Sum.self) }
    #expect(wrong.code == .badData && wrong.details["path"] == "seen", "\(wrong)")
    let missing = try await failure { try await database.rows("SELECT name FROM bird", as: Sum.self) }
    #expect(missing.code == .badData && missing.message.contains("seen"), "\(missing)")
    // What no record has yet is empty.
    let empty = try await Database.inMemory()
    #expect(try await empty.rows("SELECT name FROM type.bird").isEmpty)
    #expect(try await database.rows("SELECT plover FROM bird", as: Int?.self) == [nil, nil, nil])
  }

  @Test func aggregatesAreComputedOverQueries() async throws {
    try await database.read { reading in
      #expect(try reading.sum(of: "seen", in: Bird.all) == 8)
      #expect(try reading.sum(of: "seen", in: Bird.all.where("name = \("wren")")) == 7)
      #expect(try reading.sum(of: "seen", in: Bird.all.where("name = 'none'")) as Int? == nil)
      #expect(try reading.average(of: "seen", in: Bird.all.where("name = 'wren'")) == 3.5)
      #expect(try reading.maximum(of: "first", in: Bird.all) == Timestamp(milliseconds: 4000))
      #expect(try reading.minimum(of: "name", in: Bird.all) == "owl")
      #expect(try reading.sum(of: "seen", in: Query<Record>.records().referring(to: "ann")) == 8)
      #expect(try reading.sum(of: "name) FROM bird --", in: Bird.all) as Int? == nil)
      do {
        _ = try reading.sum(of: "seen", in: Bird.all.limit(1), as: Int.self)
        Issue.record("a limit was taken")
      } catch let error as SeaError { #expect(error.code == .usage) }
      do {
        _ = try reading.maximum(of: "name", in: Bird.all, as: Int.self)
        Issue.record("a text is no number")
      } catch let error as SeaError { #expect(error.code == .badData) }
    }
    let empty = try await Database.inMemory()
    #expect(try await empty.read { try $0.sum(of: "seen", in: Bird.all) as Int? } == nil)
  }

  /// A transaction sees what it has written, and what `body` throws comes out as it is.
  @Test func transactionQueriesSeeItsWrites() async throws {
    struct Own: Error {}
    try await database.write { transaction in
      try transaction.save(Keeper(id: "bob", name: "Bob"))
      #expect(try transaction.rows("SELECT name FROM keeper ORDER BY name", as: String.self) == ["Ann", "Bob"])
      #expect(try transaction.maximum(of: "name", in: Keeper.all) == "Bob")
      #expect(throws: Own.self) { try transaction.forEachRow("SELECT * FROM keeper") { _ in throw Own() } }
      var count = 0
      try transaction.forEachRow("SELECT * FROM keeper") { _ in
        count += try transaction.count(Keeper.all)
        return false
      }
      #expect(count == 2)
    }
  }
}
