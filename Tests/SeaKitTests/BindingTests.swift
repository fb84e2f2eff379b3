import SeaKit
import Testing

/// What is bound to a condition is compared as the columns have it.
@Suite struct BindingTests {
  struct When: SeaRecord {
    static let recordType = "when"
    var id = RecordID.new()
    var at: Timestamp
    var all: [Timestamp] = []
    var tags: MergeSet<String> = MergeSet()
  }

  private let database: Database
  private let day = Timestamp(milliseconds: 1_772_323_200_000)

  init() async throws { database = try await .inMemory() }

  @Test func datesBindInConditions() async throws {
    try await database.save(When(at: day, all: [day]))
    for condition: Condition in [
      "at >= \(day)", "at = \(day)", "at IN (\(day))", Condition("at = :day", ["day": day]), "\"all\" = \([day])",
    ] {
      #expect(try await database.count(When.all.where(condition)) == 1)
    }
    #expect(try await database.count(When.all.where("at < \(day)")) == 0)
  }

  struct Person: SeaRecord, Equatable {
    static let recordType = "person"
    var id: String
    var born: Day
    var died: Day?
    var feasts: [Day] = []
    var names: [String: Day] = [:]
  }

  @Test func daysStayDaysInRecordsAndQueries() async throws {
    let ada = Person(
      id: "ada", born: try #require(Day("1815-12-10")), died: Day(year: 1852, month: 11, day: 27),
      feasts: [Day(daysSince1970: 0)], names: ["n": Day(daysSince1970: -1)])
    try await database.save(ada)
    try await database.save(Person(id: "bob", born: try #require(Day("1927-01-26"))))
    #expect(try await database.fetch(Person.self, id: "ada") == ada)
    let record = try #require(try await database.record("ada"))
    #expect(record["born"] == .day(ada.born) && record["born", as: Day.self] == ada.born)
    #expect(record["born", as: Timestamp.self] == nil && record["born", as: String.self] == nil)
    for condition: Condition in [
      "born = \(ada.born)", "born <= \(ada.born)", "born < '1900'", "born IN ('1815-12-10')",
    ] {
      #expect(try await database.fetch(Person.all.where(condition)).map(\.id) == ["ada"])
    }
    let (first, last) = try await database.read { transaction in
      (
        try transaction.minimum(of: "born", in: Person.all, as: Day.self),
        try transaction.maximum(of: "born", in: Person.all, as: Day.self)
      )
    }
    #expect(first == ada.born && last?.description == "1927-01-26")
    let found = try await database.write { try $0.findOrCreate(type: "person", ["born": ada.born.value]).id }
    #expect(found == "ada")
  }

  @Test func dayFollowsTheCalendar() throws {
    let day = try #require(Day("1927-01-26"))
    #expect(day.year == 1927 && day.month == 1 && day.day == 26 && day.daysSince1970 == -15_681)
    #expect(Day(year: 1927, month: 1, day: 26) == day && Day(year: 1927, month: 2, day: 30) == nil)
    for text in ["1927-02-30", "0000-01-01", "1927-1-26", "1927-01-26T00:00:00Z", ""] { #expect(Day(text) == nil) }
    #expect(
      Day(daysSince1970: .min).description == "0001-01-01" && Day(daysSince1970: .max).description == "9999-12-31")
    #expect(Day(daysSince1970: -15_682) < day && Set([day, day]).count == 1)
    #expect(Value.day(day) != .date(Timestamp(milliseconds: Int64(day.daysSince1970) * 86_400_000)))
    #expect(Timestamp(.day(day)) == nil && Day(.string("1927-01-26")) == nil)
  }

  @Test func findOrCreateFindsDates() async throws {
    let day = day
    try await database.save(When(id: "w", at: day, all: [day]))
    let ids = try await database.write { transaction in
      [
        try transaction.findOrCreate(type: "when", ["at": day.value]).id,
        try transaction.findOrCreate(type: "when", ["all": [day].value]).id,
      ]
    }
    #expect(ids == ["w", "w"])
    #expect(try await database.count(When.all) == 1)
  }

  /// SQL takes no conditions that nest a hundred times, and a list of them does not.
  @Test func hundredsOfConditionsCombine() async throws {
    let database = try await Database.inMemory()
    try await database.save(Keeper(id: "a", name: "Ann"))
    var query = Keeper.all.where("name = 'Bob' OR name = 'Ann'")
    for n in 0..<300 { query = query.where("name != \("n\(n)") -- x") }
    #expect(try await database.count(query) == 1)
    #expect(try await database.count(query.where("name = 'Bob' OR FALSE")) == 0)
  }

  @Test func setsBindInConditions() async throws {
    try await database.save(When(id: "w", at: day, tags: MergeSet(["b", "a"])))
    #expect(try await database.count(When.all.where("tags = \(Value.set(["a", "b"]))")) == 1)
  }
}
