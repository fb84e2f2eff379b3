package struct JSONStyle {
  /// Whether to write one member per line, indented by two spaces per level, like jq.
  package var isPretty: Bool
  /// If set, values are written without their kinds, as sea-record(5) describes. Returns the text for an asset.
  package var plain: ((AssetReference) -> String?)?

  package init(isPretty: Bool = false, plain: ((AssetReference) -> String?)? = nil) {
    self.isPretty = isPretty
    self.plain = plain
  }

  package static var compact: JSONStyle { JSONStyle() }
  package static var pretty: JSONStyle { JSONStyle(isPretty: true) }
}

/// Writes JSON directly from the encoded bytes of a body. Invalid bytes can cause an error, but never a read past their
/// end.
package enum JSONWriter {
  package static func writeRecord(
    id: String?, type: String?, rev: RevisionID?, deleted: Bool = false, conflicts: [RevisionID] = [],
    extra: [(name: String, value: Value)] = [], body: UnsafeBufferPointer<UInt8>?, style: JSONStyle = .compact,
    into w: inout ByteWriter
  ) throws(CoreError) {
    var out = JSONOutput(style: style)
    out.open(0x7B, &w)
    if let id { out.member("_id", id, &w) }
    if let type { out.member("_type", type, &w) }
    if let rev {
      out.name("_rev", &w)
      out.revision(rev, &w)
    }
    for (name, value) in extra {
      out.name(name, &w)
      try out.value(value, &w)
    }
    if let body {
      var cursor = CBORCursor(body)
      try out.members(&cursor, &w)
      guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
    }
    if deleted {
      out.name("_deleted", &w)
      w.append("true")
    }
    if !conflicts.isEmpty {
      out.name("_conflicts", &w)
      out.open(0x5B, &w)
      for rev in conflicts {
        out.item(&w)
        out.revision(rev, &w)
      }
      out.close(0x5D, &w)
    }
    out.close(0x7D, &w)
  }

  package static func write(
    value bytes: UnsafeBufferPointer<UInt8>, style: JSONStyle = .compact, into w: inout ByteWriter
  ) throws(CoreError) {
    var out = JSONOutput(style: style)
    var cursor = CBORCursor(bytes)
    try out.value(&cursor, &w)
    guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
  }

  /// Writes strings, ids, dates and days without quotes, numbers as digits, data as base64 (unchanged with `raw`), and
  /// compound values as JSON.
  package static func writePlain(
    value bytes: UnsafeBufferPointer<UInt8>, raw: Bool = false, style: JSONStyle = .compact, into w: inout ByteWriter
  ) throws(CoreError) {
    var cursor = CBORCursor(bytes)
    guard let lead = bytes.first else { throw cursor.fail(.truncated) }
    switch lead >> 5 {
    case 2:
      let data = try cursor.data()
      if raw { w.append(data) } else { Base64.write(data, into: &w) }
    case 3: w.append(try cursor.text())
    case 0, 1, 6:
      switch try Value.decode(value: bytes) {
      case .date(let milliseconds): Instant.write(milliseconds, into: &w)
      case .day(let day): CalendarDay.write(day, into: &w)
      case .decimal(let decimal): decimal.write(into: &w)
      case .integer(let value): w.append(String(value))
      case .bigInteger(let value): value.write(into: &w)
      default: throw cursor.fail(.unexpectedType)
      }
    case 5:
      switch try Value.decode(value: bytes) {
      case .reference(let id, _): w.append(id)
      case .labeled(let value, _):
        let encoding = value.encoding
        // Throw the error after the call, because this closure cannot have a typed throw.
        var failure: CoreError?
        encoding.withUnsafeBufferPointer {
          do throws(CoreError) {
            try writePlain(value: $0, raw: raw, style: style, into: &w)
          } catch {
            failure = error
          }
        }
        if let failure { throw failure }
      case .counter(let counter): w.append(String(counter.value))
      default: try write(value: bytes, style: style, into: &w)
      }
    default: try write(value: bytes, style: style, into: &w)
    }
  }

  /// Writes a JSON string, escaping the characters that JSON requires to be escaped and those in `UnsafeCharacters`.
  package static func writeString(_ text: UnsafeBufferPointer<UInt8>, into w: inout ByteWriter) {
    w.reserve(min(text.count, longPiece) + 2)
    w.byte(0x22)
    var start = 0
    var k = 0
    let n = text.count
    while k < n {
      if k &+ 8 <= n {
        let word = UnsafeRawPointer(text.baseAddress! + k).loadUnaligned(as: UInt64.self)
        let quote = word ^ 0x2222_2222_2222_2222
        let slash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
        let hits =
          ((quote &- 0x0101_0101_0101_0101) & ~quote) | ((slash &- 0x0101_0101_0101_0101) & ~slash)
          | ((delete &- 0x0101_0101_0101_0101) & ~delete) | ((word &- 0x2020_2020_2020_2020) & ~word) | word
        if hits & 0x8080_8080_8080_8080 == 0 {
          k &+= 8
          continue
        }
      }
      let c = text[k]
      var scalar: UInt32?
      if c >= 0x7F {
        scalar = UnsafeCharacters.scalar(in: text, at: k)
        guard scalar != nil else {
          k &+= 1
          continue
        }
      } else if c >= 0x20, c != 0x22, c != 0x5C {
        k &+= 1
        continue
      }
      append(UnsafeBufferPointer(rebasing: text[start..<k]), &w)
      w.byte(0x5C)
      if let scalar {
        w.append("u")
        withUnsafeBytes(of: UInt16(scalar).bigEndian) { Hex.write($0, into: &w) }
        k &+= UnsafeCharacters.size(of: scalar)
        start = k
        continue
      }
      switch c {
      case 0x22, 0x5C: w.byte(c)
      case 0x08: w.byte(0x62)
      case 0x09: w.byte(0x74)
      case 0x0A: w.byte(0x6E)
      case 0x0C: w.byte(0x66)
      case 0x0D: w.byte(0x72)
      default:
        w.append("u00")
        withUnsafeBytes(of: c) { Hex.write($0, into: &w) }
      }
      k &+= 1
      start = k
    }
    append(UnsafeBufferPointer(rebasing: text[start..<n]), &w)
    w.byte(0x22)
  }

  /// Appends a long string in pieces. The buffer can be flushed after each piece.
  private static func append(_ text: UnsafeBufferPointer<UInt8>, _ w: inout ByteWriter) {
    w.flushIfFull()
    var rest = text[...]
    while rest.count > longPiece {
      w.append(UnsafeBufferPointer(rebasing: rest.prefix(longPiece)))
      w.flushIfFull()
      rest = rest.dropFirst(longPiece)
    }
    w.append(UnsafeBufferPointer(rebasing: rest))
  }

  private static let longPiece = 1 << 20
}

extension BigInteger {
  package func write(into w: inout ByteWriter) {
    if isNegative { w.byte(0x2D) }
    w.append(digits)
  }
}

extension Decimal {
  /// Writes all digits if the exponent is in −40…0; otherwise, uses the form `d.ddE±n`.
  package func write(into w: inout ByteWriter) {
    let digits = mantissa.digits
    if mantissa.isNegative { w.byte(0x2D) }
    if exponent <= 0, exponent >= -40 {
      let places = -exponent
      let whole = digits.count - places
      if whole > 0 { w.append(Array(digits[..<whole])) } else { w.byte(0x30) }
      if places > 0 {
        w.byte(0x2E)
        for _ in 0..<max(0, -whole) { w.byte(0x30) }
        w.append(Array(digits[max(whole, 0)...]))
      }
      return
    }
    w.byte(digits[0])
    if digits.count > 1 {
      w.byte(0x2E)
      w.append(Array(digits[1...]))
    }
    let power = exponent + digits.count - 1
    w.append(power < 0 ? "E-" : "E+")
    w.append(String(power.magnitude))
  }

  package var description: String {
    var writer = ByteWriter(capacity: 64)
    write(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
