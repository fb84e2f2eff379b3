/// JSON on its way out: where commas and line breaks go, and what each value looks like.
package struct JSONOutput {
  let style: JSONStyle
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

  /// Before each item of an array and each name of an object.
  @inline(__always) package mutating func item(_ w: inout ByteWriter) {
    w.mayHand()
    if !isFirst { w.byte(0x2C) }
    isFirst = false
    newLine(&w)
  }

  @inline(__always) private func newLine(_ w: inout ByteWriter) {
    if case .compact = style { return }
    w.byte(0x0A)
    for _ in 0..<depth {
      w.byte(0x20)
      w.byte(0x20)
    }
  }

  @inline(__always) private func colon(_ w: inout ByteWriter) {
    w.byte(0x3A)
    if case .pretty = style { w.byte(0x20) }
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

  /// The shortest decimal that is this double.
  func number(_ value: Double, _ w: inout ByteWriter) {
    var text = value.description
    text.withUTF8 { digits in
      let isWhole = digits.count > 2 && digits[digits.count - 1] == 0x30 && digits[digits.count - 2] == 0x2E
      w.append(isWhole ? UnsafeBufferPointer(rebasing: digits[..<(digits.count - 2)]) : digits)
    }
  }

  mutating func value(_ value: Value, _ w: inout ByteWriter) throws(CoreError) {
    var encoded = ByteWriter(capacity: 256)
    value.encode(into: &encoded)
    var cursor = CBORCursor(encoded.bytes)
    try self.value(&cursor, &w)
  }
}
