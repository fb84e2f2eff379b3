/// Writes values as JSON for SQL, without wrappers, so that `->>` and `json_each` see the values themselves. The result
/// does not show what kinds the values originally were; see sea-query(7).
package enum PlainJSON {
  package static func write(_ value: Value, into writer: inout ByteWriter) {
    switch value {
    case .null: writer.append("null")
    case .bool(let flag): writer.append(flag ? "true" : "false")
    case .integer(let number): writer.append(String(number))
    case .bigInteger(let number): number.write(into: &writer)
    case .double(let number): JSONOutput(style: .compact).number(number, &writer)
    case .decimal(let decimal): decimal.write(into: &writer)
    case .string(let text): string(text, into: &writer)
    case .date(let time): string(sortable(time), into: &writer)
    case .day(let day): string(CalendarDay.text(day), into: &writer)
    case .data(let bytes):
      writer.byte(0x22)
      bytes.withUnsafeBufferPointer { Base64.write($0, into: &writer) }
      writer.byte(0x22)
    case .array(let values), .setDraft(let values): list(values, into: &writer)
    case .packed: write(value.unpacked, into: &writer)
    case .set(let set): list(set.elements, into: &writer)
    case .dictionary(let members):
      writer.byte(0x7B)
      var isFirst = true
      for (name, value) in members.entries {
        if !isFirst { writer.byte(0x2C) }
        isFirst = false
        string(name, into: &writer)
        writer.byte(0x3A)
        write(value, into: &writer)
      }
      writer.byte(0x7D)
    case .reference(let id, _): string(id, into: &writer)
    case .counter(let counter): writer.append(String(counter.value))
    case .counterDraft(let count): writer.append(String(count))
    case .labeled(let value, _): write(value, into: &writer)
    case .asset(let asset):
      writer.append("{\"size\":\(asset.size),\"type\":")
      string(asset.mime, into: &writer)
      writer.append(",\"digest\":\"\(asset.digest)\",\"place\":")
      string(asset.place, into: &writer)
      writer.byte(0x7D)
    }
  }

  /// Writes the value at a cursor without copying arrays and dictionaries, because these can be large.
  package static func write(_ cursor: inout CBORCursor, into writer: inout ByteWriter) throws(CoreError) {
    guard cursor.offset < cursor.end else { throw cursor.fail(.truncated) }
    let lead = cursor.base[cursor.offset]
    switch lead >> 5 {
    case 0, 1:
      var look = cursor
      let head = try look.head()
      guard head.value < TapeEncoder.plainInteger else { return try writeSmall(&cursor, into: &writer) }
      if head.major == 1 { writer.byte(0x2D) }
      JSONOutput(style: .compact).number(head.value &+ UInt64(head.major), &writer)
      cursor = look
    case 3: JSONWriter.writeString(try cursor.run(cursor.expect(3)), into: &writer)
    case 4:
      writer.byte(0x5B)
      for k in 0..<(try cursor.count(4)) {
        if k > 0 { writer.byte(0x2C) }
        try write(&cursor, into: &writer)
      }
      writer.byte(0x5D)
    case 5:
      guard try StoredEntries.enter(&cursor) else { return try writeSmall(&cursor, into: &writer) }
      try members(&cursor, into: &writer)
    default: try writeSmall(&cursor, into: &writer)
    }
  }

  package static func write(body: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter) throws(CoreError) {
    var check = CBORCursor(body)
    _ = try check.skipBody()
    guard check.atEnd else { throw check.fail(.trailingBytes) }
    var cursor = CBORCursor(body)
    try members(&cursor, into: &writer)
  }

  private static func members(_ cursor: inout CBORCursor, into writer: inout ByteWriter) throws(CoreError) {
    writer.byte(0x7B)
    for k in 0..<(try cursor.count(5, least: 2)) {
      if k > 0 { writer.byte(0x2C) }
      JSONWriter.writeString(try cursor.run(cursor.expect(3)), into: &writer)
      writer.byte(0x3A)
      try write(&cursor, into: &writer)
    }
    writer.byte(0x7D)
  }

  private static func writeSmall(_ cursor: inout CBORCursor, into writer: inout ByteWriter) throws(CoreError) {
    var reader = ValueReader(cursor: cursor)
    write(try reader.value(), into: &writer)
    cursor = reader.cursor
  }

  package static func bytes(_ value: Value) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    write(value, into: &writer)
    return writer.array()
  }

  private static func list(_ values: [Value], into writer: inout ByteWriter) {
    writer.byte(0x5B)
    for (k, value) in values.enumerated() {
      if k > 0 { writer.byte(0x2C) }
      write(value, into: &writer)
    }
    writer.byte(0x5D)
  }

  private static func string(_ text: String, into writer: inout ByteWriter) {
    var text = text
    text.withUTF8 { JSONWriter.writeString($0, into: &writer) }
  }

  /// Formats a time as `2026-03-01T00:00:00.000Z`, always with milliseconds, so that strings sort by time.
  package static func sortable(_ milliseconds: Int64) -> String {
    let text = Instant.text(milliseconds)
    return text.utf8.count == 20 ? text.dropLast() + ".000Z" : text
  }
}
