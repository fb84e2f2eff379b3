/// An integer of up to 1024 bytes. The size is limited because converting from and to digits takes quadratic time.
package struct BigInteger: Hashable, Sendable {
  package static let maxBytes = 1024
  /// The number of decimal digits of 2^8192.
  package static let maxDigits = 2467

  package let isNegative: Bool
  /// The absolute value in big-endian order without leading zero bytes; empty for 0.
  package let magnitude: [UInt8]

  package init(isNegative: Bool, magnitude: [UInt8]) {
    let digits = Array(magnitude.drop { $0 == 0 })
    self.magnitude = digits
    self.isNegative = isNegative && !digits.isEmpty
  }

  package init(isNegative: Bool, _ value: UInt64) {
    self.init(isNegative: isNegative, magnitude: withUnsafeBytes(of: value.bigEndian) { Array($0) })
  }

  package init(_ value: Int64) { self.init(isNegative: value < 0, value.magnitude) }

  package init(_ value: Int128) {
    self.init(isNegative: value < 0, magnitude: withUnsafeBytes(of: value.magnitude.bigEndian) { Array($0) })
  }

  package var int64: Int64? {
    guard magnitude.count <= 8 else { return nil }
    let value = magnitude.reduce(0) { $0 << 8 | UInt64($1) }
    if !isNegative { return Int64(exactly: value) }
    return value <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- value) : nil
  }

  package var int128: Int128? {
    guard magnitude.count <= 16 else { return nil }
    let value = magnitude.reduce(0) { $0 << 8 | UInt128($1) }
    if !isNegative { return Int128(exactly: value) }
    return value <= 1 << 127 ? Int128(truncatingIfNeeded: 0 &- value) : nil
  }

  /// Returns the magnitude of a decimal number; nil if the number is too large. All bytes must be digits.
  static func magnitude(ofDigits digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var first = 0
    while first < digits.count, digits[first] == 0x30 { first &+= 1 }
    guard digits.count - first <= maxDigits else { return nil }
    var limbs: [UInt32] = []
    limbs.reserveCapacity(264)
    var k = first
    while k < digits.count {
      var chunk: UInt64 = 0
      var scale: UInt64 = 1
      let stop = min(k + 9, digits.count)
      while k < stop {
        chunk = chunk * 10 + UInt64(digits[k] &- 0x30)
        scale *= 10
        k += 1
      }
      var carry = chunk
      for j in 0..<limbs.count {
        let sum = UInt64(limbs[j]) * scale + carry
        limbs[j] = UInt32(truncatingIfNeeded: sum)
        carry = sum >> 32
      }
      if carry > 0 { limbs.append(UInt32(carry)) }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(limbs.count * 4)
    for limb in limbs.reversed() {
      for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: limb >> shift)) }
    }
    return Array(bytes.drop { $0 == 0 })
  }

  package var digits: [UInt8] { BigInteger.digits(ofMagnitude: magnitude) }

  static func digits(ofMagnitude magnitude: [UInt8]) -> [UInt8] {
    var limbs: [UInt32] = []
    var index = 0
    var limb: UInt32 = 0
    for byte in magnitude {
      limb = limb << 8 | UInt32(byte)
      index += 1
      if (magnitude.count - index) % 4 == 0 {
        limbs.append(limb)
        limb = 0
      }
    }
    var reversed: [UInt8] = []
    var top = 0
    while top < limbs.count, limbs[top] == 0 { top += 1 }
    while top < limbs.count {
      var rest: UInt64 = 0
      for j in top..<limbs.count {
        let value = rest << 32 | UInt64(limbs[j])
        limbs[j] = UInt32(truncatingIfNeeded: value / 1_000_000_000)
        rest = value % 1_000_000_000
      }
      while top < limbs.count, limbs[top] == 0 { top += 1 }
      for _ in 0..<9 {
        reversed.append(UInt8(truncatingIfNeeded: rest % 10) + 0x30)
        rest /= 10
      }
    }
    while reversed.last == 0x30 { reversed.removeLast() }
    return reversed.isEmpty ? [0x30] : reversed.reversed()
  }

  /// Subtracts 1 from a magnitude. The CBOR encoding of a negative number −m contains m − 1.
  static func decremented(_ magnitude: [UInt8]) -> [UInt8] {
    var bytes = magnitude
    for k in bytes.indices.reversed() {
      bytes[k] &-= 1
      if bytes[k] != 0xFF { break }
    }
    return Array(bytes.drop { $0 == 0 })
  }

  static func incremented(_ magnitude: [UInt8]) -> [UInt8] {
    var bytes = [0] + magnitude
    for k in bytes.indices.reversed() {
      bytes[k] &+= 1
      if bytes[k] != 0 { break }
    }
    return Array(bytes.drop { $0 == 0 })
  }
}

/// An exact decimal: mantissa × 10^exponent. 12.50 and 12.5 are different decimals.
package struct Decimal: Hashable, Sendable {
  package static let exponents = -10_000...10_000

  package let exponent: Int
  package let mantissa: BigInteger

  package init(exponent: Int, mantissa: BigInteger) {
    self.exponent = exponent
    self.mantissa = mantissa
  }
}
