import SeaKit

/// All records, or the records of a type, as a table.
enum RecordsPage {
  static let pageSize = 50
  private static let (fewColumns, mostColumns) = (8, 200)
  /// How long a page searches before it shows what it has found.
  private static let patience = Duration.milliseconds(900)
  /// After this time, a condition or an order that takes long is given up.
  private static let limit = Duration.seconds(30)

  /// The parameters of the address.
  struct Wish: Sendable {
    /// Nil for all records; empty for those without a type.
    var type: String?
    var text: String?
    var condition: String?
    var order: String?
    var after: String?
    /// The number of the page of another order than that of the ids, from 0.
    var number = 0
    var columns: String?

    init(_ query: Parameters) {
      type = query.text("type")
      (text, condition, order) = (query["q"], query["where"], query["sort"])
      (after, columns) = (query["after"], query["columns"])
      number = min(max(query["page"].flatMap { Int($0) } ?? 0, 0), 1_000_000)
    }

    func link(_ change: (inout Wish) -> Void = { _ in }) -> Link {
      var wish = self
      change(&wish)
      return Link(
        "/",
        [
          ("type", wish.type), ("q", wish.text), ("where", wish.condition), ("sort", wish.order),
          ("after", wish.after), ("page", wish.number == 0 ? nil : String(wish.number)), ("columns", wish.columns),
        ])
    }

    /// The first page of the same records.
    func first(_ change: (inout Wish) -> Void = { _ in }) -> Link {
      link {
        ($0.after, $0.number) = (nil, 0)
        change(&$0)
      }
    }

    /// Whether finding the records can mean to read all of them.
    var isSlow: Bool { text != nil || condition != nil || order != nil }

    var query: Query<Record> {
      var query = Query<Record>.records(of: type?.isEmpty ?? true ? nil : type)
      if type == "" { query = query.where("_type IS NULL") }
      if let condition { query = query.where(Condition(condition)).checkingNames() }
      return query
    }

    /// The property of an order, and whether it is descending.
    static func term(_ order: String) -> (name: String, isDown: Bool) {
      order.hasPrefix("-") ? (String(order.dropFirst()), true) : (order, false)
    }

    /// Whether the order or the condition needs a property.
    func mentions(_ name: String) -> Bool {
      order.map { Wish.term($0).name == name } ?? false || condition.map { SQLWord.isIn($0, name) } ?? false
    }

    var command: CommandText {
      if let text {
        // LIKE ignores the case of all letters, as the search does.
        let type = type.map { $0.isEmpty ? " AND _type IS NULL" : " AND _type = \(SQLWord.text($0))" } ?? ""
        let more = condition.map { " AND (\($0))" } ?? ""
        let by = order.map { order in
          let (name, isDown) = Wish.term(order)
          return " ORDER BY \(SQLWord.name(name))\(isDown ? " DESC" : "") NULLS LAST"
        }
        return CommandText(
          "sql", "SELECT _id, json FROM records WHERE json LIKE \(SQLWord.text("%\(text)%"))\(type)\(more)\(by ?? "")")
      }
      var words = ["query"]
      if let type, !type.isEmpty { words += ["-t", type] }
      if let order { words.append("--sort=\(order)") }
      if type == "" {
        words.append(condition.map { "_type IS NULL AND (\($0))" } ?? "_type IS NULL")
      } else if let condition {
        words.append(condition)
      }
      return CommandText(words: words)
    }
  }

  /// The records of a page.
  struct Found: Sendable {
    var records: [Record] = []
    var titles: [String: String] = [:]
    var hasMore = false
    /// The id up to which the search has come, if it has not come to the end.
    var searched: String?
    var problem: String?
    /// Possible mistakes in the condition.
    var notices: [String] = []
    /// How to compare references, if that may be why nothing was found.
    var references: [ReferenceHint] = []
  }

