import SeaCore
import SeaStore

/// A record as it is read: one revision of it, and what else is alive.
package struct RecordView: Sendable {
  package var id: String
  package var type: String?
  package var leaf: Leaf
  /// Nil for a deleted revision.
  package var body: [UInt8]?
  /// The live leaves beside the winner, best first.
  package var conflicts: [RevisionID]

  package var revision: RevisionID { leaf.revision }
}

extension Database {
  /// A revision of a record, the winner unless another one is given. Of the winner counters and sets are shown as all live
  /// leaves say together.
  package func view(_ row: RecordRow, _ leaf: Leaf? = nil) throws -> RecordView {
    let leaves = leaf == nil || row.live > 1 ? try store.records.leaves(of: row) : []
    guard let shown = leaf ?? leaves.first else { throw KitError.recordNotFound(row.id) }
    var content = try store.records.change(of: shown)
    if let body = content.body, shown.revision == leaves.first?.revision {
      content.body = try shownBody(row, leaves, body)
    }
    let others = row.live > 1 ? leaves.filter { $0.kind == .put }.map { $0.revision } : []
    return RecordView(
      id: row.id, type: content.type, leaf: shown, body: content.body, conflicts: Array(others.dropFirst()))
  }

  /// Records by rising id, until `body` returns false.
  package func forEachView(_ filter: RecordFilter, _ body: (RecordView) throws -> Bool) throws {
    try store.snapshot { try store.records.forEachRecord(filter) { try body(view($0)) } }
  }

  /// What is known about a revision besides its content; see sea-json(7).
  package func meta(of view: RecordView, in row: RecordRow) throws -> [(name: String, value: Value)] {
    var meta: [(name: String, value: Value)] = []
    if let parent = view.leaf.parentRevision { meta.append(("_revParent", .string(parent.description))) }
    guard let block = try store.blocks.block(sequence: view.leaf.sequence) else { return meta }
    meta.append(("_instance", .string(block.instance.description)))
    meta.append(("_lamport", .integer(Int64(block.lamport))))
    meta.append(("_time", .date(block.time)))
    let first = try store.records.revisions(of: row).last { $0.isAttached && $0.parent == nil }
    if let first, let created = try store.blocks.block(sequence: first.sequence) {
      meta.append(("_created", .date(created.time)))
    }
    meta.append(("_block", .string("\(block.instance)/\(block.index)")))
    if let label = block.label { meta.append(("_labels", .array([.string(label)]))) }
    return meta
  }
}

extension RecordView {
  /// The record as one JSON object.
  package func writeJSON(
    _ style: JSONStyle, meta: [(name: String, value: Value)] = [], into writer: inout ByteWriter
  ) throws {
    if let body {
      try body.withUnsafeBufferPointer {
        try JSONWriter.writeRecord(
          id: id, type: type, rev: revision, conflicts: conflicts, extra: meta, body: $0, style: style, into: &writer)
      }
    } else {
      try JSONWriter.writeRecord(
        id: id, type: type, rev: revision, deleted: true, conflicts: conflicts, extra: meta, body: nil, style: style,
        into: &writer)
    }
  }

  /// The bytes of the value at a path; nil if there is none.
  package func value(_ path: PropertyPath) throws -> [UInt8]? {
    guard let body else { return nil }
    return try body.withUnsafeBufferPointer { body in
      try path.find(in: body).map { Array(body[$0]) }
    }
  }
}

extension RecordView {
  /// The names of its properties, in the order of the encoding.
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
