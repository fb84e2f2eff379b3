/// The exact sum of decimals, with as many decimal places as the summand with the most places.
///
/// Keeping a separate sum for each exponent makes the cost of an addition independent of the exponents.
package struct DecimalSum {
  private struct Part {
    var small: Int128 = 0
    /// The digits of large numbers, least significant first.
    var large: [UInt8] = []
    var negative: [UInt8] = []
  }

  private var parts: [Int: Part] = [:]
  package private(set) var isEmpty = true

  package init() {}

  package mutating func add(_ decimal: Decimal) {
    isEmpty = false
    var part = parts[decimal.exponent] ?? Part()
    // The sum of 2^63 such numbers fits in 128 bits.
    if let number = decimal.mantissa.int64 {
      part.small += Int128(number)
    } else if decimal.mantissa.isNegative {
      DecimalSum.add(decimal.mantissa.digits.reversed().map { $0 - 0x30 }, at: 0, to: &part.negative)
    } else {
      DecimalSum.add(decimal.mantissa.digits.reversed().map { $0 - 0x30 }, at: 0, to: &part.large)
    }
    parts[decimal.exponent] = part
  }

  /// The sum; nil if it has more digits than a number is allowed to have.
  package var value: Decimal? {
    guard let least = parts.keys.min() else { return nil }
    var (sum, negative): ([UInt8], [UInt8]) = ([], [])
    for (exponent, part) in parts {
      let small = String(part.small.magnitude).utf8.reversed().map { $0 - 0x30 }
      if part.small < 0 {
        DecimalSum.add(small, at: exponent - least, to: &negative)
      } else {
        DecimalSum.add(small, at: exponent - least, to: &sum)
      }
      DecimalSum.add(part.large, at: exponent - least, to: &sum)
      DecimalSum.add(part.negative, at: exponent - least, to: &negative)
    }
    let isNegative = DecimalSum.isLess(sum, negative)
    let difference = isNegative ? DecimalSum.subtract(sum, from: negative) : DecimalSum.subtract(negative, from: sum)
    let digits = difference.reversed().map { $0 + 0x30 }
    guard let magnitude = digits.withUnsafeBufferPointer({ BigInteger.magnitude(ofDigits: $0) }),
      magnitude.count <= BigInteger.maxBytes
    else { return nil }
    return Decimal(exponent: least, mantissa: BigInteger(isNegative: isNegative, magnitude: magnitude))
  }

  private static func add(_ digits: [UInt8], at place: Int, to sum: inout [UInt8]) {
    guard !digits.isEmpty else { return }
    while sum.count < place + digits.count { sum.append(0) }
    var carry: UInt8 = 0
    var k = 0
    while k < digits.count || carry > 0 {
      if place + k == sum.count { sum.append(0) }
      let one = sum[place + k] + carry + (k < digits.count ? digits[k] : 0)
      sum[place + k] = one % 10
      carry = one / 10
      k += 1
    }
  }

  private static func isLess(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    let (a, b) = (trimmed(a), trimmed(b))
    return a.count != b.count ? a.count < b.count : a.reversed().lexicographicallyPrecedes(b.reversed())
  }

  private static func trimmed(_ digits: [UInt8]) -> [UInt8] {
    Array(digits[..<((digits.lastIndex { $0 != 0 } ?? -1) + 1)])
  }

  private static func subtract(_ less: [UInt8], from more: [UInt8]) -> [UInt8] {
    var difference = more
    var borrow: UInt8 = 0
    for k in difference.indices {
      let taken = (k < less.count ? less[k] : 0) + borrow
      borrow = difference[k] < taken ? 1 : 0
      difference[k] = difference[k] + 10 * borrow - taken
    }
    return trimmed(difference)
  }
}
