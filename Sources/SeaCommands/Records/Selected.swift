import SeaCore
import SeaEngine

/// Finds the records to change: those that match a condition, or those named on standard input.
enum Selected {
  static let condition = Option(
    "where", nil, .text, "SQL", "select all records that match the condition; see sea-query(7)")

  static func query(_ arguments: Arguments) throws -> RecordQuery? {
    guard let sql = arguments.text(condition) else {
      if arguments.has(QueryParameter.option) {
        throw UsageFault.needs(option: QueryParameter.option.dashed, with: condition.dashed)
      }
      return nil
    }
    var filter = RecordFilter()
    filter.types = arguments.texts(.type)
    return try RecordQuery(filter, .init(sql, QueryParameter.values(arguments)))
  }

  static func names(_ session: Session) throws -> [String] {
    var lines: [String] = []
    while let line = try session.terminal.input.line(terminator: session.options.zero ? 0 : 0x0A) {
      if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
    }
    return lines
  }

  /// Returns the ids of the named records. If `each` is true, repeated names are kept.
  static func ids(_ names: [String], each: Bool, _ database: Database, _ session: Session) throws -> [String] {
    var ids: [String] = []
    var seen: Set<[UInt8]> = []
    for name in names {
      let row = try database.records.find(name, literal: session.literalIDs)
      if row.isDeleted { throw KitError.recordNotFound(name) }
      if !each || seen.insert(Array(row.id.utf8)).inserted { ids.append(row.id) }
    }
    return ids
  }

  static func check(_ count: Int, _ option: Option, deletes: Bool = false, _ arguments: Arguments) throws {
    if let limit = arguments.integer(option), count > limit {
      throw CommandError.tooManyRecords(count, limit: limit, option: option, deletes: deletes)
    }
  }
}
