package struct JSONOutput {
  package let style: JSONStyle
  private(set) var depth = 0
  private var isFirst = true

  package init(style: JSONStyle) { self.style = style }

  package mutating func open(_ bracket: UInt8, _ w: inout ByteWriter) {
    w.byte(bracket)
    depth &+= 1
    isFirst = true
  }

  package mutating func close(_ bracket: UInt8, _ w: inout ByteWriter) {
    depth &-= 1
    if !isFirst { newLine(&w) }
    w.byte(bracket)
    isFirst = false
  }

  @inline(__always) package mutating func item(_ w: inout ByteWriter) {
    w.flushIfFull()
    if !isFirst { w.byte(0x2C) }
    isFirst = false
    newLine(&w)
  }

  @inline(__always) private func newLine(_ w: inout ByteWriter) {
    if !style.isPretty { return }
    w.byte(0x0A)
    for _ in 0..<depth {
      w.byte(0x20)
      w.byte(0x20)
    }
  }

  @inline(__always) private func colon(_ w: inout ByteWriter) {
    w.byte(0x3A)
    if style.isPretty { w.byte(0x20) }
  }

  mutating func name(_ bytes: UnsafeBufferPointer<UInt8>, _ w: inout ByteWriter) {
    item(&w)
    JSONWriter.writeString(bytes, into: &w)
    colon(&w)
  }

  package mutating func name(_ text: String, _ w: inout ByteWriter) {
    item(&w)
    string(text, &w)
    colon(&w)
  }

  package func string(_ text: String, _ w: inout ByteWriter) {
    var text = text
    text.withUTF8 { JSONWriter.writeString($0, into: &w) }
  }

  mutating func member(_ key: String, _ text: String, _ w: inout ByteWriter) {
    name(key, &w)
    string(text, &w)
  }

  func revision(_ rev: RevisionID, _ w: inout ByteWriter) {
    w.byte(0x22)
    number(UInt64(rev.depth), &w)
    w.byte(0x2D)
    rev.digest.withBytes { Hex.write($0, into: &w) }
    w.byte(0x22)
  }

  package func number(_ value: UInt64, _ w: inout ByteWriter) {
    var divisor: UInt64 = 1
    while value / divisor >= 10 { divisor &*= 10 }
    while divisor > 0 {
      w.byte(0x30 &+ UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }

  /// Writes the shortest decimal that reads back as the same double.
  func number(_ value: Double, _ w: inout ByteWriter) {
    var text = value.description
    text.withUTF8 { digits in
      let isWhole = digits.count > 2 && digits[digits.count - 1] == 0x30 && digits[digits.count - 2] == 0x2E
      w.append(isWhole ? UnsafeBufferPointer(rebasing: digits[..<(digits.count - 2)]) : digits)
    }
  }

  package mutating func value(_ value: Value, _ w: inout ByteWriter) throws(CoreError) {
    var encoded = ByteWriter(capacity: 256)
    value.encode(into: &encoded)
    var cursor = CBORCursor(encoded.bytes)
    try self.value(&cursor, &w)
  }
}

extension JSONOutput {
  mutating func value(_ cursor: inout CBORCursor, _ w: inout ByteWriter) throws(CoreError) {
    guard cursor.offset < cursor.end else { throw cursor.fail(.truncated) }
    guard depth < 2 * Value.maxDepth else { throw cursor.fail(.tooDeep) }
    let lead = cursor.base[cursor.offset]
    switch lead >> 5 {
    case 0, 1:
      let (major, _, magnitude) = try cursor.head()
      if magnitude > TapeEncoder.plainInteger &- UInt64(major) {
        let value = BigInteger(isNegative: false, magnitude)
        big(
          major == 0 ? value : BigInteger(isNegative: true, magnitude: BigInteger.incremented(value.magnitude)), &w)
      } else {
        if major == 1 { w.byte(0x2D) }
        number(magnitude &+ UInt64(major), &w)
      }
    case 2:
      let data = try cursor.data()
      text("$data", &w) { Base64.write(data, into: &$0) }
    case 3: JSONWriter.writeString(try cursor.run(cursor.expect(3)), into: &w)
    case 4:
      let count = try cursor.count(4)
      open(0x5B, &w)
      for _ in 0..<count {
        item(&w)
        try value(&cursor, &w)
      }
      close(0x5D, &w)
    case 5: try map(&cursor, &w)
    case 6: try tagged(&cursor, &w)
    default: try simple(&cursor, &w)
    }
  }

  private mutating func simple(_ cursor: inout CBORCursor, _ w: inout ByteWriter) throws(CoreError) {
    switch cursor.base[cursor.offset] {
    case 0xF4: w.append("false")
    case 0xF5: w.append("true")
    case 0xF6: w.append("null")
    default:
      var reader = ValueReader(cursor: cursor)
      guard case .double(let double) = try reader.value(), double.isFinite else { throw cursor.fail(.notFinite) }
      cursor = reader.cursor
      return number(double, &w)
    }
    cursor.offset &+= 1
  }

  /// Writes the members of a map into a JSON object that is already open.
  mutating func members(_ cursor: inout CBORCursor, _ w: inout ByteWriter) throws(CoreError) {
    for _ in 0..<(try cursor.count(5, least: 2)) {
      name(try cursor.run(cursor.expect(3)), &w)
      try value(&cursor, &w)
    }
  }

  private mutating func map(_ cursor: inout CBORCursor, _ w: inout ByteWriter) throws(CoreError) {
    let start = cursor.offset
    if style.plain != nil {
      guard try StoredEntries.enter(&cursor) else { return try reserved(&cursor, &w) }
      open(0x7B, &w)
      try members(&cursor, &w)
      return close(0x7D, &w)
    }
    if try cursor.count(5, least: 2) == 1 {
      let key = try cursor.run(cursor.expect(3))
      if UTF8Text.equal(key, "$counter") || UTF8Text.equal(key, "$set") {
        cursor.offset = start
        return try reserved(&cursor, &w)
      }
    } else if try isAsset(cursor) {
      return try asset(&cursor, &w)
    }
    cursor.offset = start
    open(0x7B, &w)
    if try dictWrapper(&cursor) {
      name("$dict", &w)
      open(0x7B, &w)
      try members(&cursor, &w)
      close(0x7D, &w)
    } else {
      try members(&cursor, &w)
    }
    close(0x7D, &w)
  }

  /// If the map is a `$dict` wrapper, moves the cursor to the wrapped map and returns true.
  private func dictWrapper(_ cursor: inout CBORCursor) throws(CoreError) -> Bool {
    var inner = cursor
    guard try inner.count(5, least: 2) == 1, UTF8Text.equal(try inner.run(inner.expect(3)), "$dict") else {
      return false
    }
    cursor = inner
    return true
  }

  /// Whether the cursor is at the members of an asset. Only assets have the key `$asset`.
  private func isAsset(_ cursor: CBORCursor) throws(CoreError) -> Bool {
    var cursor = cursor
    for word in ["mime", "size", "$asset"] as [StaticString] {
      guard cursor.offset < cursor.end, cursor.base[cursor.offset] >> 5 == 3,
        UTF8Text.equal(try cursor.run(cursor.expect(3)), word)
      else { return false }
      if cursor.offset < cursor.end, cursor.base[cursor.offset] >> 5 > 3 { return false }
      try cursor.skipValue()
    }
    return true
  }

  private mutating func asset(_ cursor: inout CBORCursor, _ w: inout ByteWriter) throws(CoreError) {
    open(0x7B, &w)
    for _ in 0..<4 {
      name(try cursor.run(cursor.expect(3)), &w)
      if cursor.offset < cursor.end, cursor.base[cursor.offset] >> 5 == 2 {
        let hash = try cursor.data()
        w.byte(0x22)
        Hex.write(UnsafeRawBufferPointer(hash), into: &w)
        w.byte(0x22)
      } else {
        try value(&cursor, &w)
      }
    }
    close(0x7D, &w)
  }

  /// Writes a counter or a set, or any other map with a reserved key in the plain form.
  private mutating func reserved(_ cursor: inout CBORCursor, _ w: inout ByteWriter) throws(CoreError) {
    var reader = ValueReader(cursor: cursor)
    let value = try reader.value()
    cursor = reader.cursor
    switch value {
    case .counter(let counter): number(ofCounter: counter.value, &w)
    case .counterDraft(let value): number(ofCounter: value, &w)
    case .set(let set): try elements(set.elements, &w)
    case .setDraft(let values): try elements(values, &w)
    case .reference(let id, _): string(id, &w)
    case .labeled(let inner, _): try self.value(inner, &w)
    case .asset(let asset):
      if let text = style.plain?(asset) { string(text, &w) } else { w.append("null") }
    default: throw cursor.fail(.unexpectedType)
    }
  }

  /// Writes the counter's number in the same form as an integer, so that no digits are lost.
  private mutating func number(ofCounter value: Int128, _ w: inout ByteWriter) {
    beginKind("$counter", &w)
    if value.magnitude > UInt128(TapeEncoder.plainInteger) {
      big(BigInteger(value), &w)
    } else {
      w.append(String(value))
    }
    endKind(&w)
  }

  private mutating func elements(_ values: [Value], _ w: inout ByteWriter) throws(CoreError) {
    beginKind("$set", &w)
    open(0x5B, &w)
    for element in values {
      item(&w)
      try value(element, &w)
    }
    close(0x5D, &w)
    endKind(&w)
  }

  private mutating func tagged(_ cursor: inout CBORCursor, _ w: inout ByteWriter) throws(CoreError) {
    var reader = ValueReader(cursor: cursor)
    let value = try reader.value()
    cursor = reader.cursor
    switch value {
    case .date(let milliseconds): text("$date", &w) { Instant.write(milliseconds, into: &$0) }
    case .day(let day): text("$day", &w) { CalendarDay.write(day, into: &$0) }
    case .decimal(let decimal): text("$decimal", isNumber: true, &w) { decimal.write(into: &$0) }
    case .bigInteger(let value): big(value, &w)
    default: throw cursor.fail(.badTag)
    }
  }

  private mutating func big(_ value: BigInteger, _ w: inout ByteWriter) {
    text("$int", isNumber: true, &w) { value.write(into: &$0) }
  }

  /// Writes a value whose JSON is a text and the name of its kind. In the plain form, numbers are not in quotes.
  private mutating func text(
    _ kind: String, isNumber: Bool = false, _ w: inout ByteWriter, _ content: (inout ByteWriter) -> Void
  ) {
    let isQuoted = style.plain == nil || !isNumber
    beginKind(kind, &w)
    if isQuoted { w.byte(0x22) }
    content(&w)
    if isQuoted { w.byte(0x22) }
    endKind(&w)
  }

  /// Begins the object that names the kind of a value. In the plain form, there is no such object.
  private mutating func beginKind(_ kind: String, _ w: inout ByteWriter) {
    guard style.plain == nil else { return }
    open(0x7B, &w)
    name(kind, &w)
  }

  private mutating func endKind(_ w: inout ByteWriter) {
    if style.plain == nil { close(0x7D, &w) }
  }
}