  static func show(_ visit: Visit) async throws -> Answer {
    let wish = Wish(visit.query)
    let position = try await visit.database.position()
    let types = try await visit.studio.types(at: position)
    var found = Found()
    do {
      found = try await visit.studio.turns.run(slow: wish.isSlow) {
        try await Deadline.within(limit) { try await find(wish, types, visit.database) }
      }
    } catch let error as SeaError {
      found.problem = error.message.sentence
      if let name = error.details["similar"] { found.problem? += " Did you mean '\(name)'?" }
      if error.message.contains("syntax error") {
        found.problem? += " A condition compares values, for example: name = 'Key' AND weight > 100."
      }
    } catch is Deadline.Passed {
      found.problem = "This takes more than 30 seconds. Narrow the condition, or add an index with `sea reindex`."
    }
    let name = wish.type.map { $0.isEmpty ? "Without a type" : $0 } ?? "All records"
    return try await visit.page(name, status: found.problem == nil ? 200 : 422, at: position) {
      """
      <div class=columns>
      \(sidebar(types, wish))
      <div class=list>
      <div class=head><h1 id=heading><bdi>\(name)</bdi> \(count(types, wish, found))</h1>
      <a class="button main" href="\(Link("/new", [("type", wish.type)]))">New record</a></div>
      \(filters(wish, found))
      \(found.problem == nil ? table(wish, found, types) : nil)
      \(found.problem == nil ? pages(wish, found) : nil)
      \(Fragments.command(wish.command, wish.text == nil ? "Command" : "Command, for values only"))
      </div>
      </div>
      """
    }
  }

  // MARK: - Finding

  private static func find(
    _ wish: Wish, _ types: [RecordTypeInfo], _ database: Database
  ) async throws -> Found {
    try await database.read { transaction in
      var found = Found()
      found.notices = try transaction.notices(about: wish.query).map(\.sentence)
      if let text = wish.text {
        try search(text, wish, transaction, &found)
      } else if let order = wish.order {
        let skipped = wish.number * pageSize
        let ids = try transaction.ids(wish.query.order(by: order).limit(skipped + pageSize + 1))
        found.records = try ids.dropFirst(skipped).compactMap { try transaction.record($0) }
      } else {
        let query = wish.after.map { wish.query.after($0) } ?? wish.query
        found.records = try transaction.fetch(query.limit(pageSize + 1))
      }
      if found.records.count > pageSize {
        found.hasMore = true
        found.records.removeLast(found.records.count - pageSize)
      }
      found.titles = try References.titles(of: found.records, transaction)
      if found.records.isEmpty, found.searched == nil, let condition = wish.condition {
        found.references = try ReferenceHint.all(
          condition, types.filter { wish.type == nil || $0.name == wish.type }, transaction)
      }
      return found
    }
  }

  private static func search(
    _ text: String, _ wish: Wish, _ transaction: ReadTransaction, _ found: inout Found
  ) throws {
    let search = TextSearch(text)
    // A reference is shown with the name of its record, so this is searched, too.
    var known: [String: Bool] = [:]
    func isNamed(_ id: String) throws -> Bool {
      if let found = known[id] { return found }
      if known.count > 100_000 { known = [:] }
      let found = try transaction.record(id).flatMap(Title.of).map { search.finds($0) } ?? false
      known[id] = found
      return found
    }
    if let order = wish.order {
      var skipped = wish.number * pageSize
      try transaction.forEach(wish.query.order(by: order)) { record in
        guard try search.finds(record, isNamed) else { return true }
        if skipped > 0 { skipped -= 1 } else { found.records.append(record) }
        return found.records.count <= pageSize
      }
      return
    }
    let end = ContinuousClock.now + patience
    var seen = 0
    var records: [Record] = []
    var searched: String?
    try transaction.forEach(wish.after.map { wish.query.after($0) } ?? wish.query) { record in
      if try search.finds(record, isNamed) { records.append(record) }
      seen += 1
      if seen.isMultiple(of: 256), ContinuousClock.now > end {
        searched = record.id
        return false
      }
      return records.count <= pageSize
    }
    (found.records, found.searched) = (records, searched)
  }

  // MARK: - Parts

  private static func count(_ types: [RecordTypeInfo], _ wish: Wish, _ found: Found) -> HTML? {
    var count = types.filter { wish.type == nil || ($0.name ?? "") == wish.type }.reduce(0) { $0 + $1.count }
    var isMore = false
    if wish.text != nil || wish.condition != nil {
      guard !found.records.isEmpty, found.searched == nil, wish.after == nil else { return nil }
      (count, isMore) = (wish.number * pageSize + found.records.count, found.hasMore)
    }
    return "<span class=count>\(isMore ? "more than " : "")\(Amount.count(count, "record"))</span>"
  }

