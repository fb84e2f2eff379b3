import SeaKit
import Testing

/// Conditions, orders and columns that the compiler checks.
@Suite struct PropertyTests {
  struct Person: SeaRecord, Equatable {
    static let recordType = "person"
    var id: String
    var name: String
    var nick: String?
    var boss: Reference<Person>?

    static let id = Property("id", \Self.id)
    static let name = Property("name", \Self.name)
    static let nick = Property("nick", \Self.nick)
    static let boss = Property("boss", \Self.boss)
    static let modified = Property<Person, Timestamp>("_modified")
  }

  enum Rig: String, Codable { case sloop, ketch }

  struct Ship: SeaRecord {
    static let recordType = "ship"
    var id: String
    var name: String
    var tons: Int
    var length: Double?
    var price: ExactDecimal?
    var built: Day?
    var seen: Timestamp?
    var rig = Rig.sloop
    var isSold = false
    var voyages: Counter = 0
    var tags = MergeSet<String>()
    var calls: [Day]?
    var owner: Reference<Person>?
    var builder = Reference<Person>("p/ann")
    var key: [UInt8]?

    static let id = Property("id", \Self.id)
    static let name = Property("name", \Self.name)
    static let tons = Property("tons", \Self.tons)
    static let length = Property("length", \Self.length)
    static let price = Property("price", \Self.price)
    static let built = Property("built", \Self.built)
    static let seen = Property("seen", \Self.seen)
    static let rig = Property("rig", \Self.rig)
    static let isSold = Property("isSold", \Self.isSold)
    static let voyages = Property("voyages", \Self.voyages)
    static let tags = Property("tags", \Self.tags)
    static let calls = Property("calls", \Self.calls)
    static let owner = Property("owner", \Self.owner)
    static let builder = Property("builder", \Self.builder)
    static let key = Property("key", \Self.key)
  }

  private let database: Database
  private let day = Day("2026-03-01")!
  private let moment = Timestamp(milliseconds: 1_772_323_200_123)

  init() async throws {
    database = try await .inMemory()
    let (day, moment) = (day, moment)
    try await database.write { transaction in
      try transaction.save(Person(id: "p/ann", name: "Ann"))
      try transaction.save(Person(id: "p/bob", name: "Bob", nick: "b", boss: Reference("p/ann")))
      try transaction.save(
        Ship(
          id: "a", name: "Albatross", tons: 100, length: 12.5, price: "12.50", built: day, seen: moment,
          rig: .ketch, isSold: true, voyages: 3, tags: MergeSet(["red", "old"]), calls: [day],
          owner: Reference("p/bob"), builder: Reference("p/bob"), key: [1, 2]))
      try transaction.save(Ship(id: "b", name: "Brant", tons: 200, length: 8, owner: Reference("p/ann")))
      try transaction.save(Ship(id: "c", name: "Ära", tons: 300, owner: Reference("p/none")))
    }
  }

  private func ids(_ condition: RecordCondition<Ship>) async throws -> String {
    try await database.ids(Ship.all.where(condition)).joined()
  }

  @Test func conditionsCompareLikeSwift() async throws {
    #expect(try await ids(Ship.tons > 100) == "bc")
    #expect(try await ids(Ship.tons >= 200 && Ship.tons < 300) == "b")
    #expect(try await ids(Ship.tons <= 100 || Ship.name == "Ära") == "ac")
    #expect(try await ids(Ship.name != "Brant" && !(Ship.tons == 300)) == "a")
    #expect(try await ids(Ship.id == "b" || Ship.id > "b") == "bc")
    #expect(try await ids(Ship.isSold == true) == "a")
    #expect(try await ids(!(Ship.tons > 100 && Ship.tons < 300) && (Ship.tons == 100 || Ship.tons == 200)) == "a")
  }

