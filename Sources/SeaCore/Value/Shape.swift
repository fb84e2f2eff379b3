/// The kinds of property values that queries distinguish; see sea-query(7).
package enum PropertyKind: UInt8, Sendable, CaseIterable {
  case number = 1
  case counter, boolean, text, reference, date, data, array, set, dictionary, asset, day
}

/// The type of a record, and the name and kind of each property in encoding order. Similar records share a shape, so
/// queries can find the properties of a type without reading its records.
///
/// The encoding consists of the type as CBOR text or null, followed by the kind (one byte) and name (CBOR text) of each
/// property.
package struct Shape: Sendable {
  package var type: String?
  package var properties: [(name: String, kind: PropertyKind)]

  package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var cursor = CBORCursor(bytes)
    do throws(CoreError) {
      type = cursor.null() ? nil : String(decoding: try cursor.text(), as: UTF8.self)
      properties = []
      while !cursor.atEnd {
        guard let kind = PropertyKind(rawValue: cursor.base[cursor.offset]) else { return nil }
        cursor.offset += 1
        properties.append((String(decoding: try cursor.text(), as: UTF8.self), kind))
      }
    } catch {
      return nil
    }
  }

  /// The number of bytes at the beginning of a shape that contain its type: at most 255 bytes and their length.
  package static let typeSize = 258

  /// Returns the type of a shape.
  /// - Parameter start: the first `typeSize` bytes of the shape, because its names can be very large.
  package static func type(_ start: UnsafeBufferPointer<UInt8>) throws(CoreError) -> String? {
    var cursor = CBORCursor(start)
    return cursor.null() ? nil : String(decoding: try cursor.text(), as: UTF8.self)
  }

  /// - Parameter types: all types if empty.
  package static func isType(_ type: String?, of types: [String]) -> Bool {
    types.isEmpty || type.map { type in types.contains { UTF8Text.equal($0, type) } } ?? false
  }

  /// - Parameter body: a verified body; nil if the body is unknown.
  package static func write(
    type: UnsafeBufferPointer<UInt8>?, body: UnsafeBufferPointer<UInt8>?, into writer: inout ByteWriter
  ) throws(CoreError) {
    if let type { writer.cborText(type) } else { writer.byte(0xF6) }
    guard let body else { return }
    var cursor = CBORCursor(body)
    for _ in 0..<(try cursor.count(5, least: 2)) {
      let start = cursor.offset
      _ = try cursor.run(cursor.expect(3))
      let name = UnsafeBufferPointer(start: cursor.base + start, count: cursor.offset - start)
      writer.byte(try cursor.kind().rawValue)
      writer.append(name)
      try cursor.skipValue()
    }
  }
}

extension CBORCursor {
  /// Returns the kind of the next value. A value with a semantic type has the kind of its inner value.
  package func kind() throws(CoreError) -> PropertyKind {
    var cursor = self
    guard cursor.offset < end else { throw fail(.truncated) }
    let lead = base[cursor.offset]
    switch lead >> 5 {
    case 0, 1: return .number
    case 2: return .data
    case 3: return .text
    case 4: return .array
    case 5: break
    case 6:
      switch try cursor.expect(6) {
      case 1, CanonicalNumber.extendedTime: return .date
      case CanonicalNumber.calendarDay: return .day
      default: return .number
      }
    default: return lead == 0xF4 || lead == 0xF5 ? .boolean : .number
    }
    let count = try cursor.count(5, least: 2)
    guard count > 0 else { return .dictionary }
    let first = try cursor.run(cursor.expect(3))
    switch count {
    case 1:
      if UTF8Text.equal(first, "$ref") { return .reference }
      if UTF8Text.equal(first, "$counter") { return .counter }
      if UTF8Text.equal(first, "$set") { return .set }
    case 2:
      if UTF8Text.equal(first, "$label") {
        try cursor.skipValue()
        _ = try cursor.run(cursor.expect(3))
        return try cursor.kind()
      }
      if UTF8Text.equal(first, "as"), try cursor.key(2, is: "$ref") { return .reference }
    case 4:
      if UTF8Text.equal(first, "mime"), try cursor.key(4, is: "$asset") { return .asset }
    default: break
    }
    return .dictionary
  }

  /// Whether the key after `items` items equals `word`. The result is false if that item is not a string.
  private mutating func key(_ items: Int, is word: StaticString) throws(CoreError) -> Bool {
    for _ in 0..<items - 1 { try skipValue() }
    guard offset < end, base[offset] >> 5 == 3 else { return false }
    return UTF8Text.equal(try run(expect(3)), word)
  }
}