  private static func sidebar(_ types: [RecordTypeInfo], _ wish: Wish) -> HTML {
    let total = types.reduce(0) { $0 + $1.count }
    func item(_ title: String, _ type: String?, _ count: Int) -> HTML {
      """
      <li><a href="\(type.map { Fragments.records($0) } ?? Link("/"))"\
      \(wish.type == type ? " aria-current=page" : nil)>\
      <bdi>\(title)</bdi> <span class=count>\(Amount.count(count))</span></a></li>
      """
    }
    let items = types.map { item($0.name ?? "without a type", $0.name ?? "", $0.count) }
    return
      "<nav class=types aria-label=\"Types\"><h2>Types</h2><ul>\(item("All records", nil, total))\(items)</ul></nav>"
  }

  private static func filters(_ wish: Wish, _ found: Found) -> HTML {
    let hidden: [HTML] = [("type", wish.type), ("columns", wish.columns)].compactMap { name, value in
      value.map { "<input type=hidden name=\"\(value: name)\" value=\"\(value: $0)\">" }
    }
    let problem: HTML? = found.problem.map { "<p class=problem id=problem role=alert>\($0)</p>" }
    let notices: [HTML] = found.notices.map { "<p class=notice>\($0)</p>" }
    let names = columns(wish, found).all
    let known = [""] + names.flatMap { [$0, "-\($0)"] }
    // The heads of the table do the same where they are shown.
    let orders: [HTML] = (known + (wish.order.map { known.contains($0) ? [] : [$0] } ?? [])).map { order in
      let (name, isDown) = Wish.term(order)
      return """
        <option value="\(value: order)"\(order == wish.order ?? "" ? " selected" : nil)>\
        \(name.isEmpty ? "id" : name)\(isDown ? ", descending" : nil)</option>
        """
    }
    let clear: HTML? =
      wish.text == nil && wish.condition == nil
      ? nil : "<a class=button href=\"\(wish.first { ($0.text, $0.condition) = (nil, nil) })\">Clear</a>"
    return """
      <form class=filters method=get action="/" role=search>\(hidden)
      <label>Search <input type=search name=q value="\(value: wish.text ?? "")" placeholder="any text"></label>
      <label class=wide>Condition <input name=where value="\(value: wish.condition ?? "")" placeholder="SQL\(label: example(names, found))" \
      autocapitalize=none autocomplete=off spellcheck=false\
      \(found.problem == nil ? nil : " aria-invalid=true aria-describedby=problem")></label>
      <label class=sort>Sort by <select name=sort>\(orders)</select></label>
      <button>Show</button> \(clear)
      </form>\(problem)\(notices)
      """
  }

  /// A condition that some record of the list meets: with a number if there is one.
  private static func example(_ names: [String], _ found: Found) -> String {
    var example: String?
    for name in names {
      guard let value = found.records.lazy.compactMap({ $0.properties[name]?.unlabeled }).first else { continue }
      switch Kind(value) {
      case .number: return ", such as: \(SQLWord.name(name)) >= \(value.fieldText)"
      case .text, .day:
        let text = value.fieldText
        if example == nil, (1...30).contains(text.count), !text.contains("\n") {
          example = ", such as: \(SQLWord.name(name)) = \(SQLWord.text(text))"
        }
      default: break
      }
    }
    return example ?? ""
  }

  private static func columns(_ wish: Wish, _ found: Found) -> (shown: [String], all: [String]) {
    var counts: [String: Int] = [:]
    var pictures: Set<String> = []
    for record in found.records {
      for (name, value) in record.properties {
        counts[name, default: 0] += 1
        if case .asset(let asset) = value.unlabeled, Picture.isPicture(asset.mimeType) { pictures.insert(name) }
      }
    }
    // Titles first, then pictures, then the properties that are usual here. Whether a few records more or less have a
    // property does not change the order.
    func rank(_ name: String) -> (Int, Int, Int) {
      (Title.rank(name), pictures.contains(name) ? 0 : 1, counts[name]! * 2 > found.records.count ? 0 : 1)
    }
    let all = counts.keys.sorted {
      let (a, b) = (rank($0), rank($1))
      return a == b ? $0 < $1 : a < b
    }
    if wish.columns == "all" { return (Array(all.prefix(mostColumns)), all) }
    let mentioned = all.dropFirst(fewColumns).filter(wish.mentions).prefix(mostColumns)
    return (Array(all.prefix(fewColumns)) + mentioned, all)
  }

