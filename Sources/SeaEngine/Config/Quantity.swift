package enum Quantity {
  /// Parses a number of bytes: `65536`, `64K`, `2M`, `1G`, `1T`. Units are powers of 1024 and case-insensitive.
  /// Fractions are invalid.
  package static func size(_ text: String) -> Int64? {
    scaled(text) { unit in
      switch unit | 0x20 {
      case 0x6B: 1 << 10
      case 0x6D: 1 << 20
      case 0x67: 1 << 30
      case 0x74: 1 << 40
      default: nil
      }
    }
  }

  /// Parses a number of seconds: `90`, `90s`, `5m`, `3h`, `2d`, `1w`.
  package static func duration(_ text: String) -> Int64? {
    scaled(text) { unit in
      switch unit {
      case 0x73: 1
      case 0x6D: 60
      case 0x68: 3600
      case 0x64: 86_400
      case 0x77: 604_800
      default: nil
      }
    }
  }

  private static func scaled(_ text: String, _ factor: (UInt8) -> Int64?) -> Int64? {
    var digits = Array(text.utf8)
    var times: Int64 = 1
    if let last = digits.last, last > 0x39 {
      guard let unit = factor(last) else { return nil }
      times = unit
      digits.removeLast()
    }
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: times)
    return overflow ? nil : product
  }
}
