import SeaCore
import SeaStore

/// One revision of a record for reading, and the revisions in conflict with it.
package struct RecordView: Sendable {
  package var id: String
  package var type: String?
  package var leaf: Leaf
  /// Nil for a deleted or purged revision.
  package var body: [UInt8]?
  /// The conflicting revisions other than the winner, best first.
  package var conflicts: [RevisionID]

  package var revision: RevisionID { leaf.revision }

  package func writeJSON(
    _ style: JSONStyle, meta: [(name: String, value: Value)] = [], into writer: inout ByteWriter
  ) throws {
    func write(_ body: UnsafeBufferPointer<UInt8>?) throws {
      try JSONWriter.writeRecord(
        id: id, type: type, rev: revision, deleted: leaf.kind != .put, conflicts: conflicts, extra: meta, body: body,
        style: style, into: &writer)
    }
    if let body { try body.withUnsafeBufferPointer(write) } else { try write(nil) }
  }

  package func value(_ path: PropertyPath) throws -> [UInt8]? {
    guard let body else { return nil }
    return try body.withUnsafeBufferPointer { body in
      try path.find(in: body).map { Array(body[$0]) }
    }
  }

  /// Returns the ranges of the property values in the body by name, for callers that read many properties.
  package func valueRanges() throws -> [[UInt8]: Range<Int>] {
    guard let body else { return [:] }
    return try body.withUnsafeBufferPointer { bytes in
      var cursor = CBORCursor(bytes)
      var places: [[UInt8]: Range<Int>] = [:]
      for _ in 0..<(try cursor.count(5, least: 2)) {
        let name = Array(try cursor.text())
        let start = cursor.offset
        try cursor.skipValue()
        places[name] = start..<cursor.offset
      }
      return places
    }
  }

  package func propertyNames() throws -> [String] {
    guard let body else { return [] }
    return try body.withUnsafeBufferPointer { bytes in
      var cursor = CBORCursor(bytes)
      var names: [String] = []
      for _ in 0..<(try cursor.count(5, least: 2)) {
        names.append(String(decoding: try cursor.text(), as: UTF8.self))
        try cursor.skipValue()
      }
      return names
    }
  }
}