  private static func table(_ wish: Wish, _ found: Found, _ types: [RecordTypeInfo]) -> HTML {
    if found.records.isEmpty {
      let isFiltered = wish.text != nil || wish.condition != nil
      if found.searched != nil { return HTML() }
      return """
        <p class=empty>\(isFiltered ? "No record matches." : "There are no records here yet.")</p>\
        \(found.references.map { hint in hint.html(wish.condition ?? "") { better in wish.first { $0.condition = better } } })
        """
    }
    let (names, all) = columns(wish, found)
    let hasTitle = names.first.map { Title.rank($0) < Title.rank("") } ?? false
    let showsType = wish.type == nil
    var head: [HTML] = []
    if hasTitle { head.append(heading(names[0], wish)) }
    head.append(heading(nil, wish))
    if showsType { head.append("<th scope=col role=columnheader>type</th>") }
    for name in names.dropFirst(hasTitle ? 1 : 0) {
      let isNumber = found.records.contains { $0.properties[name].map { Kind($0).isNumber } ?? false }
      head.append(heading(name, wish, isNumber: isNumber))
    }
    let rows = found.records.map { row($0, names, wish, hasTitle: hasTitle, showsType: showsType, found.titles) }
    let sum: HTML? =
      all.count > names.count ? "\(names.count) of \(Amount.count(all.count)) properties are shown. " : nil
    let more: HTML? =
      wish.columns != nil
      ? "<p class=quiet>\(sum)<a href=\"\(wish.link { $0.columns = nil })\">Show fewer properties</a></p>"
      : sum.map { "<p class=quiet>\($0)<a href=\"\(wish.link { $0.columns = "all" })\">Show more</a></p>" }
    return """
      <div class=scroll role=region aria-label="Table of records" tabindex=0><table class=records role=table>
      <caption class=hidden>\(wish.order.map { "Sorted by \($0)" } ?? "In the order of the ids")</caption>
      <thead role=rowgroup><tr role=row>\(head)</tr></thead>
      <tbody role=rowgroup>\(rows)</tbody></table></div>\(more)
      """
  }

  /// - Parameter name: nil for the ids.
  private static func heading(_ name: String?, _ wish: Wish, isNumber: Bool = false) -> HTML {
    let (isUp, isDown) = (wish.order == name, name.map { wish.order == "-\($0)" } ?? false)
    let sorted: HTML? = isUp ? " aria-sort=ascending" : isDown ? " aria-sort=descending" : nil
    let link = wish.first { $0.order = isUp ? name.map { "-\($0)" } : isDown ? nil : name }
    return """
      <th scope=col role=columnheader\(isNumber ? " class=number" : nil)\(sorted)><a href="\(link)" title="Sort by \
      \(label: name ?? "id")"><bdi>\(name ?? "id")</bdi>\
      <span aria-hidden=true class=arrow>\(isUp ? "▲" : isDown ? "▼" : "↕")</span></a></th>
      """
  }

