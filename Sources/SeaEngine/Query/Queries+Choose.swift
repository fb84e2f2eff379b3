import SeaCore
import SeaStore

/// A record that is to be written, and what was computed for it.
package struct ChosenRecord: Sendable {
  package var id: String
  package var values: [QueryValue]
}

extension Queries {
  /// The records that somebody wants to write, by rising id, and what expressions give for each. Within a transaction of the
  /// author's nobody changes them before they are written.
  ///
  /// What a reader is told of is an error here: nothing is written by a comparison of texts with numbers, or by a name that no record
  /// has.
  /// - Parameter assigned: what the writer assigns, moves or removes: a record may lack that.
  /// - Throws: `QueryFault`.
  package func choose(
    _ query: RecordQuery, computing expressions: [String] = [], assigning assigned: [PropertyPath] = []
  ) throws -> [ChosenRecord] {
    guard let condition = query.condition else { return [] }
    let mayMean = try hasRecords(of: query.filter.type) ? Queries.names(assigned) : nil
    try check(query, selecting: [])
    var what = "_id"
    var aggregates = ""
    for one in expressions {
      guard QueryEngine.isExpression(one) else { throw QueryFault.bad("'\(one)' is no expression") }
      what += ", (\(one)\n)"
      // An aggregate has no place behind WHERE, and none in what is computed for each record.
      aggregates += " AND (length(_id) > 0 OR (\(one)\n) IS NULL)"
    }
    // In the order in which they are found: SQLite forgets of what it sorts whether a text is JSON.
    let sql = try select(what, query.filter, condition, order: false) + aggregates
    var chosen: [ChosenRecord] = []
    let meter = WorkMeter(records.author.folder.settings.report, .searching, "", items: { nil })
    try execute(
      sql, condition.values, about: query.filter.type,
      begin: { _ in
        if let mayMean { try checkNames(mayMean) }
        try checkKinds()
      },
      row: { row in
        guard chosen.count < Payload.mostItems else { throw KitError.tooManyChanges(chosen.count + 1) }
        let id = String(decoding: row.bytes(0), as: UTF8.self)
        for k in expressions.indices {
          guard case .text = row.value(k + 1), String(validating: row.bytes(k + 1), as: UTF8.self) == nil else {
            continue
          }
          throw QueryFault.failed("'\(expressions[k])' gives a text that is not UTF-8 for \(id)")
        }
        meter?.add()
        chosen.append(ChosenRecord(id: id, values: expressions.indices.map { row.value($0 + 1) }))
        return true
      })
    return chosen.sorted { UTF8Text.less($0.id, $1.id) }
  }

  /// The names by which SQL can mean what some paths lead to or through.
  private static func names(_ paths: [PropertyPath]) -> Set<String> {
    Set(
      paths.flatMap { path in
        path.names.indices.map { PropertyPath(names: Array(path.names[...$0])).description.lowercased() }
      })
  }

  /// Makes sure that records have all that is named: NULL is different from everything, so that a slip would choose all of them.
  private func checkNames(_ known: Set<String>) throws(QueryFault) {
    for one in notices {
      switch one {
      case .noType(let name): throw .unknownType(name, similar: nil)
      case .noProperty(let name) where !known.contains(name.lowercased()): throw .unknownColumn(name, similar: nil)
      default: break
      }
    }
  }

  /// Makes sure that nothing is chosen by a comparison of values of different kinds.
  private func checkKinds() throws(QueryFault) {
    for one in notices {
      switch one {
      case .notNumbers(_, let column, let kind): throw .notNumbers(column: column, kind: kind)
      case .unlike(let column, let kind, let text): throw .unlike(column: column, kind: kind, text: text)
      case .severalKinds(_, let column, let kinds): throw .mixedKinds(column: column, kinds: kinds)
      default: break
      }
    }
  }
}

extension Queries {
  /// Makes sure that the condition of a query can be understood, whether or not there is a record.
  /// - Throws: `QueryFault`.
  package func prepare(_ query: RecordQuery) throws { _ = try matching(["_"], query) }

