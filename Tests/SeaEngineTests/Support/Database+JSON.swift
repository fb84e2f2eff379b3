import SeaCore
import SeaEngine
import SeaStore

// Shortcuts for tests: records as JSON in the forms of sea-record(5).

extension Database {
  /// Writes whole records as one transaction.
  /// - Parameter records: JSON objects; `_id`, `_type` and `_rev` are the record, its type and the replaced revision.
  /// - Returns: the revision (`DEPTH-HEX`) of each.
  @discardableResult
  func put(_ records: [String]) throws -> [String] {
    let batch = WriteBatch(label: "put")
    var tape = JSONTape()
    for record in records {
      try Array(record.utf8).withUnsafeBufferPointer { bytes in
        let end = JSONTape.skipSpace(bytes, from: try tape.parse(bytes, at: 0))
        guard end == bytes.count else { throw CoreError.badJSON(.trailingText, offset: end) }
        guard tape.isObject else { throw CoreError.badJSON(.notAnObject, offset: 0) }
        try batch.add(tape, bytes, WriteBatch.Options())
      }
    }
    return try self.records.write(batch).results.map { $0.revision.description }
  }

  /// The winner of a record as JSON; nil if the record is missing or deleted.
  func get(_ id: String) throws -> String? {
    guard let row = try store.records.record(id), !row.isDeleted else { return nil }
    return try records.view(row).json()
  }
}

extension RecordView {
  fileprivate func json() throws -> String {
    var writer = ByteWriter(capacity: 512)
    try writeJSON(.compact, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
