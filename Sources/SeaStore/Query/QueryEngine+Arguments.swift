import SeaCore

extension QueryEngine {
  private static let ofRecords: Set<SQLName> = ["prop", "label", "kind", "refers", "dangling"]
  /// What cannot be the id of a record, and what has no elements. Texts may be either.
  private static let noIDs: Set<PropertyKind> = [
    .number, .counter, .boolean, .date, .data, .array, .set, .dictionary, .asset,
  ]
  private static let noSets: Set<PropertyKind> = [.number, .counter, .boolean, .date, .data, .reference]

  /// Makes sure that functions of records and sets are given some: they say nothing of anything else.
  /// - Throws: `QueryFault` where it is certain that they are not.
  func checkArguments(in text: SQLText) throws {
    for k in text.tokens.indices where text.other(k + 1) == "(" {
      guard let function = text.word(k), function == "has" || QueryEngine.ofRecords.contains(function) else { continue }
      let isSet = function == "has"
      if let given = text.string(k + 2), [",", ")"].contains(text.other(k + 3)) {
        if try isSet ? !QueryEngine.mayBeJSON(given) : isColumn(given) && records.record(given) == nil {
          throw QueryFault.textArgument(function: function.text, text: given)
        }
        continue
      }
      var name = k + 2
      while text.word(name) != nil, text.other(name + 1) == ".", text.word(name + 2) != nil { name += 2 }
      guard text.word(name) != nil, [",", ")"].contains(text.other(name + 1)) else { continue }
      let kinds = kinds(of: SQLText.folded(text.tokens[name].name))
      guard !kinds.isEmpty, kinds.isSubset(of: isSet ? QueryEngine.noSets : QueryEngine.noIDs) else { continue }
      throw QueryFault.wrongArgument(
        function: function.text, column: text.tokens[name].name,
        kinds: Set(kinds.map(ValueClass.init)).sorted { $0.rawValue < $1.rawValue }, isReference: kinds == [.reference])
    }
  }

  private static func mayBeJSON(_ text: String) -> Bool {
    text.utf8.first { $0 > 0x20 }.map { $0 == 0x5B || $0 == 0x7B } ?? false
  }

  func isColumn(_ name: String) -> Bool {
    let folded = SQLText.folded(name)
    return tables.contains { $0.table.catalog.columns[folded] != nil }
      || QueryTable.Fixed.allCases.contains { SQLText.folded($0.name) == folded }
      || catalog.names.contains { SQLText.folded($0) == folded }
  }

  /// What kinds of values the columns of a name have that the statement reads.
  private func kinds(of name: SQLName) -> Set<PropertyKind> {
    read.reduce(into: []) { kinds, one in
      guard SQLText.folded(one.column) == name else { return }
      if let column = one.table.catalog.columns[name] { kinds.formUnion(column.kinds.all) }
    }
  }
}
