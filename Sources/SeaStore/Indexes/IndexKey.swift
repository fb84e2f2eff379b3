import SeaCore

/// The keys of a value index. As bytes, the keys sort in the order in which SQL compares values: numbers before strings
/// before binary data.
///
/// A lookup is allowed to find too many records, because SQLite then checks the condition itself, but never too few.
/// Numbers have the precision of a double, and only the beginning of a long string is used. A string that looks like a
/// number also gets the key of that number, because SQL sometimes compares such a string as a number.
///
/// For each property, a key contains a class byte and the value. For a missing value, there are no further bytes. A
/// number is stored as the 64 bits of a double in big-endian order, inverted if the number is negative, otherwise with
/// the sign bit set. For strings and binary data, the first 128 bytes are stored, with 00 written as 00 FF, followed by
/// 00 00.
enum IndexKey {
  enum Class: UInt8 {
    case missing = 0x01
    case number = 0x10
    case numberText = 0x18
    case text = 0x20
    case data = 0x30
  }

  private static let longest = 128

  static func keys(_ value: Value) -> [[UInt8]] {
    switch value {
    case .null: []
    case .bool(let flag): [number(flag ? 1 : 0)]
    case .integer(let number): [Self.number(Double(number))]
    case .double(let number): [Self.number(number)]
    case .counter(let counter): [number(Double(counter.value))]
    case .bigInteger, .decimal: [number(Double(String(decoding: PlainJSON.bytes(value), as: UTF8.self)) ?? 0)]
    case .data(let bytes): [data(bytes)]
    case .string(let text), .reference(let text, _): texts(text)
    case .date(let time): texts(PlainJSON.sortable(time))
    case .day(let day): texts(CalendarDay.text(day))
    case .labeled(let inner, _): keys(inner)
    default: [bytes(.text, PlainJSON.bytes(value))]
    }
  }

  static func number(_ number: Double, _ kind: Class = .number) -> [UInt8] {
    // Positive and negative zero must have the same key.
    let bits = (number == 0 ? 0 : number).bitPattern
    let ordered = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    return [kind.rawValue] + (0..<8).map { UInt8(truncatingIfNeeded: ordered >> (56 - 8 * UInt64($0))) }
  }

  static func text(_ text: some Sequence<UInt8>) -> [UInt8] { bytes(.text, text) }
  static func data(_ data: some Sequence<UInt8>) -> [UInt8] { bytes(.data, data) }

  private static func texts(_ text: String) -> [[UInt8]] {
    let number = numericValue(text.utf8).map { [Self.number($0, .numberText)] } ?? []
    return [Self.text(text.utf8)] + number
  }

  private static func bytes(_ kind: Class, _ bytes: some Sequence<UInt8>) -> [UInt8] {
    var key = [kind.rawValue]
    for byte in bytes.prefix(longest) {
      key.append(byte)
      if byte == 0 { key.append(0xFF) }
    }
    return key + [0, 0]
  }

  /// Returns the number that SQL reads a string as, ignoring leading and trailing blanks.
  static func numericValue(_ text: some Collection<UInt8>) -> Double? {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }
    let digits = text.drop(while: isBlank)
    guard let first = digits.first, first &- 0x2B < 15 else { return nil }
    let all = Array(digits)
    let end = all.lastIndex { !isBlank($0) } ?? 0
    return Double(String(decoding: all[...end], as: UTF8.self))
  }

  /// Returns a key that sorts after every key that begins with these bytes.
  static func end(_ prefix: [UInt8]) -> [UInt8] { prefix + [0xFF, 0xFF] }
}
