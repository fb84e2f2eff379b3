import SeaCore
import SeaStore

extension Queries {
  /// Runs a statement that only reads for a program: what no record has yet is empty, and a name that is much like one that there is is an error.
  package func answer(
    _ sql: String, _ values: [(name: String, value: QueryValue)], begin: (any QueryRow) throws -> Void,
    row: (any QueryRow) throws -> Bool
  ) throws {
    notices = []
    try execute(sql, values, takesNames: true, refusesSlips: true, begin: begin, row: row)
  }

  /// What a function of SQL gives for a property of all records that a query means.
  package func aggregate(_ function: String, _ property: String, _ query: RecordQuery) throws -> QueryValue {
    let condition = query.condition ?? RecordQuery.Condition("TRUE", [])
    var result = QueryValue.null
    try execute(
      select("\(function)(\(QueryEngine.quoted(property)))", query.filter, condition, order: false), condition.values,
      about: query.filter.type, takesNames: query.takesNames, refusesSlips: query.refusesSlips
    ) {
      result = $0.value(0)
      return false
    }
    return result
  }
}
