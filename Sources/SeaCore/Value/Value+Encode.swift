extension Value {
  /// The one encoding of the value (of a draft: its draft form).
  package var encoding: [UInt8] {
    var writer = ByteWriter(capacity: 64)
    encode(into: &writer)
    return writer.array()
  }

  /// Writes the value as it stands within a body. Limits are not checked here: `encodeBody` does, for all of it.
  package func encode(into w: inout ByteWriter) {
    switch self {
    case .null: w.cborNull()
    case .bool(let value): w.byte(value ? 0xF5 : 0xF4)
    case .integer(let value): w.cborInt(value)
    case .bigInteger(let value): w.cborInteger(value)
    case .double(let value): w.cborNumber(value)
    case .decimal(let value): w.cborDecimal(value)
    case .string(let text): w.cborText(text)
    case .date(let milliseconds): w.cborDate(milliseconds)
    case .data(let bytes): bytes.withUnsafeBytes { w.cborData($0) }
    case .array(let values):
      w.cborArray(values.count)
      for value in values { value.encode(into: &w) }
    case .dictionary(let members):
      if members.entries.contains(where: { $0.key.utf8.first == 0x24 }) {
        w.cborMap(1)
        w.cborText("$dict")
      }
      Value.encode(members, into: &w)
    case .reference(let id, let kind):
      w.cborMap(kind == nil ? 1 : 2)
      if let kind {
        w.cborText("as")
        w.cborText(kind)
      }
      w.cborText("$ref")
      w.cborText(id)
    case .asset(let asset):
      w.cborMap(4)
      w.cborText("mime")
      w.cborText(asset.mime)
      w.cborText("size")
      w.cborInt(asset.size)
      w.cborText("$asset")
      w.cborText(asset.place)
      w.cborText("sha256")
      asset.sha256.withBytes { w.cborData($0) }
    case .packed(let value): value.bytes.withUnsafeBufferPointer { w.append($0) }
    case .counter(let counter): counter.encode(into: &w)
    case .set(let set): set.encode(into: &w)
    case .labelled(let value, let semanticType):
      w.cborMap(2)
      w.cborText("$label")
      w.cborText(semanticType)
      w.cborText("$value")
      value.encode(into: &w)
    case .counterDraft(let value):
      w.cborMap(1)
      w.cborText("$counter")
      w.cborInteger(BigInteger(value))
    case .setDraft(let values):
      w.cborMap(1)
      w.cborText("$set")
      let elements = Set(values.map { $0.encoding }).sorted { $0.lexicographicallyPrecedes($1) }
      w.cborArray(elements.count)
      for element in elements {
        w.cborArray(2)
        w.append(element)
        w.cborArray(0)
      }
    }
  }

  static func encode(_ members: Members, into w: inout ByteWriter) {
    w.cborMap(members.count)
    for (key, value) in members.entries {
      w.cborText(key)
      value.encode(into: &w)
    }
  }

  /// Writes a dictionary as the body of a record; true: it has references. What breaks a rule of the format is
  /// refused, drafts included.
  @discardableResult
  package func encodeBody(into w: inout ByteWriter) throws(CoreError) -> Bool {
    if case .packed(let body) = self {
      let start = w.count
      encode(into: &w)
      var cursor = CBORCursor(UnsafeBufferPointer(start: w.base + start, count: body.bytes.count))
      return try cursor.skipBody()
    }
    guard case .dictionary(let members) = self else { throw .badEncoding(.unexpectedType, offset: 0) }
    for (key, _) in members.entries { try Name.checkProperty(key) }
    let start = w.count
    Value.encode(members, into: &w)
    var cursor = CBORCursor(UnsafeBufferPointer(start: w.base + start, count: w.count - start))
    do {
      return try cursor.skipBody()
    } catch {
      w.truncate(to: start)
      throw error
    }
  }
}
