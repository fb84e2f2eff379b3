extension Value {
  package static func decode(body: UnsafeBufferPointer<UInt8>) throws(CoreError) -> Value {
    try decode(body, draft: false)
  }

  /// Decodes a body, but keeps large arrays packed.
  package static func decode(packing body: [UInt8]) throws(CoreError) -> Value {
    try body.withUnsafeBufferPointer { bytes throws(CoreError) in
      var cursor = CBORCursor(bytes)
      _ = try cursor.skipBody()
      guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
      var reader = ValueReader(cursor: CBORCursor(bytes), source: body[...])
      return .dictionary(try reader.members())
    }
  }

  /// Decodes a value of a verified body, but keeps large arrays packed.
  package static func decode(packing value: StoredValue) throws(CoreError) -> Value {
    try value.bytes.withUnsafeBufferPointer { bytes throws(CoreError) in
      var reader = ValueReader(cursor: CBORCursor(bytes), source: value.bytes)
      return try reader.value()
    }
  }

  /// Decodes the output of `encodeRecord`: a body, or a draft whose counters and sets have no states.
  package static func decodeDraft(_ bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) -> Value {
    try decode(bytes, draft: true)
  }

  private static func decode(_ bytes: UnsafeBufferPointer<UInt8>, draft: Bool) throws(CoreError) -> Value {
    var validator = CBORValidator(CBORCursor(bytes), draft: draft)
    try validator.body()
    guard validator.cursor.atEnd else { throw validator.fail(.trailingBytes) }
    var reader = ValueReader(cursor: CBORCursor(bytes))
    return .dictionary(try reader.members())
  }

  package static func decode(value bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) -> Value {
    var validator = CBORValidator(CBORCursor(bytes), draft: true)
    try validator.value(1)
    guard validator.cursor.atEnd else { throw validator.fail(.trailingBytes) }
    var reader = ValueReader(cursor: CBORCursor(bytes))
    return try reader.value()
  }
}

/// Builds values from validated bytes. Invalid bytes can result in a wrong value or an error, but all limits are
/// observed, and nothing outside the bytes is read.
struct ValueReader {
  var cursor: CBORCursor
  /// The bytes that packed arrays refer to; nil if all arrays are decoded.
  private let source: ArraySlice<UInt8>?
  private var depth = 0

  init(cursor: CBORCursor, source: ArraySlice<UInt8>? = nil) {
    self.cursor = cursor
    self.source = source
  }

  var next: UInt8 { cursor.offset < cursor.end ? cursor.base[cursor.offset] >> 5 : 7 }

  mutating func text() throws(CoreError) -> String { String(decoding: try cursor.run(cursor.expect(3)), as: UTF8.self) }

  mutating func members() throws(CoreError) -> Members {
    var members = Members()
    for _ in 0..<(try cursor.count(5)) {
      let key = try text()
      members.append(key, try value())
    }
    return members
  }

  mutating func value() throws(CoreError) -> Value {
    guard depth <= 2 * Value.maxDepth else { throw cursor.fail(.tooDeep) }
    depth &+= 1
    defer { depth &-= 1 }
    switch next {
    case 0, 1: return Value(try integer())
    case 2: return .data(Array(try cursor.data()))
    case 3: return .string(try text())
    case 4:
      if let source, let end = StoredValue.endOfPacked(at: cursor) {
        defer { cursor.offset = end }
        return .packed(StoredValue(source[(source.startIndex + cursor.offset)..<(source.startIndex + end)]))
      }
      var values: [Value] = []
      for _ in 0..<(try cursor.count(4)) { values.append(try value()) }
      return .array(values)
    case 5: return try map()
    case 6: return try tagged()
    default: return try simple()
    }
  }

  private mutating func simple() throws(CoreError) -> Value {
    let head = try cursor.head()
    switch head.info {
    case 20: return .bool(false)
    case 21: return .bool(true)
    case 22: return .null
    default:
      guard let value = CanonicalNumber.float(head.info, head.value) else { throw cursor.fail(.unexpectedType) }
      return .double(value)
    }
  }