  /// A missing property differs from every value, and is neither less nor greater.
  @Test func missingPropertiesCompareLikeNil() async throws {
    #expect(try await ids(Ship.length == nil) == "c")
    #expect(try await ids(Ship.length != nil) == "ab")
    #expect(try await ids(Ship.length != 8) == "ac")
    #expect(try await ids(!(Ship.length == 8)) == "ac")
    #expect(try await ids(Ship.length < 10) == "b")
    #expect(try await ids(!(Ship.length < 10)) == "ac")
    #expect(try await ids(!(!(Ship.length < 10)) || !(Ship.length > 0)) == "bc")
    #expect(try await ids(Ship.length > nil) == "")
    let none: Double? = nil
    #expect(try await ids(Ship.length == none) == "c")
    #expect(try await ids(Ship.owner == nil) == "")
    #expect(try await ids(Ship.key == nil) == "bc")
  }

  /// Whatever a property of a record can be.
  @Test func valuesOfEveryKindAreBound() async throws {
    #expect(try await ids(Ship.length == 12.5) == "a")
    #expect(try await ids(Ship.price == "12.50") == "a")
    #expect(try await ids(Ship.price > "12.4") == "a")
    #expect(try await ids(Ship.built == day) == "a")
    #expect(try await ids(Ship.built < day) == "")
    #expect(try await ids(Ship.seen == moment) == "a")
    #expect(try await ids(Ship.seen >= moment) == "a")
    #expect(try await ids(Ship.rig == .ketch) == "a")
    #expect(try await ids(Ship.rig != .ketch) == "bc")
    #expect(try await ids(Ship.voyages > 2) == "a")
    #expect(try await ids(Ship.voyages == 0) == "bc")
    #expect(try await ids(Ship.owner == Reference("p/ann")) == "b")
    #expect(try await ids(Ship.key == [1, 2]) == "a")
    #expect(try await ids(Ship.tags == MergeSet(["old", "red"])) == "a")
    #expect(try await ids(Ship.calls == [day]) == "a")
    #expect(try await ids(Ship.name == "' OR 1 --") == "")
    #expect(try await ids(Ship.name != "\"") == "abc")
  }

  @Test func collectionsAndPrefixes() async throws {
    #expect(try await ids(Ship.tags.contains("red")) == "a")
    #expect(try await ids(Ship.tags.contains("re")) == "")
    #expect(try await ids(Ship.calls.contains(day)) == "a")
    #expect(try await ids(!Ship.calls.contains(day)) == "bc")
    #expect(try await ids(["Brant", "Ära", "x"].contains(Ship.name)) == "bc")
    #expect(try await ids([12.5].contains(Ship.length)) == "a")
    #expect(try await ids(Set<Int>().contains(Ship.tons)) == "")
    #expect(try await ids((100...200).contains(Ship.tons)) == "ab")
    #expect(try await ids((100..<200).contains(Ship.tons)) == "a")
    #expect(try await ids((8.5...99).contains(Ship.length)) == "a")
    #expect(try await ids([Rig.ketch].contains(Ship.rig)) == "a")
    #expect(try await ids(Ship.name.hasPrefix("B")) == "b")
    #expect(try await ids(Ship.name.hasPrefix("")) == "abc")
    #expect(try await ids(Ship.name.hasPrefix("Är")) == "c")
    #expect(try await ids(Ship.name.hasPrefix("b")) == "")
    #expect(try await ids(Ship.name.hasPrefix("\u{10FFFF}")) == "")
    let people = [("p/1", "\u{D7FF}x"), ("p/2", "\u{E000}"), ("p/3", "\u{10FFFF}\u{10FFFF}y"), ("p/4", "50%")]
    try await database.write { transaction in
      for (id, nick) in people { try transaction.save(Person(id: id, name: "", nick: nick)) }
    }
    for (id, nick) in people {
      let prefix = String(String.UnicodeScalarView(nick.unicodeScalars.dropLast(1)))
      guard !prefix.isEmpty else { continue }
      #expect(try await database.ids(Person.all.where(Person.nick.hasPrefix(prefix))) == [id])
    }
  }

