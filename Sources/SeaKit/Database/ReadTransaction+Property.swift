internal import SeaCore
internal import SeaEngine

extension ReadTransaction {
  /// Returns the values of properties in the records of a query, without decoding the other properties.
  /// - Throws: `bad-query` if the condition is invalid; `bad-data` if a value cannot be decoded. The message names the
  ///   record and the property.
  public func fetch<Element, First, each Other>(
    _ query: Query<Element>, _ first: Property<Element, First>, _ others: repeat Property<Element, each Other>
  ) throws -> [(First, repeat each Other)] {
    var all: [(First, repeat each Other)] = []
    try convertingErrors {
      var selections = [first.selection]
      for one in repeat each others { selections.append(one.selection) }
      try forEachRow(query, selections) { id, values in
        var column = 0
        func next<Content>(_ property: Property<Element, Content>) throws -> Content {
          defer { column += 1 }
          return try property.read(values[column], of: id)
        }
        let row: (First, repeat each Other) = (try next(first), repeat try next(each others))
        all.append(row)
      }
    }
    return all
  }

  /// Returns the sum of a property over the records of a query; nil if no record has the property. Decimals and large
  /// integers keep all digits.
  /// - Throws: `usage` for a query with a limit, and the errors of `fetch` for the condition.
  public func sum<Element, Content>(of property: Property<Element, Content>, in query: Query<Element>) throws
    -> Content?
  { try aggregate("sum", property, query) }
  /// Returns the sum of a property over the records of a query; nil if no record has the property.
  public func sum<Element, Content>(of property: Property<Element, Content?>, in query: Query<Element>) throws
    -> Content?
  { try aggregate("sum", property, query) }
  /// Returns the average of a property over those records of a query that have the property; nil if no record has it.
  public func average<Element, Content>(
    of property: Property<Element, Content>, in query: Query<Element>
  ) throws -> Double? { try aggregate("avg", property, query) }
  /// Returns the smallest value of a property in the records of a query; nil if no record has the property.
  public func minimum<Element, Content>(
    of property: Property<Element, Content>, in query: Query<Element>
  ) throws -> Content? { try aggregate("min", property, query) }
  /// Returns the smallest value of a property in the records of a query; nil if no record has the property.
  public func minimum<Element, Content>(
    of property: Property<Element, Content?>, in query: Query<Element>
  ) throws -> Content? { try aggregate("min", property, query) }
  /// Returns the greatest value of a property in the records of a query; nil if no record has the property.
  public func maximum<Element, Content>(
    of property: Property<Element, Content>, in query: Query<Element>
  ) throws -> Content? { try aggregate("max", property, query) }
  /// Returns the greatest value of a property in the records of a query; nil if no record has the property.
  public func maximum<Element, Content>(
    of property: Property<Element, Content?>, in query: Query<Element>
  ) throws -> Content? { try aggregate("max", property, query) }

  /// Whether a type can hold numbers that a double cannot.
  private static func needsAllDigits(_ type: Any.Type) -> Bool {
    guard let type = type as? any ValueConvertible.Type, type.init(.double(0.5)) == nil else { return false }
    return type.init(.decimal("0.5")) != nil || type.init(.bigInteger(BigInteger(.max))) != nil
  }

  private func aggregate<Element, Content, Result: Decodable>(
    _ function: String, _ property: Property<Element, Content>, _ query: Query<Element>
  ) throws -> Result? {
    let expression = property.expression
    var columns = "\(function)(\(expression))"
    // SQL computes with doubles. The record of the minimum or maximum has the exact value.
    if ReadTransaction.needsAllDigits(Result.self), property.names.count == 1 {
      columns = function == "sum" ? "decimal_sum(\(expression))" : "exact(\(expression)), \(columns)"
    }
    return try aggregate(function, property.names[property.names.count - 1], columns, query) {
      try? RowDecoder.read(Result.self, $0, at: [])
    }
  }
}

extension ReadTransaction {
  /// Calls `body` with the values of selections in each record of a query.
  private func forEachRow<Element>(
    _ query: Query<Element>, _ selections: [Selection],
    _ body: (_ id: String, _ values: [SeaCore.Value?]) throws -> Void
  ) throws {
    var left = query.decodedLimit ?? .max
    guard left > 0 else { return }
    do {
      try reading {
        try engine.queries.forEachRow(query.core(engine), selections) { id, values in
          guard try query.unlessSkipped(id, { try body(id, values) }) != nil else { return }
          left -= 1
          if left == 0 { throw Enough() }
        }
      }
    } catch is Enough {}
  }
}

extension Database {
  /// Returns the values of properties in the records of a query, without decoding the other properties.
  /// - Throws: `bad-data` if a value cannot be decoded. The message names the record and the property.
  public func fetch<Element, First, each Other>(
    _ query: Query<Element>, _ first: Property<Element, First>, _ others: repeat Property<Element, each Other>
  ) async throws -> [(First, repeat each Other)] {
    try await read { try $0.fetch(query, first, repeat each others) }
  }
}
