/// A parsed JSON number of the form mantissa × 10^exponent. The mantissa has no leading or trailing zeros.
struct NumberText {
  var isNegative = false
  var count = 0
  /// The mantissa, which is valid if `count` is at most 19.
  var mantissa: UInt64 = 0
  var exponent = 0
  /// The number of trailing zeros that are omitted from the mantissa.
  var trailingZeros = 0
  /// The offsets of the mantissa's first and last digits. There can be a decimal point between them.
  var first = 0
  var last = 0

  /// Parses `[-]digits[.digits][e[±]digits]`, whose syntax the caller must have checked.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var k = 0
    let n = bytes.count
    var zeros = 0
    var fraction = 0
    var inFraction = false
    if n > 0, bytes[0] == 0x2D {
      isNegative = true
      k = 1
    }
    while k < n {
      let c = bytes[k]
      if c == 0x2E {
        inFraction = true
      } else if c | 0x20 == 0x65 {
        break
      } else {
        if inFraction { fraction &+= 1 }
        if c == 0x30 {
          zeros &+= 1
        } else {
          if count == 0 {
            first = k
            zeros = 0
          }
          append(zeros: zeros)
          zeros = 0
          mantissa = mantissa &* 10 &+ UInt64(c &- 0x30)
          count &+= 1
          last = k
        }
      }
      k &+= 1
    }
    trailingZeros = count == 0 ? 0 : zeros
    exponent = trailingZeros &- fraction
    if k < n { exponent &+= NumberText.power(bytes, from: k &+ 1) }
  }

  private mutating func append(zeros: Int) {
    guard count > 0, zeros > 0 else { return }
    count &+= zeros
    var k = zeros
    while k > 0, count <= 20 {
      mantissa = mantissa &* 10
      k &-= 1
    }
  }

  /// Whether the bytes have the form `-?digits` or, if `fraction` is true, a JSON number, possibly with leading zeros.
  static func isWellFormed(_ bytes: UnsafeBufferPointer<UInt8>, fraction: Bool) -> Bool {
    var k = 0
    func digits() -> Bool {
      let start = k
      while k < bytes.count, bytes[k] &- 0x30 < 10 { k &+= 1 }
      return k > start
    }
    if k < bytes.count, bytes[k] == 0x2D { k = 1 }
    guard digits() else { return false }
    if fraction, k < bytes.count, bytes[k] == 0x2E {
      k &+= 1
      guard digits() else { return false }
    }
    if fraction, k < bytes.count, bytes[k] | 0x20 == 0x65 {
      k &+= 1
      if k < bytes.count, bytes[k] == 0x2B || bytes[k] == 0x2D { k &+= 1 }
      guard digits() else { return false }
    }
    return k == bytes.count
  }

  /// Parses `[±]digits`. The value is capped at about 2^40, which is more than the number of digits that fit in memory.
  private static func power(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var k = start
    var isNegative = false
    var value = 0
    if k < bytes.count, bytes[k] == 0x2D || bytes[k] == 0x2B {
      isNegative = bytes[k] == 0x2D
      k &+= 1
    }
    while k < bytes.count {
      if value < 1 << 40 { value = value &* 10 &+ Int(bytes[k] &- 0x30) }
      k &+= 1
    }
    return isNegative ? 0 &- value : value
  }

  /// Returns the number formed by the mantissa followed by `zeros` zeros; nil if the result is too large.
  func magnitude(_ bytes: UnsafeBufferPointer<UInt8>, zeros: Int) -> [UInt8]? {
    guard count > 0 else { return [] }
    guard zeros >= 0, zeros <= BigInteger.maxDigits, count + zeros <= BigInteger.maxDigits else { return nil }
    var digits: [UInt8] = []
    digits.reserveCapacity(count + zeros)
    for k in first...last where bytes[k] != 0x2E { digits.append(bytes[k]) }
    digits.append(contentsOf: repeatElement(0x30, count: zeros))
    return digits.withUnsafeBufferPointer { BigInteger.magnitude(ofDigits: $0) }
  }

  /// The absolute value, if it is an integer below 2^64; nil for any other number, and if the mantissa has more than 19
  /// digits.
  var wholeMagnitude: UInt64? {
    if count == 0 { return 0 }
    guard count <= 19, exponent >= 0, count + exponent <= 20 else { return nil }
    var value = mantissa
    for _ in 0..<exponent {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      value = product
    }
    return value
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// The double whose shortest decimal form equals the number, if there is one.
  var double: Double? {
    guard count <= 17 else { return nil }
    if count <= 15, exponent >= -22, exponent <= 22 {
      // Both factors are exact, so rounding once yields the nearest double. No two 15-digit decimals correspond to the
      // same double.
      let power = NumberText.powers[Int(exponent.magnitude)]
      let value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
      return isNegative ? -value : value
    }
    guard exponent > -400, exponent < 400, let value = Double("\(mantissa)e\(exponent)"), value.isFinite, value != 0
    else { return nil }
    var text = value.description
    let same = text.withUTF8 { bytes in
      let shortest = NumberText(bytes)
      return shortest.mantissa == mantissa && shortest.exponent == exponent
    }
    return same ? (isNegative ? -value : value) : nil
  }
}