  /// Of some ids those of records that a query with a condition means.
  /// - Parameter takesNames: whether a name that nothing has stands for nothing, whatever it is like.
  package func matching(_ ids: [String], _ query: RecordQuery, takesNames: Bool = false) throws -> Set<[UInt8]> {
    guard let condition = query.condition, !ids.isEmpty else { return Set(ids.map { Array($0.utf8) }) }
    var matching: Set<[UInt8]> = []
    try execute(
      select("_id", query.filter, condition, order: false) + " AND _id IN ("
        + ids.map(QueryEngine.literal).joined(separator: ", ") + ")", condition.values, about: query.filter.type,
      takesNames: takesNames,
      row: {
        matching.insert(Array($0.bytes(0)))
        return true
      })
    return matching
  }
}

extension Queries {
  /// The type that was probably meant by one that no record has; nil of any other.
  package func similarType(to type: String) throws -> String? {
    if try records.store.records.shapes.hasRecords(of: type) { return nil }
    return try records.nearestType(to: type)
  }
}

extension QueryValue {
  /// What SQL computed, as the value of a property: of the kind that it had, as far as the result can be.
  /// - Returns: nil where there was none and is none.
  /// - Throws: `KitError.BadValue`, and `CoreError` of what is no value at all.
  package func computed(over old: Value?, limits: RecordLimits) throws -> Value? {
    let known = old?.unlabelled
    switch self {
    case .null:
      guard let known, known != .null else { return nil }
      throw KitError.BadValue.computedNull
    case .integer(let number):
      if case .bool? = known, number == 0 || number == 1 { return .bool(number == 1) }
      if case .decimal? = known { return .decimal(Decimal(exponent: 0, mantissa: BigInteger(number))) }
      return .integer(number)
    case .double(let number):
      guard number.isFinite else { throw KitError.BadValue.computedInfinite }
      switch known {
      case .decimal?, .bigInteger?: throw KitError.BadValue.computedInexact
      case .integer? where abs(number) >= 0x1p53: throw KitError.BadValue.computedInexact
      default: return try Value.json(number.description)
      }
    case .text(let text):
      switch known {
      case .date?:
        guard let date = Array(text.utf8).withUnsafeBufferPointer({ Instant.parse($0) }) else {
          throw KitError.BadValue.notADate
        }
        return .date(date)
      case .reference(_, let kind)?:
        try Name.check(text)
        return .reference(id: text, kind: kind)
      case .integer?, .bigInteger?, .decimal?, .double?: return QueryValue.number(text, like: known) ?? .string(text)
      default: return .string(text)
      }
    case .data(let data):
      guard data.count <= limits.maxData else { throw KitError.BadValue.tooLong }
      return .data(data)
    case .json(let text):
      // A part that JSON has no form for would come back as another kind.
      if let known, !known.isSet, !known.survivesJSON { throw KitError.BadValue.computedLoss }
      let value = try Value.json(text, limits: limits)
      if case .set? = known, case .array(let elements) = value { return .setDraft(elements) }
      return value
    }
  }

  /// A text that is a number and nothing else, with all its digits.
  private static func number(_ text: String, like known: Value?) -> Value? {
    guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 || "+-.eE".utf8.contains($0) }) else { return nil }
    if case .double? = known { return try? Value.json(text) }
    var isDecimal = true
    if case .decimal? = known {} else { isDecimal = !text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2D } }
    return try? Value.json("{\"\(isDecimal ? "$decimal" : "$int")\":\"\(text)\"}")
  }
}

extension Value {
  fileprivate var isSet: Bool { if case .set = self { true } else { false } }

  /// Whether SQL's JSON of a value says all of it.
  package var survivesJSON: Bool {
    switch self {
    case .null, .bool, .integer, .double, .string: true
    case .array(let values): values.allSatisfy(\.survivesJSON)
    case .packed: unpacked.survivesJSON
    case .dictionary(let members): members.entries.allSatisfy(\.value.survivesJSON)
    default: false
    }
  }
}
