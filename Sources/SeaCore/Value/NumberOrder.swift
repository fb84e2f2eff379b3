/// Compares numbers by their exact values, regardless of kind. For example, the double 1.5 equals the decimal 1.50.
extension Value {
  /// Returns a negative number if `a` is smaller, a positive number if `a` is greater, and 0 if they are equal; nil if
  /// `a` or `b` is not a number.
  package static func compareNumbers(_ a: Value, _ b: Value) -> Int? {
    if case .integer(let x) = a, case .integer(let y) = b { return x < y ? -1 : x > y ? 1 : 0 }
    guard let x = ExactNumber(a.unlabeled), let y = ExactNumber(b.unlabeled) else { return nil }
    return x.compared(to: y)
  }
}

private struct ExactNumber {
  /// The sign: -1, 0 or 1.
  var sign = 0
  /// The ASCII digits of 0.DIGITS × 10^point, without leading and trailing zeros; empty for 0.
  var digits: [UInt8] = []
  var point = 0

  init?(_ value: Value) {
    switch value {
    case .integer(let value): self.init(BigInteger(value), exponent: 0)
    case .bigInteger(let value): self.init(value, exponent: 0)
    case .decimal(let value): self.init(value.mantissa, exponent: value.exponent)
    case .double(let value): self.init(value)
    default: return nil
    }
  }

  private init(_ mantissa: BigInteger, exponent: Int) {
    guard !mantissa.magnitude.isEmpty else { return }
    sign = mantissa.isNegative ? -1 : 1
    digits = mantissa.digits
    point = digits.count + exponent
    while digits.last == 0x30 { digits.removeLast() }
  }

  /// A finite double equals m × 2^e. For e < 0, that is m × 5^-e × 10^e.
  private init(_ value: Double) {
    let isNormal = value.exponentBitPattern > 0
    var mantissa = value.significandBitPattern | (isNormal ? 1 << 52 : 0)
    var exponent = (isNormal ? Int(value.exponentBitPattern) : 1) - 1075
    let zeros = mantissa == 0 ? 0 : mantissa.trailingZeroBitCount
    mantissa >>= UInt64(zeros)
    exponent += zeros
    var limbs = [UInt32(truncatingIfNeeded: mantissa), UInt32(truncatingIfNeeded: mantissa >> 32)]
    let (factor, most): (UInt64, Int) = exponent < 0 ? (5, 13) : (2, 31)
    var left = abs(exponent)
    while left > 0 {
      let step = min(left, most)
      ExactNumber.multiply(&limbs, by: (0..<step).reduce(1) { product, _ in product * factor })
      left -= step
    }
    let bytes = limbs.reversed().flatMap { limb in withUnsafeBytes(of: limb.bigEndian) { Array($0) } }
    self.init(BigInteger(isNegative: value < 0, magnitude: bytes), exponent: min(exponent, 0))
  }

  private static func multiply(_ limbs: inout [UInt32], by factor: UInt64) {
    var carry: UInt64 = 0
    for k in limbs.indices {
      let sum = UInt64(limbs[k]) * factor + carry
      limbs[k] = UInt32(truncatingIfNeeded: sum)
      carry = sum >> 32
    }
    if carry > 0 { limbs.append(UInt32(carry)) }
  }

  func compared(to other: ExactNumber) -> Int {
    if sign != other.sign { return sign < other.sign ? -1 : 1 }
    if sign == 0 { return 0 }
    if point != other.point { return (point < other.point) == (sign > 0) ? -1 : 1 }
    if digits == other.digits { return 0 }
    return digits.lexicographicallyPrecedes(other.digits) == (sign > 0) ? -1 : 1
  }
}
