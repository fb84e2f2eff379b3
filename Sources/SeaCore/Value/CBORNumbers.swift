extension ByteWriter {
  /// Writes −`magnitude` or +`magnitude` without a bignum. Minus zero is written as zero.
  @inline(__always) mutating func cborInteger(isNegative: Bool, _ magnitude: UInt64) {
    if isNegative, magnitude > 0 { cborHead(1, magnitude &- 1) } else { cborHead(0, magnitude) }
  }

  /// Writes an integer of any size. The caller must check that the size does not exceed `BigInteger.maxBytes`.
  mutating func cborInteger(_ value: BigInteger) {
    let stored = value.isNegative ? BigInteger.decremented(value.magnitude) : value.magnitude
    if stored.count <= 8 {
      cborHead(value.isNegative ? 1 : 0, stored.reduce(0) { $0 << 8 | UInt64($1) })
    } else {
      byte(value.isNegative ? 0xC3 : 0xC2)
      stored.withUnsafeBytes { cborData($0) }
    }
  }

  mutating func cborDecimal(_ value: Decimal) {
    byte(0xC4)
    byte(0x82)
    cborInt(Int64(value.exponent))
    cborInteger(value.mantissa)
  }

  /// Writes a finite number that is not an integer, using the shortest float that represents it exactly.
  mutating func cborFloat(_ value: Double) {
    let single = Float(value)
    guard Double(single) == value else {
      byte(0xFB)
      bigEndian(value.bitPattern, bytes: 8)
      return
    }
    if let half = HalfFloat.bits(single) {
      byte(0xF9)
      bigEndian(UInt64(half), bytes: 2)
    } else {
      byte(0xFA)
      bigEndian(UInt64(single.bitPattern), bytes: 4)
    }
  }

  /// Writes a finite double, as an integer if it is integral and needs no bignum.
  package mutating func cborNumber(_ value: Double) {
    if value == value.rounded(.towardZero), value.magnitude <= 0x1p64, value != 0x1p64 {
      if value == -0x1p64 { cborHead(1, .max) } else { cborInteger(isNegative: value < 0, UInt64(value.magnitude)) }
    } else {
      cborFloat(value)
    }
  }

  /// Writes the seconds, rounded down, and the remaining milliseconds. Both are integers, because some languages cannot
  /// represent every millisecond as a float.
  mutating func cborDate(_ milliseconds: Int64) {
    var (seconds, left) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    if left < 0 { (seconds, left) = (seconds - 1, left + 1000) }
    guard left > 0 else {
      byte(0xC1)
      return cborInt(seconds)
    }
    cborHead(6, CanonicalNumber.extendedTime)
    byte(0xA2)
    byte(0x01)
    cborInt(seconds)
    byte(CanonicalNumber.millisecondsKey)
    cborInt(left)
  }

  mutating func cborDay(_ day: Int) {
    cborHead(6, CanonicalNumber.calendarDay)
    cborHead(3, 10)
    CalendarDay.write(day, into: &self)
  }
}

/// Converts IEEE 754 half-precision numbers without the platforms' own conversions, which need different libraries.
enum HalfFloat {
  /// Returns the half-precision number that equals `value` exactly, if there is one.
  static func bits(_ value: Float) -> UInt16? {
    let bits = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 16 & 0x8000)
    let exponent = Int(bits >> 23 & 255) - 127
    let fraction = bits & 0x7F_FFFF
    if exponent == -127 { return fraction == 0 ? sign : nil }
    if exponent >= -14, exponent <= 15 {
      guard fraction & 0x1FFF == 0 else { return nil }
      return sign | UInt16(exponent + 15) << 10 | UInt16(fraction >> 13)
    }
    guard exponent >= -24, exponent < -14 else { return nil }
    let whole = fraction | 0x80_0000
    let shift = UInt32(13 + (-14 - exponent))
    guard whole & (1 << shift - 1) == 0 else { return nil }
    return sign | UInt16(whole >> shift)
  }

  static func value(_ bits: UInt16) -> Double {
    let sign: Double = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 31)
    let fraction = Double(bits & 0x3FF)
    switch exponent {
    case 0: return sign * fraction * 0x1p-24
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default: return sign * Double(sign: .plus, exponent: exponent - 25, significand: fraction + 1024)
    }
  }
}

enum CanonicalNumber {
  /// Returns the float that a head of major type 7 encodes; nil if the head does not encode a float.
  static func float(_ info: UInt8, _ bits: UInt64) -> Double? {
    switch info {
    case 25: HalfFloat.value(UInt16(truncatingIfNeeded: bits))
    case 26: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 27: Double(bitPattern: bits)
    default: nil
    }
  }

  /// Whether a float of the given width is the shortest one that represents the value exactly.
  static func isShortest(_ value: Double, width: Int) -> Bool {
    if width == 2 { return true }
    let single = Float(value)
    guard Double(single) == value else { return width == 8 }
    return width == 4 && HalfFloat.bits(single) == nil
  }

  /// Whether the number must be encoded as a float, because it is finite but not an integer that can be encoded without
  /// a bignum.
  static func mayBeFloat(_ value: Double) -> Bool {
    guard value.isFinite else { return false }
    if value.magnitude > 0x1p64 || value == 0x1p64 { return true }
    return value != value.rounded(.towardZero)
  }

  /// The tag of a date with milliseconds (RFC 9581). The milliseconds have the key −3.
  static let extendedTime: UInt64 = 1001
  static let millisecondsKey: UInt8 = 0x22
  /// The tag of a day as text (RFC 8943).
  static let calendarDay: UInt64 = 1004

  static func date(_ seconds: Int64, _ milliseconds: Int64) -> Int64? {
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return nil }
    let (value, overflows) = whole.addingReportingOverflow(milliseconds)
    return !overflows && Instant.range.contains(value) ? value : nil
  }
}
