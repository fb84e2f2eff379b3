import SeaCore
import SeaStore

/// The records that a transaction is about to write, and their current content.
package struct PlannedRecords {
  private let records: Records
  private let changes: [Change]
  private let bytes: UnsafeBufferPointer<UInt8>

  package init(_ records: Records, _ changes: [Change], _ bytes: UnsafeBufferPointer<UInt8>) {
    self.records = records
    self.changes = changes
    self.bytes = bytes
  }

  /// Calls `body` with a JSON line for each record. `_old` in the line is the current content.
  package func forEachLine(_ body: ([UInt8]) throws -> Void) throws {
    var last: [[UInt8]: Int] = [:]
    for (k, change) in changes.enumerated() where change.kind != .resolved { last[Array(bytes[change.id])] = k }
    for (k, change) in changes.enumerated() where change.kind != .resolved {
      let id = Array(bytes[change.id])
      guard last[id] == k else { continue }
      var writer = ByteWriter(capacity: 512)
      try JSONWriter.writeRecord(
        id: String(decoding: id, as: UTF8.self),
        type: change.type.map { String(decoding: UnsafeBufferPointer(rebasing: bytes[$0]), as: UTF8.self) },
        rev: change.revision, deleted: change.kind != .put, conflicts: [], extra: old(id),
        body: change.body.map { UnsafeBufferPointer(rebasing: bytes[$0]) }, style: .compact, into: &writer)
      writer.byte(0x0A)
      try body(writer.array())
    }
  }

  private func old(_ id: [UInt8]) throws -> [(name: String, value: Value)] {
    let row = try id.withUnsafeBufferPointer { try records.store.records.record(id: $0) }
    guard let row, !row.isDeleted else { return [] }
    let view = try records.view(row)
    var members = try view.body?.withUnsafeBufferPointer({ try Value.decode(body: $0) }).members ?? Members()
    if let type = view.type { members["_type"] = .string(type) }
    members["_rev"] = .string(view.revision.description)
    return [("_old", .dictionary(members))]
  }
}
