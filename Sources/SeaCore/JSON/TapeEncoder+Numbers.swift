/// The rule that turns a JSON number into one of the three kinds: an integer if it is one, else a double if the
/// shortest decimal of that double is the number as written, else a decimal. No digit is lost.
extension TapeEncoder {
  /// Integers to ±2^53 are JSON numbers; larger ones are printed as `$int`, one level deeper.
  static let plainInteger: UInt64 = 1 << 53

  @inline(__always)
  mutating func integer(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    let digits = bytes(k)
    let isNegative = digits[0] == 0x2D
    guard digits.count <= 18 else { return try longInteger(digits, k, level, .numberOutOfRange, into: &w) }
    var value: UInt64 = 0
    var j = isNegative ? 1 : 0
    while j < digits.count {
      value = value &* 10 &+ UInt64(digits[j] &- 0x30)
      j &+= 1
    }
    if value > TapeEncoder.plainInteger { try nest(level, k) }
    w.cborInteger(isNegative: isNegative, value)
  }

  /// `-?digits` of any length.
  @inline(never)
  func longInteger(
    _ text: UnsafeBufferPointer<UInt8>, _ k: Int, _ level: Int, _ fault: JSONFault, into w: inout ByteWriter
  ) throws(CoreError) {
    let isNegative = text[0] == 0x2D
    let digits = UnsafeBufferPointer(rebasing: text[(isNegative ? 1 : 0)...])
    guard let magnitude = BigInteger.magnitude(ofDigits: digits), let value = bounded(isNegative, magnitude) else {
      throw fail(fault, k)
    }
    if let small = value.int64, small.magnitude <= TapeEncoder.plainInteger {
      w.cborInt(small)
    } else {
      try nest(level, k)
      w.cborInteger(value)
    }
  }

  /// The integer, if the bytes that would be stored are not too many.
  private func bounded(_ isNegative: Bool, _ magnitude: [UInt8]) -> BigInteger? {
    let value = BigInteger(isNegative: isNegative, magnitude: magnitude)
    if value.magnitude.count <= BigInteger.maxBytes { return value }
    return isNegative && BigInteger.decremented(value.magnitude).count <= BigInteger.maxBytes ? value : nil
  }

  @inline(never)
  func number(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    let text = bytes(k)
    let number = NumberText(text)
    if let whole = number.wholeMagnitude {
      if whole > TapeEncoder.plainInteger { try nest(level, k) }
      return w.cborInteger(isNegative: number.isNegative, whole)
    }
    if number.count == 20, number.exponent == 0, let magnitude = number.magnitude(text, zeros: 0) {
      let value = BigInteger(isNegative: number.isNegative, magnitude: magnitude)
      let stored = value.isNegative ? BigInteger.decremented(magnitude) : magnitude
      if stored.count <= 8 {
        try nest(level, k)
        return w.cborInteger(value)
      }
    }
    if let double = number.double { return w.cborFloat(double) }
    try nest(level, k)
    try decimal(number, text, zeros: 0, k, .numberOutOfRange, into: &w)
  }

  /// Writes the number as a decimal that keeps `zeros` of the zeros at its end.
  func decimal(
    _ number: NumberText, _ text: UnsafeBufferPointer<UInt8>, zeros: Int, _ k: Int, _ fault: JSONFault,
    into w: inout ByteWriter
  ) throws(CoreError) {
    let exponent = number.exponent - zeros
    guard Decimal.exponents.contains(exponent) else { throw fail(fault, k) }
    if number.count <= 19, zeros == 0 {
      w.byte(0xC4)
      w.byte(0x82)
      w.cborInt(Int64(exponent))
      w.cborInteger(isNegative: number.isNegative, number.count == 0 ? 0 : number.mantissa)
      return
    }
    guard let magnitude = number.magnitude(text, zeros: zeros), let mantissa = bounded(number.isNegative, magnitude)
    else { throw fail(fault, k) }
    w.cborDecimal(Decimal(exponent: exponent, mantissa: mantissa))
  }
}
