/// Sizes and durations as people write them.
package enum Quantity {
  /// Bytes: `65536`, `64K`, `2M`, `1G`, `1T` in either case; the units are powers of 1024, fractions are not read.
  package static func size(_ text: String) -> Int64? {
    let units: [UInt8: Int64] = [0x6B: 1 << 10, 0x6D: 1 << 20, 0x67: 1 << 30, 0x74: 1 << 40]
    return scaled(text, units: units, foldCase: true)
  }

  /// Seconds: `90`, `90s`, `5m`, `3h`, `2d`, `1w`.
  package static func duration(_ text: String) -> Int64? {
    let units: [UInt8: Int64] = [0x73: 1, 0x6D: 60, 0x68: 3600, 0x64: 86_400, 0x77: 604_800]
    return scaled(text, units: units, foldCase: false)
  }

  private static func scaled(_ text: String, units: [UInt8: Int64], foldCase: Bool) -> Int64? {
    var digits = Array(text.utf8)
    var factor: Int64 = 1
    if let last = digits.last, last > 0x39 {
      guard let unit = units[foldCase ? last | 0x20 : last] else { return nil }
      factor = unit
      digits.removeLast()
    }
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
  }
}
