/// A record that has only one live leaf and therefore needs no join. The pointers are valid until the next one is read.
package struct BorrowedRecord {
  package var id: UnsafeBufferPointer<UInt8>
  package var type: UnsafeBufferPointer<UInt8>?
  package var revision: RevisionID
  package var shape: Int64
  /// The body of the record; nil if it was purged.
  package var body: UnsafeBufferPointer<UInt8>?

  package init(
    id: UnsafeBufferPointer<UInt8>, type: UnsafeBufferPointer<UInt8>?, revision: RevisionID, shape: Int64,
    body: UnsafeBufferPointer<UInt8>?
  ) {
    self.id = id
    self.type = type
    self.revision = revision
    self.shape = shape
    self.body = body
  }

  package func values(_ count: Int, into ranges: inout [Range<Int>]) throws(CoreError) {
    ranges.removeAll(keepingCapacity: true)
    guard let body else { return }
    var cursor = CBORCursor(body)
    let all = try cursor.count(5, least: 2)
    while ranges.count < min(count, all) {
      _ = try cursor.run(cursor.expect(3))
      let start = cursor.offset
      try cursor.skipValue()
      ranges.append(start..<cursor.offset)
    }
  }
}

extension JSONWriter {
  package static func write(
    record: BorrowedRecord, style: JSONStyle = .compact, into w: inout ByteWriter
  ) throws(CoreError) {
    var out = JSONOutput(style: style)
    out.open(0x7B, &w)
    out.name("_id", &w)
    writeString(record.id, into: &w)
    if let type = record.type {
      out.name("_type", &w)
      writeString(type, into: &w)
    }
    out.name("_rev", &w)
    out.revision(record.revision, &w)
    if let body = record.body {
      var cursor = CBORCursor(body)
      try out.members(&cursor, &w)
      guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
    }
    out.close(0x7D, &w)
    w.byte(0x0A)
  }
}
