import SeaCore

extension QueryNotice {
  /// The notice in one line.
  package var words: String {
    switch self {
    case .noProperty(let name): return "no record has a property '\(name)'"
    case .noType(let name): return "no record has the type '\(name)'"
    case .newType(let type, let similar): return "new record type '\(type)'; did you mean '\(similar)'?"
    case .notNumbers(let table, let column, let kind):
      let what =
        switch kind {
        case .dates: "quote the date, or use ago('7d')"
        case .days: "quote the day"
        default: "if they are numbers, use CAST(\(column.inSQL) AS REAL)"
        }
      let place = table.isEmpty ? "" : " in '\(table)'"
      return "'\(column)'\(place) has \(kind.rawValue), which SQL does not compare as numbers: \(what)"
    case .unlike(let column, let kind, let text):
      return "'\(column)' (\(kind.rawValue)) never matches '\(text)': \(kind.likeness)"
    case .leftOut(let table, let count):
      return "\(count) more properties of '\(table)' are not shown as columns; name them, or use prop()"
    case .sameButCase(let names):
      return "\(names.map { "'\($0)'" }.joined(separator: " and ")) differ only in case; the column shows the first"
    case .hidden(let name):
      return "'json' is the whole record; for the property, use prop(_id, '/\(name)')"
    case .severalKinds(let table, let column, let kinds):
      let all = kinds.map(\.rawValue).joined(separator: " and ")
      return
        "'\(column)' in '\(table)' has \(all), which SQL does not compare with each other; see kind() in sea-query(7)"
    }
  }
}
