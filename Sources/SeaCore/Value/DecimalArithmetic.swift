/// Exact arithmetic. A result is nil if it has more digits than a number is allowed to have.
extension Decimal {
  package func adding(_ other: Decimal) -> Decimal? {
    var sum = DecimalSum()
    sum.add(self)
    sum.add(other)
    return sum.value
  }

  package var negated: Decimal {
    Decimal(
      exponent: exponent, mantissa: BigInteger(isNegative: !mantissa.isNegative, magnitude: mantissa.magnitude))
  }

  /// Returns the product, with as many decimal places as both factors have together.
  package func multiplied(by other: Decimal) -> Decimal? {
    let exponent = exponent + other.exponent
    guard Decimal.exponents.contains(exponent) else { return nil }
    if let a = mantissa.int64, let b = other.mantissa.int64 {
      return Decimal(exponent: exponent, mantissa: BigInteger(Int128(a) * Int128(b)))
    }
    let product = Decimal.product(mantissa.magnitude, other.mantissa.magnitude)
    let mantissa = BigInteger(isNegative: mantissa.isNegative != other.mantissa.isNegative, magnitude: product)
    guard mantissa.magnitude.count <= BigInteger.maxBytes else { return nil }
    return Decimal(exponent: exponent, mantissa: mantissa)
  }

  /// Rounds to the given number of decimal places, with halves rounded away from zero.
  package func rounded(places: Int) -> Decimal? {
    guard Decimal.exponents.contains(-places) else { return nil }
    var digits = mantissa.digits
    let extra = -exponent - places
    if extra <= 0 {
      // Zero is zero regardless of its number of digits.
      guard digits.count - extra <= BigInteger.maxDigits + 1 else { return nil }
      digits += Array(repeating: 0x30, count: -extra)
    } else if extra > digits.count {
      digits = [0x30]
    } else {
      let isUp = digits[digits.count - extra] >= 0x35
      digits.removeLast(extra)
      if isUp { Decimal.increment(&digits) }
    }
    guard let magnitude = digits.withUnsafeBufferPointer({ BigInteger.magnitude(ofDigits: $0) }),
      magnitude.count <= BigInteger.maxBytes
    else { return nil }
    return Decimal(
      exponent: -places, mantissa: BigInteger(isNegative: mantissa.isNegative, magnitude: magnitude))
  }

  private static func increment(_ digits: inout [UInt8]) {
    var k = digits.count - 1
    while k >= 0, digits[k] == 0x39 {
      digits[k] = 0x30
      k -= 1
    }
    if k < 0 { digits.insert(0x31, at: 0) } else { digits[k] += 1 }
  }

  private static func product(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    let (a, b) = (limbs(a), limbs(b))
    var product = [UInt32](repeating: 0, count: a.count + b.count)
    for (j, x) in a.enumerated() {
      var carry: UInt64 = 0
      for (k, y) in b.enumerated() {
        let sum = UInt64(x) * UInt64(y) + UInt64(product[j + k]) + carry
        product[j + k] = UInt32(truncatingIfNeeded: sum)
        carry = sum >> 32
      }
      product[j + b.count] = UInt32(carry)
    }
    return product.reversed().flatMap { limb in (0..<4).map { UInt8(truncatingIfNeeded: limb >> (24 - 8 * $0)) } }
  }

  private static func limbs(_ bytes: [UInt8]) -> [UInt32] {
    var limbs: [UInt32] = []
    var end = bytes.count
    while end > 0 {
      limbs.append(bytes[max(0, end - 4)..<end].reduce(0) { $0 << 8 | UInt32($1) })
      end -= 4
    }
    return limbs
  }
}