  @Test func referencesAreFollowed() async throws {
    #expect(try await ids(Ship.owner[Person.name] == "Ann") == "b")
    #expect(try await ids(Ship.owner[Person.name] == nil) == "c")
    #expect(try await ids(Ship.owner[Person.nick] == "b" && Ship.builder[Person.nick].hasPrefix("b")) == "a")
    #expect(try await ids(Ship.builder[Person.name] == "Bob") == "a")
    #expect(try await ids(Ship.owner[Person.boss][Person.name] == "Ann") == "a")
    #expect(try await ids(Ship.owner[Person.id] == "p/ann") == "b")
    #expect(try await ids(Ship.owner[Person.id] == nil) == "c")
    #expect(try await ids(Ship.owner[Person.modified] > moment) == "ab")
    let sorted = try await database.fetch(Ship.all.order(by: Ship.owner[Person.name].descending, Ship.tons))
    #expect(sorted.map(\.id) == ["a", "b", "c"])
  }

  @Test func ordersAreTyped() async throws {
    try await database.save(Ship(id: "d", name: "Brant", tons: 50))
    let query = Ship.all.order(by: Ship.name.descending, Ship.tons)
    #expect(try await database.fetch(query).map(\.id).joined() == "dbca")
    #expect(try await database.ids(Ship.all.order(by: Ship.length, Ship.id.descending)).joined() == "badc")
    #expect(try await database.ids(Ship.all.order(by: "-name", "tons")).joined() == "dbca")
  }

  @Test func columnsAreReadWithTheirTypes() async throws {
    let rows = try await database.fetch(
      Ship.all.where(Ship.tons < 300), Ship.name, Ship.tons, Ship.price, Ship.rig, Ship.tags, Ship.owner)
    let first: (String, Int, ExactDecimal?, Rig, MergeSet<String>, Reference<Person>?) = try #require(rows.first)
    #expect(first.0 == "Albatross" && first.1 == 100 && first.2 == "12.50" && first.3 == .ketch)
    #expect(first.4.elements == ["red", "old"] && first.5?.id == "p/bob" && rows.count == 2 && rows[1].2 == nil)
    let names: [String] = try await database.fetch(Ship.all.order(by: Ship.tons.descending).limit(2), Ship.name)
    #expect(names == ["Ära", "Brant"])
    let plain = try await database.fetch(Ship.all.after("a"), Ship.length, Ship.id)
    #expect(plain.map(\.0) == [8, nil] && plain.map(\.1) == ["b", "c"])
    let owners = try await database.fetch(Ship.all, Ship.id, Ship.owner[Person.nick], Ship.owner[Person.boss])
    #expect(owners.map(\.0) == ["a", "b", "c"] && owners.map(\.1) == ["b", nil, nil])
    #expect(owners.map(\.2?.id) == ["p/ann", nil, nil])
    // A transaction sees its own writes.
    let seen = try await database.write { transaction in
      try transaction.save(Ship(id: "d", name: "Dove", tons: 1))
      return try transaction.fetch(Ship.all.where(Ship.tons == 1), Ship.name)
    }
    #expect(seen == ["Dove"])
  }

  struct Grown: SeaRecord {
    static let recordType = "grown"
    static let defaults: Grown? = Grown(id: "", level: 7)
    static func convert(_ value: Value, of property: String) -> Value? {
      String(value).flatMap { Int64($0) }.map { .integer($0) }
    }
    var id: String
    var level: Int
    var count: Counter = 0
    static let level = Property("level", \Self.level)
    static let count = Property("count", \Self.count)
  }

