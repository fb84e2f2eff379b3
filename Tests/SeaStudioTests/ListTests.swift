import SeaKit
import SeaStudio
import Testing

/// Lists of records: conditions, orders, searches and columns.
@Suite struct ListTests {
  private func museum(_ count: Int = 3) async throws -> Visitor {
    let database = try await Database.inMemory()
    try await database.write { transaction in
      try transaction.save(Record(type: "place", id: "p/1", ["name": "Harbor"]))
      for k in 1...count {
        try transaction.save(
          Record(
            type: "object", id: "o/\(k)",
            [
              "name": "Bead", "weight": .integer(Int64(k % 10 * 10)), "place": .reference(RecordReference("p/1")),
              "order": "x",
            ]))
      }
    }
    return try await Visitor(database)
  }

  private func ids(_ page: Visitor.Page) -> [String] {
    page.text.split(separator: "data-label=id class=id><bdi>").dropFirst().map { String($0.prefix { $0 != "<" }) }
  }

  /// Also with an order, which is another statement.
  @Test(arguments: ["", "&sort=weight", "&sort=-weight&q=Bead"]) func conditionHasTheNoticesOfQueries(more: String)
    async throws
  {
    let visitor = try await museum()
    let unknown = await visitor.open("/?type=object&where=place+%3D+Harbor\(more)")
    #expect(unknown.status == 200 && unknown.has("No record has a property &#39;Harbor&#39;."))
    let similar = await visitor.open("/?type=object&where=wieght+%3E+1\(more)")
    #expect(similar.status == 422 && similar.has("Did you mean &#39;weight&#39;?"))
  }

  @Test(arguments: ["/?type=object&", "/?"]) func comparisonOfAReferenceWithANameIsExplained(list: String) async throws
  {
    let visitor = try await museum()
    let page = await visitor.open(list + "where=weight+%3E+10+and+Place+%3D+%27Harbor%27")
    #expect(page.has("No record matches.") && page.has("refers to another record"))
    // The whole condition is a link.
    let better = "<code>weight &gt; 10 and prop(place, &#39;/name&#39;) = &#39;Harbor&#39;</code>"
    let end = try #require(page.text.firstRange(of: better)).lowerBound
    let link = String(page.text[..<end].split(separator: "href=\"").last!.prefix { $0 != "\"" })
    #expect(await visitor.open(link.replacing("&amp;", with: "&")).has("2 records"))
    #expect(!(await visitor.open(list + "where=weight+%3E+1000").has("refers to another record")))
    #expect(!(await visitor.open(list + "where=replaced+%3D+1").has("refers to another record")))
  }

  @Test(arguments: [
    ("place='place'", "X='place'"), ("replaced=1 or PLACE=2", "replaced=1 or X=2"),
    ("'it''s place' = place", "'it''s place' = X"),
    ("\"place\" = 'ö' and place", "\"place\" = 'ö' and X"), ("'place", "'place"), ("", ""),
  ]) func nameIsReplacedOutsideTexts(condition: String, expected: String) {
    #expect(SQLWord.replacing("place", by: "X", in: condition) == expected)
  }

  @Test func syntaxErrorComesWithAnExample() async throws {
    let page = try await museum().open("/?type=object&where=weight+%3E+100+g")
    #expect(page.status == 422 && page.has("A condition compares values, for example:"))
  }

  @Test func exampleOfAConditionHasAColumnOfTheList() async throws {
    let visitor = try await museum()
    #expect(await visitor.open("/?type=object").has("SQL, such as: weight &gt;= 10"))
    #expect(await visitor.open("/?type=place").has("SQL, such as: name = &#39;Harbor&#39;"))
  }

  @Test func searchIsSorted() async throws {
    let visitor = try await museum(60)
    let first = await visitor.open("/?type=object&q=bead&sort=-weight")
    #expect(first.has("aria-sort=descending") && first.has("more than 50 records") && first.has("page=1"))
    #expect(ids(first).count == 50 && ids(first).prefix(6).allSatisfy { $0.hasSuffix("9") })
    let second = await visitor.open("/?type=object&q=bead&sort=-weight&page=1")
    #expect(second.has("60 records") && Set(ids(first) + ids(second)).count == 60)
    #expect(second.has("ORDER BY weight DESC NULLS LAST"))
    #expect(await visitor.open("/?q=bead&sort=order").has("ORDER BY &quot;order&quot; NULLS LAST"))
    // The form of the page keeps the order, also on a phone.
    #expect(first.has("<option value=\"-weight\" selected>") && first.has("<option value=\"\">"))
  }

  /// A reference is shown with a name, so a search finds the name.
  @Test(arguments: ["", "&sort=-weight"]) func searchFindsTheNamesOfReferences(more: String) async throws {
    let visitor = try await museum(12)
    let found = await visitor.open("/?type=object&q=harbor&where=weight%20%3E%2070\(more)")
    #expect(Set(ids(found)) == ["o/8", "o/9"] && found.has("2 records"))
    #expect(await visitor.open("/?type=object&q=harbour\(more)").has("No record matches."))
  }

  /// A column does not move because one record more or less has the property.
  @Test func columnsKeepTheirOrder() async throws {
    let visitor = try await museum()
    func heads(_ page: Visitor.Page) -> [String] {
      page.text.split(separator: "title=\"Sort by ").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }
    let before = heads(await visitor.open("/?type=object"))
    #expect(before == ["name", "id", "order", "place", "weight"])
    try await visitor.studio.database.save(Record(type: "object", id: "a", ["name": "New", "weight": 1, "age": 3]))
    #expect(heads(await visitor.open("/?type=object")) == before + ["age"])
  }

  @Test func wantedPropertyIsShown() async throws {
    let database = try await Database.inMemory()
    var record = Record(type: "object", id: "o", ["name": "Bead"])
    for k in 1...12 { record["a\(k)"] = .integer(Int64(k)) }
    record["weight"] = 4
    try await database.save(record)
    let visitor = try await Visitor(database)
    #expect(!(await visitor.open("/?type=object").has("data-label=\"weight\"")))
    #expect(await visitor.open("/?type=object&sort=weight").has("data-label=\"weight\" class=\"number wanted\""))
    #expect(await visitor.open("/?type=object&where=WEIGHT+%3E+1").has("data-label=\"weight\" class=\"number wanted\""))
  }

  @Test func allReferringRecordsAreATable() async throws {
    let visitor = try await museum(30)
    #expect(await visitor.open("/record?id=p/1").has("<a href=\"/?where=refers%28_id%2C%20%27p/1%27%29\">Show all"))
    #expect(await visitor.open("/?where=refers%28_id%2C%20%27p/1%27%29").has("30 records"))
  }
}
