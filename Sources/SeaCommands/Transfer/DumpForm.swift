import SeaCore
import SeaEngine

extension RecordOutput.Form {
  /// Columns have the names that `sea load` goes by: of records of several types the type is one of them.
  static func dump(
    _ name: String, _ query: RecordQuery, _ database: Database, isCompact: Bool
  ) throws -> RecordOutput.Form {
    func columns() throws -> [Selection] {
      var columns = try database.queries.columns(query)
      if query.filter.type == nil { columns.insert(try Selection("_type"), at: 1) }
      return columns
    }
    switch name {
    case "csv": return .csv(try columns())
    case "tsv": return .tsv(try columns())
    case "json": return .array
    case "datastore": return .entities(EntityWriter(isCompact: isCompact))
    default: return .json(nil)
    }
  }

  /// The columns, if it is a table as `sea load` takes it.
  var dumpedColumns: [Selection]? {
    switch self {
    case .csv(let columns), .tsv(let columns): columns
    default: nil
    }
  }
}