  mutating func integer() throws(CoreError) -> BigInteger {
    let head = try cursor.head()
    switch (head.major, head.value) {
    case (0, let value): return BigInteger(isNegative: false, value)
    case (1, let value):
      let magnitude = BigInteger(isNegative: false, value).magnitude
      return BigInteger(isNegative: true, magnitude: BigInteger.incremented(magnitude))
    case (6, 2): return BigInteger(isNegative: false, magnitude: try magnitude())
    case (6, 3): return BigInteger(isNegative: true, magnitude: BigInteger.incremented(try magnitude()))
    default: throw cursor.fail(.unexpectedType)
    }
  }

  private mutating func magnitude() throws(CoreError) -> [UInt8] {
    let bytes = try cursor.data()
    guard bytes.count <= BigInteger.maxBytes else { throw cursor.fail(.outOfRange) }
    return Array(bytes)
  }

  mutating func decimal() throws(CoreError) -> Decimal {
    _ = try cursor.count(4)
    let exponent = Int(try cursor.int())
    guard Decimal.exponents.contains(exponent) else { throw cursor.fail(.outOfRange) }
    return Decimal(exponent: exponent, mantissa: try integer())
  }

  /// - Parameter isExtended: whether milliseconds follow the seconds.
  mutating func date(isExtended: Bool) throws(CoreError) -> Int64 {
    if isExtended {
      _ = try cursor.count(5)
      _ = try cursor.int()
    }
    let seconds = try cursor.int()
    if isExtended { _ = try cursor.int() }
    guard let value = CanonicalNumber.date(seconds, isExtended ? try cursor.int() : 0) else {
      throw cursor.fail(.outOfRange)
    }
    return value
  }

  private mutating func tagged() throws(CoreError) -> Value {
    let start = cursor.offset
    switch try cursor.expect(6) {
    case 1: return .date(try date(isExtended: false))
    case CanonicalNumber.extendedTime: return .date(try date(isExtended: true))
    case CanonicalNumber.calendarDay:
      guard let day = CalendarDay.parse(try cursor.run(cursor.expect(3))) else { throw cursor.fail(.outOfRange) }
      return .day(day)
    case 4: return .decimal(try decimal())
    default:
      cursor.offset = start
      return Value(try integer())
    }
  }

  private mutating func map() throws(CoreError) -> Value {
    let start = cursor.offset
    switch try cursor.count(5) {
    case 1:
      if try accept("$ref") { return .reference(id: try text(), kind: nil) }
      if try accept("$dict") { return .dictionary(try members()) }
      if try accept("$counter") { return try counter() }
      if try accept("$set") { return try set() }
    case 2:
      if try accept("$label") {
        let semanticType = try text()
        if try accept("$value") { return .labeled(try value(), semanticType) }
      } else if try accept("as"), next == 3 {
        let kind = try text()
        if try accept("$ref") { return .reference(id: try text(), kind: kind) }
      }
    case 4:
      if try accept("mime"), let asset = try asset() { return .asset(asset) }
    default: break
    }
    cursor.offset = start
    return .dictionary(try members())
  }

  private mutating func accept(_ word: StaticString) throws(CoreError) -> Bool {
    let start = cursor.offset
    if UTF8Text.equal(try cursor.run(cursor.expect(3)), word) { return true }
    cursor.offset = start
    return false
  }

  private mutating func asset() throws(CoreError) -> AssetReference? {
    guard next == 3 else { return nil }
    let mime = try text()
    guard try accept("size"), next == 0 else { return nil }
    let size = try cursor.expect(0)
    guard try accept("$asset") else { return nil }
    let place = try text()
    _ = try cursor.text()
    return AssetReference(
      place: place, mime: mime, size: Int64(truncatingIfNeeded: size),
      digest: try cursor.digest())
  }
}
