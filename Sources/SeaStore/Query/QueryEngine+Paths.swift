import SeaCore

extension QueryEngine {
  /// Whether all values of a column are JSON.
  func isJSON(_ table: String, _ column: String) -> Bool {
    guard let table = tables.first(where: { $0.table.name == table })?.table else { return false }
    if table.isAll, column == QueryTable.Fixed.json.name { return true }
    return table.catalog.columns[SQLText.folded(column)]?.kinds.onlyClass == .json
  }

  /// Holds the paths that stand in a statement against what records have: the first that have the property, as many as are looked at.
  /// - Returns: what is to be said of them.
  /// - Throws: `QueryFault` where one is much like one that there is.
  func check(_ paths: [LiteralPath]) throws -> [QueryNotice] {
    guard mostLooked > 0 else { return [] }
    var notices: [QueryNotice] = []
    var seen: Set<SQLName> = []
    for written in paths where seen.insert(SQLText.folded(written.text)).inserted {
      let tables = tables(of: written)
      guard tables.contains(where: { !$0.shapeKeys.isEmpty }), let one = written.named(in: tables) else { continue }
      let property = one.isReference ? one.column : one.names[0]
      let (shapes, known) = try shapes(of: tables, with: property)
      if shapes.isEmpty {
        if let name = similar(property, known) {
          throw QueryFault.unknownColumn(one.text, similar: one.text([name] + one.names.dropFirst()))
        }
        notices.append(.noProperty(one.text))
      } else if one.isReference || one.names.count > 1, let notice = try search(one, shapes) {
        notices.append(notice)
      }
    }
    return notices
  }

  /// The tables of which the statement reads the column that a path begins in.
  private func tables(of path: LiteralPath) -> [QueryTable] {
    let column = SQLText.folded(path.column)
    var found: [QueryTable] = []
    for (table, name) in read where SQLText.folded(name) == column && !found.contains(where: { $0 === table }) {
      if column != "json" || table.isAll { found.append(table) }
    }
    return found
  }

  /// The shapes that have a property, and the names of all properties.
  private func shapes(of tables: [QueryTable], with name: String) throws -> (with: [Int64], names: [String]) {
    var with: [Int64] = []
    var names: Set<String> = []
    try records.shapes.forEachKey { key, shape in
      guard tables.contains(where: { $0.isAll || $0.shapeSet.contains(key) }) else { return }
      if shape.properties.contains(where: { UTF8Text.equal($0.name, name) }) { with.append(key) }
      for one in shape.properties { names.insert(one.name) }
    }
    return (with, names.sorted())
  }

  private func search(_ one: LiteralPath, _ shapes: [Int64]) throws -> QueryNotice? {
    var search = NestedSearch(PropertyPath(names: one.names))
    let rows = try QueryRows(records, source)
    let targets = try QueryRows(records, source)
    var ids: Set<[UInt8]> = []
    var looked = 0
    try rows.start(.shapes(shapes), allowed: nil)
    while rows.hasRow, looked < mostLooked {
      looked += 1
      if let body = try rows.body(), !one.isReference {
        try search.look(at: body)
      } else if let body = try rows.body(), let id = try Self.id(in: body, at: one.column), ids.insert(id).inserted {
        try id.withUnsafeBufferPointer { id throws(StoreError) in try targets.start(.id(id), allowed: nil) }
        if targets.hasRow, let body = try targets.body() { try search.look(at: body) }
      }
      if search.isFound || (search.meetsOther && one.isJSON) { return nil }
      try rows.next()
    }
    return try search.notice(seen: rows.hasRow ? looked : nil, { one.text($0.names) }, similar)
  }

  /// What a property names another record by.
  private static func id(in body: UnsafeBufferPointer<UInt8>, at name: String) throws -> [UInt8]? {
    guard let range = try PropertyPath(names: [name]).find(in: body) else { return nil }
    switch try Value.decode(value: UnsafeBufferPointer(rebasing: body[range])).unlabelled {
    case .reference(let id, _), .string(let id): return Array(id.utf8)
    default: return nil
    }
  }

  /// Has the kinds counted that the values have at the paths of a statement, and in columns that an index has added.
  func count(
    _ paths: [LiteralPath], _ comparisons: Comparisons
  ) throws -> [KindCount] {
    var counts: [KindCount] = []
    var compared: [SQLName: [ComparedValue]] = [:]
    for one in paths where one.result == .value && one.isUsed {
      compared[SQLText.folded(one.text), default: []] += comparisons.values(beside: one.tokens)
    }
    var byCall: [String: KindCount] = [:]
    var seen: Set<SQLName> = []
    for written in paths where written.isUsed || written.isTyped {
      if let source = written.source, byCall[source] != nil { continue }
      guard written.source != nil || seen.insert(SQLText.folded(written.text)).inserted else { continue }
      for table in tables(of: written) {
        guard let one = written.named(in: [table]) else { continue }
        let count = KindCount(table.name, one.text, PropertyPath(names: one.names))
        count.compared = compared[SQLText.folded(written.text)] ?? []
        counts.append(count)
        if let source = one.source {
          byCall[source] = count
          break
        }
        table.count(count, of: one.column)
      }
    }
    for (table, name) in read {
      guard let property = table.properties.first(where: { $0.path != nil && UTF8Text.equal($0.name, name) }),
        let path = property.path, property.counts.isEmpty
      else { continue }
      property.counts = [KindCount(table.name, path.description, path)]
      counts += property.counts
    }
    functions.counts = byCall
    return counts
  }

  /// Where JSON, as `->` gives it, is compared with what is none.
  func unlikeJSON(
    _ paths: [LiteralPath], _ comparisons: Comparisons
  ) -> [QueryNotice] {
    paths.filter { $0.result == .json && $0.isUsed }.compactMap { path in
      for one in comparisons.values(beside: path.tokens) {
        guard case .text(let value) = one.content else { return .unlikeJSON(path: path.text, text: "") }
        if !value.isEmpty, (try? Value.json(value)) == nil { return .unlikeJSON(path: path.text, text: value) }
      }
      return nil
    }
  }

  /// The first path that goes into what is no JSON.
  func notJSON(_ paths: [LiteralPath]) -> QueryFault? {
    for path in paths where path.isJSON && path.source == nil {
      for table in tables(of: path) {
        guard let column = table.catalog.columns[SQLText.folded(path.column)], !column.kinds.classes.contains(.json)
        else {
          continue
        }
        let names = PropertyPath(names: Array(path.names.dropFirst()))
        return .notJSON(column: column.name, path: names.pointer, isReference: column.kinds.only == .reference)
      }
    }
    return nil
  }

  /// Of which paths the values had several kinds, once the statement has run.
  package var mixed: [QueryNotice] { counts.compactMap(\.notice) }
}

extension LiteralPath {
  /// With the names that properties have, where it was written by columns: SQL does not tell upper from lower case.
  /// - Returns: nil if none of the tables has the column.
  fileprivate func named(in tables: [QueryTable]) -> LiteralPath? {
    let isColumn = source == nil && SQLText.folded(column) != "json"
    guard isReference || isColumn else { return self }
    let name = tables.lazy.compactMap { $0.catalog.columns[SQLText.folded(column)]?.name }.first
    guard let name else { return nil }
    var one = self
    one.column = name
    if isColumn { one.names[0] = name }
    return one
  }
}
