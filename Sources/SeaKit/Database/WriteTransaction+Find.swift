internal import SeaCore

extension WriteTransaction {
  /// The record of a type whose properties say this, or a new one that does.
  /// - Parameters:
  ///   - type: the type of the records that are meant.
  ///   - properties: what it is found by, all of them; one that is null is not there.
  ///   - initial: what a new one gets besides; one that is there stays as it is.
  /// - Throws: `ambiguous` if there are several.
  public func findOrCreate(
    type: String, _ properties: [String: Value], initial: [String: Value] = [:]
  ) throws -> Record {
    try telling {
      if let only = try only(Query.records(of: type), properties, type, { $0.id }) { return only }
      var record = Record(type: type, initial.merging(properties) { $1 }.filter { $0.value != .null })
      try save(&record)
      return record
    }
  }

  /// The record of a type whose properties say this, or a new one that does:
  ///
  ///     let ann = try transaction.findOrCreate(["name": "Ann"]) { Keeper(name: "Ann") }
  ///
  /// - Parameters:
  ///   - properties: what it is found by, all of them, by their names in the record; one that is null is not there.
  ///   - initial: makes the new one. It has to say these properties, or it would be made again each time.
  /// - Throws: `ambiguous` if there are several; `usage` if what was made says something else; `stale` if it has the id of a record that is there.
  public func findOrCreate<Wanted: SeaRecord>(
    _ properties: [String: Value], initial: () throws -> Wanted
  ) throws -> Wanted {
    var own: (any Error)?
    let made: Wanted? = try telling {
      if let only = try only(Wanted.all, properties, Wanted.recordType, { $0.id }) { return only }
      let made: Wanted
      do { made = try initial() } catch {
        own = error
        return nil
      }
      let said = try RecordEncoder.properties(of: made).applied(to: nil).members
      for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
        let says = said?[name].map { Value(stored: $0) } ?? .null
        guard QueryValue(says) == QueryValue(value) else {
          throw SeaError(
            .usage, "what was made says something else of '\(name)' than it is found by", ["path": name])
        }
      }
      try save(made, check: .isNew)
      return made
    }
    // What `initial` throws is no fault of this library.
    if let own { throw own }
    return made!
  }

  /// The one that a query means among those whose properties say this; nil if there is none.
  private func only<Element>(
    _ query: Query<Element>, _ properties: [String: Value], _ type: String, _ id: (Element) -> String
  ) throws -> Element? {
    guard !properties.isEmpty else { throw SeaError(.usage, "a record is found by one property at least") }
    var text = Condition.Interpolation(literalCapacity: 0, interpolationCount: properties.count)
    for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
      let isNothing = if case .null = value { true } else { false }
      let column = #""\#(name.replacing(every: "\"", by: "\"\""))""#
      text.appendLiteral("\(text.isEmpty ? "" : " AND ")\(column) \(isNothing ? "IS NULL" : "= ")")
      if !isNothing { text.appendInterpolation(value) }
    }
    var query = query.where(Condition(stringInterpolation: text)).limit(2)
    // A new one is to have these names.
    query.takesSlips = true
    let found = try fetch(query)
    guard found.count < 2 else {
      let ids = found.map(id)
      throw SeaError(.ambiguous, "several records of type '\(type)' are meant, as '\(ids[0])' and '\(ids[1])'")
    }
    return found.first
  }
}
