import SeaCore

/// Reads live records by id, without copying them.
package final class RecordReader {
  private let rows: QueryRows

  package init(_ records: RecordTable, _ source: QuerySource) throws { rows = try QueryRows(records, source) }

  /// Visits the record with this id, if there is one. For a record in conflict, `visit` receives only the row.
  /// - Returns: whether to go on, as `visit` has returned.
  package func visit(
    _ id: UnsafeBufferPointer<UInt8>, _ visit: (RecordRow?, BorrowedRecord?) throws -> Bool
  ) throws -> Bool {
    try rows.start(.id(id), allowed: nil)
    defer { rows.end() }
    return try !rows.hasRow || rows.visit(visit)
  }
}

extension QueryRows {
  /// Passes the current row to `visit`, or only its metadata if the record is in conflict.
  func visit(_ visit: (RecordRow?, BorrowedRecord?) throws -> Bool) throws -> Bool {
    try isConflict ? visit(row(), nil) : visit(nil, bytes())
  }
}