  /// As in whole records: a missing property has the type's default, another kind is converted, and what does not fit
  /// is named.
  @Test func columnsGrowWithTheirType() async throws {
    for (id, level) in [("a", nil), ("b", "3"), ("c", "x")] as [(String, Value?)] {
      try await database.save(Record(type: "grown", id: id, level.map { ["level": $0] } ?? [:]))
    }
    let good = Grown.all.where("_id < 'c'")
    #expect(try await database.fetch(good, Grown.level, Grown.count).map { "\($0.0) \($0.1.value)" } == ["7 0", "3 0"])
    let error = try await failure { [database] in try await database.fetch(Grown.all, Grown.level) }
    #expect(error.code == .badData && error.details["id"] == "c" && error.details["path"] == "level")
    let skipping = Grown.all.skippingUndecodable { id, _ in #expect(id == "c") }
    #expect(try await database.fetch(skipping, Grown.level) == [7, 3])
    #expect(try await database.fetch(skipping.limit(1), Grown.level) == [7])
  }

  @Test func aggregatesTakeProperties() async throws {
    try await database.read { transaction in
      #expect(try transaction.sum(of: Ship.tons, in: Ship.all) == 600)
      #expect(try transaction.sum(of: Ship.tons, in: Ship.all.where(Ship.tons > 100)) == 500)
      let length: Double? = try transaction.sum(of: Ship.length, in: Ship.all)
      #expect(try length == 20.5 && transaction.average(of: Ship.length, in: Ship.all) == 10.25)
      #expect(try transaction.minimum(of: Ship.built, in: Ship.all) == Day("2026-03-01"))
      #expect(try transaction.maximum(of: Ship.owner[Person.name], in: Ship.all) == "Bob")
      #expect(try transaction.maximum(of: Ship.name, in: Ship.all.where(Ship.tons > 1000)) == nil)
      #expect(try transaction.sum(of: Ship.voyages, in: Ship.all)?.value == 3)
    }
  }

  struct Account: SeaRecord {
    static let recordType = "account"
    var id: String
    var balance: ExactDecimal?
    var atoms: BigInteger
    static let balance = Property("balance", \Self.balance)
    static let atoms = Property("atoms", \Self.atoms)
  }

  @Test func aggregatesKeepAllDigits() async throws {
    for (id, balance, atoms) in [
      ("x", "0.10", "12345678901234567891"), ("y", "12345678901234567.25", "2"), ("z", nil, "-3"),
    ] as [(String, String?, String)] {
      try await database.save(
        Account(id: id, balance: balance.flatMap { ExactDecimal($0) }, atoms: try #require(BigInteger(atoms))))
    }
    try await database.read { (transaction) throws in
      let all = Account.all
      #expect(try transaction.sum(of: Account.balance, in: all) == "12345678901234567.35")
      #expect(try transaction.maximum(of: Account.balance, in: all) == "12345678901234567.25")
      #expect(try transaction.minimum(of: Account.balance, in: all) == "0.10")
      #expect(try transaction.sum(of: Account.balance, in: all.where(Account.balance == nil)) == nil)
      #expect(try transaction.minimum(of: Account.balance, in: all.where("_id = 'a'")) == nil)
      #expect(try transaction.sum(of: Account.atoms, in: all) == BigInteger("12345678901234567890"))
      #expect(try transaction.maximum(of: Account.atoms, in: all) == BigInteger("12345678901234567891"))
      #expect(try transaction.minimum(of: Account.atoms, in: all) == BigInteger("-3"))
      #expect(try transaction.average(of: Account.balance, in: all.where("_id = 'x'")) == 0.1)
    }
  }

  struct Odd: SeaRecord {
    static let recordType = "odd\"type.x"
    var id: String
    var order: Int
    var set: Int
    var spaced: Int
    var quoted: Int
    var dotted: Int
    var listed: Int
    var minus: Int
    var slash: Int
    var other: Reference<Odd>?

    enum CodingKeys: String, CodingKey {
      case id, order, set, other, spaced = "a b", quoted = "a\"b", dotted = "x.y", listed = "p,q", minus = "-m"
      case slash = "/s->t"
    }

    static let order = Property("order", \Self.order)
    static let set = Property("set", \Self.set)
    static let other = Property("other", \Self.other)
    static let spaced = Property("a b", \Self.spaced)
    static let quoted = Property("a\"b", \Self.quoted)
    static let dotted = Property("x.y", \Self.dotted)
    static let listed = Property("p,q", \Self.listed)
    static let minus = Property("-m", \Self.minus)
    static let slash = Property("/s->t", \Self.slash)
    static let all9 = [order, set, spaced, quoted, dotted, listed, minus, slash]
  }

  @Test func oddNamesWorkEverywhere() async throws {
    func odd(_ id: String, _ n: Int, _ other: String) -> Odd {
      Odd(
        id: id, order: n, set: n, spaced: n, quoted: n, dotted: n, listed: n, minus: n, slash: n,
        other: Reference(other))
    }
    for isEmpty in [true, false] {
      let wanted = isEmpty ? [] : ["o/b", "o/a"]
      if !isEmpty {
        try await database.save(odd("o/a", 1, "o/b"))
        try await database.save(odd("o/b", 2, "o/a"))
      }
      for property in Odd.all9 {
        #expect(try await database.ids(Odd.all.where(property > 0).order(by: property.descending)) == wanted)
        #expect(try await database.ids(Odd.all.where(Odd.other[property] == 2)) == wanted.suffix(1))
        #expect(try await database.ids(Odd.all.order(by: Odd.other[property])) == wanted)
        #expect(try await database.fetch(Odd.all.order(by: property.descending), property) == (isEmpty ? [] : [2, 1]))
        #expect(try await database.read { try $0.sum(of: property, in: Odd.all) } == (isEmpty ? nil : 3))
      }
      for name in ["order", "set", "a b", "a\"b", "x.y", "p,q", "-m"] {
        #expect(try await database.ids(Odd.all.order(by: "-" + name)) == wanted)
        #expect(try await database.read { try $0.sum(of: name, in: Odd.all, as: Int.self) } == (isEmpty ? nil : 3))
      }
    }
  }

  /// A condition of many parts is neither nested deeply nor copied for each part.
  @Test func longConditionsWork() async throws {
    let any = (0..<300).reduce(Ship.tons == 100) { $0 || Ship.tons == -$1 }
    let every = (1..<300).reduce(Ship.tons != -1) { $0 && Ship.tons != -$1 }
    #expect(try await ids(any && every) == "a")
    #expect(try await ids(Array(0..<900).contains(Ship.tons)) == "abc")
    let error = try await failure { try await ids(Array(0..<1001).contains(Ship.tons)) }
    #expect(error.code == .badQuery)
  }

  @Test func typedAndSQLConditionsCombine() async throws {
    let query = Ship.all.where("tons > \(100) OR name = \("Albatross") -- all").where(Ship.length != nil)
    #expect(try await database.ids(query.where("length < \(10)")) == ["b"])
    let named = Ship.all.where(Condition("tons = :t", ["t": 100])).where(Ship.name == "Albatross")
    #expect(try await database.ids(named) == ["a"])
  }

  @Test(.timeLimit(.minutes(20))) func liveListsFollowTypedQueries() async throws {
    var updates = database.updates(of: Ship.all.where(Ship.tons > 100).order(by: Ship.tons.descending))
      .makeAsyncIterator()
    var elements: [Ship] = []
    (try #require(try await updates.next())).apply(to: &elements)
    #expect(elements.map(\.id) == ["c", "b"])
    try await database.save(Ship(id: "d", name: "Dove", tons: 250))
    (try #require(try await updates.next())).apply(to: &elements)
    #expect(elements.map(\.id) == ["c", "d", "b"])
  }
}

extension Database {
  fileprivate func ids<Element: Sendable>(_ query: Query<Element>) async throws -> [String] {
    try await read { try $0.ids(query) }
  }
}
