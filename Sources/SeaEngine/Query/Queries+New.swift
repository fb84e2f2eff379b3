import SeaCore
import SeaStore

extension Queries {
  /// The names of properties that records of a type have, or any at all.
  package func propertyNames(of type: String?) throws -> Set<String> {
    var names: Set<String> = []
    try records.store.records.shapes.forEach(type: type) { names.formUnion($0.properties.map(\.name)) }
    return names
  }

  /// The types that there are, each with the names of its properties: from the shapes, without a look at a record.
  package func propertyNames() throws -> [String: Set<String>] {
    var types: [String: Set<String>] = [:]
    try records.store.records.shapes.forEach(type: nil) { shape in
      if let type = shape.type { types[type, default: []].formUnion(shape.properties.map(\.name)) }
    }
    return types
  }

  /// Whether there is a record of a type, or any at all.
  package func hasRecords(of type: String?) throws -> Bool {
    try type.map { try records.store.records.shapes.hasRecords(of: $0) } ?? !records.store.records.isEmpty()
  }

  /// Whether any record of a type, or any at all, has a property of this name.
  package func hasProperty(_ name: String, of type: String?) throws -> Bool {
    var found = false
    try records.store.records.shapes.forEach(type: type) {
      if $0.properties.contains(where: { UTF8Text.equal($0.name, name) }) { found = true }
    }
    return found
  }

  /// Holds what a query sorts by against the properties that there are.
  /// - Throws: `QueryFault` of a name that is much like another one.
  func checkSorting(_ query: RecordQuery) throws {
    guard query.isSorted else { return }
    let known = try propertyNames(of: query.filter.type).map { $0 }
    for name in query.sorting.compactMap(\.property) where !known.contains(where: { UTF8Text.equal($0, name) }) {
      if let similar = Queries.similar(to: name, among: known.sorted() + Selection.fields) {
        throw QueryFault.unknownColumn(name, similar: similar)
      }
    }
  }

  /// What may be called in SQL.
  package static var functionNames: [String] { QueryEngine.functionNames }

  /// The name that was probably meant by one that nothing has.
  static func similar(to name: String, among others: [String]) -> String? {
    // `phone2` beside `phone1` is no slip.
    let letters = Queries.letters(name)
    return Similarity.nearest(
      to: name, among: others.filter { Queries.letters($0) != letters || $0.lowercased() == name.lowercased() },
      begun: false)
  }

  private static func letters(_ name: String) -> [UInt8] { name.lowercased().utf8.filter { $0 &- 0x30 >= 10 } }
}
