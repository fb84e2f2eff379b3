import SeaCore
import SeaEngine
import SeaSystem

extension RecordOutput.Form {
  /// Returns the output format, with column names that `sea load` recognizes. Unless the query selects a single type,
  /// `_type` is a column, too.
  static func dump(
    _ name: String, _ query: RecordQuery, _ database: Database, isCompact: Bool, _ selected: [Selection]?
  ) throws -> RecordOutput.Form {
    func columns() throws -> [Selection] {
      if let selected { return selected }
      var columns = try database.queries.columns(query)
      if query.filter.onlyType == nil { columns.insert(try Selection("_type"), at: 1) }
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

  var dumpedColumns: [Selection]? {
    switch self {
    case .csv(let columns), .tsv(let columns): columns
    default: nil
    }
  }
}

extension DumpCommand {
  static func form(_ arguments: Arguments, _ file: String?) -> String {
    arguments.text(format) ?? file.flatMap(LoadInput.form) ?? "jsonl"
  }
}

extension DumpFile {
  private static let beginnings = [
    "jsonl": ["{\"_id\":"], "json": ["[]\n", "[\n{\"_id\":"], "csv": ["_id,", "_id\n"], "tsv": ["_id\t", "_id\n"],
    "datastore": ["{\"entities\":["],
  ]

  /// Checks that writing the file destroys nothing except the output of an earlier dump in the same format.
  /// - Throws: `fileExists`.
  static func check(_ file: String, _ form: String, _ session: Session, _ arguments: Arguments) throws {
    let path = session.path(file)
    if arguments.has(.force) || Path.meansOpenFile(path) { return }
    guard let there = try Path.statusFollowing(path), there.kind == .file, there.size > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = try bytes.withMutableBytes { (bytes) throws(SystemError) in try File(path).read(into: bytes) }
    if form == "csv" {
      if bytes.starts(with: TextEncoding.mark) { bytes = bytes.dropFirst(TextEncoding.mark.count) + TextEncoding.mark }
      bytes = bytes.map { CSVStyle.delimiters.contains(String(UnicodeScalar($0))) ? 0x2C : $0 }
    }
    let isEarlier = beginnings[form]?.contains { bytes.prefix(count).starts(with: $0.utf8) } ?? false
    if !isEarlier { throw CommandError.fileExists(file) }
  }
}