  private static func row(
    _ record: Record, _ names: [String], _ wish: Wish, hasTitle: Bool, showsType: Bool, _ titles: [String: String]
  ) -> HTML {
    let view = ValueView(id: record.id, titles: titles)
    let link = Fragments.record(record.id)
    var cells: [HTML] = []
    let conflict: HTML? = record.conflicts.isEmpty ? nil : " <span class=warn>in conflict</span>"
    if hasTitle {
      let title = record.properties[names[0]]?.fieldText ?? ""
      cells.append(
        """
        <th scope=row role=rowheader><a href="\(link)"><bdi>\(title.isEmpty ? "–" : title.cut(80))</bdi>\
        </a>\(conflict)</th>
        <td role=cell data-label=id class=id><bdi>\(record.id.cut(24))</bdi></td>
        """)
    } else {
      cells.append(
        "<th scope=row role=rowheader class=id><a href=\"\(link)\"><bdi>\(record.id.cut(40))</bdi></a>\(conflict)</th>")
    }
    if showsType { cells.append("<td role=cell data-label=type><bdi>\(record.type ?? "")</bdi></td>") }
    for name in names.dropFirst(hasTitle ? 1 : 0) {
      guard let value = record.properties[name], value.unlabeled != .string("") else {
        cells.append("<td role=cell class=none data-label=\"\(label: name)\"></td>")
        continue
      }
      let kind = Kind(value)
      let look = [kind.isNumber ? "number" : kind == .file ? "file" : nil, wish.mentions(name) ? "wanted" : nil]
      let words = look.compactMap { $0 }.joined(separator: " ")
      cells.append(
        "<td role=cell data-label=\"\(label: name)\"\(words.isEmpty ? nil : " class=\"\(words)\"" as HTML)>\(view.cell(value, [name]))</td>"
      )
    }
    return "<tr role=row>\(cells)</tr>\n"
  }

  private static func pages(_ wish: Wish, _ found: Found) -> HTML? {
    var links: [HTML] = []
    if wish.after != nil || wish.number > 0 { links.append("<a href=\"\(wish.first())\">First page</a>") }
    if wish.number > 0 { links.append("<a rel=prev href=\"\(wish.link { $0.number -= 1 })\">Previous page</a>") }
    if let searched = found.searched {
      links.append(
        """
        <span>Searched up to <bdi>\(searched.cut(40))</bdi>.</span> \
        <a class=button data-continue href="\(wish.link { $0.after = searched })">Continue searching</a>
        """)
    } else if found.hasMore, let last = found.records.last {
      let next = wish.order == nil ? wish.link { $0.after = last.id } : wish.link { $0.number += 1 }
      links.append("<a rel=next href=\"\(next)\">Next page</a>")
    }
    return links.isEmpty ? nil : "<nav class=pages aria-label=\"Pages of the list\">\(links.joined(by: " "))</nav>"
  }
}

/// Looks for a text in all values of a record, in any case.
struct TextSearch: Sendable {
  private let wanted: String
  private let bytes: [UInt8]
  private let isASCII: Bool

  init(_ text: String) {
    wanted = text.lowercased()
    bytes = Array(wanted.utf8)
    isASCII = bytes.allSatisfy { $0 < 0x80 }
  }

  /// - Parameter isNamed: whether the name of the record with this id contains the text.
  func finds(_ record: Record, _ isNamed: (String) throws -> Bool) rethrows -> Bool {
    if finds(record.id) { return true }
    return try record.properties.values.contains { try finds($0, isNamed) }
  }

  private func finds(_ value: Value, _ isNamed: (String) throws -> Bool) rethrows -> Bool {
    switch value {
    case .string(let text): finds(text)
    case .reference(let reference): try finds(reference.id) || isNamed(reference.id)
    case .array(let values), .set(let values): try values.contains { try finds($0, isNamed) }
    case .dictionary(let members): try members.values.contains { try finds($0, isNamed) }
    case .labeled(let value, let label): try finds(value, isNamed) || finds(label)
    case .null, .data, .bool: false
    default: finds(value.fieldText)
    }
  }

  func finds(_ text: String) -> Bool {
    if bytes.isEmpty { return true }
    if !isASCII { return text.lowercased().contains(wanted) }
    var text = text
    return text.withUTF8 { text in
      guard text.count >= bytes.count else { return false }
      let first = bytes[0]
      for at in 0...(text.count - bytes.count) where TextSearch.lower(text[at]) == first {
        var k = 1
        while k < bytes.count, TextSearch.lower(text[at + k]) == bytes[k] { k += 1 }
        if k == bytes.count { return true }
      }
      return false
    }
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

/// The titles of the records that others refer to.
enum References {
  private static let most = 300

  static func titles(of records: [Record], _ transaction: ReadTransaction) throws -> [String: String] {
    try titles(in: records.flatMap { $0.properties.values }, transaction)
  }

  static func titles(in values: [Value], _ transaction: ReadTransaction) throws -> [String: String] {
    var titles: [String: String] = [:]
    var seen: Set<String> = []
    func visit(_ value: Value) throws {
      switch value.unlabeled {
      case .reference(let reference):
        guard seen.count < most, seen.insert(reference.id).inserted else { return }
        if let record = try transaction.record(reference.id) { titles[reference.id] = Title.of(record) ?? record.id }
      case .array(let values), .set(let values): for one in values { try visit(one) }
      case .dictionary(let members): for one in members.values { try visit(one) }
      default: break
      }
    }
    for value in values { try visit(value) }
    return titles
  }
}

/// Ends work that takes too long.
enum Deadline {
  struct Passed: Error {}

  static func within<Result: Sendable>(
    _ time: Duration, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: time)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let result = first else { throw Passed() }
      return result
    }
  }
}
