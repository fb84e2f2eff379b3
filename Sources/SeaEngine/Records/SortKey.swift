import SeaCore

/// The sort order of values: first by kind, then numbers by value and strings by `Collation`. Missing values come last.
/// Dates and days are one kind: a day comes just before the midnight in UTC with which it begins, as in SQL.
package struct SortKey: Comparable, Hashable, Sendable {
  private let rank: Int
  private let number: Double
  private let bytes: [UInt8]

  /// - Parameter isID: whether the value is the id of the record, which is sorted by its bytes.
  package init(_ encoding: [UInt8]?, isID: Bool = false) throws {
    let value = encoding.flatMap { bytes in try? bytes.withUnsafeBufferPointer { try Value.decode(value: $0) } }
    try self.init(of: value, isID: isID)
  }

  init(of value: Value?, isID: Bool = false) throws {
    guard let value else {
      (rank, number, bytes) = (SortKey.missing, 0, [])
      return
    }
    switch value.unlabeled {
    case .bool(let flag): (rank, number, bytes) = (1, flag ? 1 : 0, [])
    case .integer, .bigInteger, .double, .decimal, .counter:
      (rank, number, bytes) = (2, 0, SortKey.ordered(try value.unlabeled.plain()))
    case .date(let milliseconds): (rank, number, bytes) = (3, Double(milliseconds), [1])
    case .day(let day): (rank, number, bytes) = (3, Double(CalendarDay.instant(day)), [])
    case .string(var text): (rank, number, bytes) = (4, 0, text.withUTF8 { isID ? Array($0) : Collation.key($0) })
    case .reference(let id, _): (rank, number, bytes) = (5, 0, Array(id.utf8))
    default: (rank, number, bytes) = (6, 0, value.unlabeled.encoding)
    }
  }

  /// Returns bytes that sort like the numbers, exactly to the last digit: sign, power of ten, digits. For negative
  /// numbers, the power and the digits are inverted.
  static func ordered(_ text: String) -> [UInt8] {
    let text = Array(text.utf8)
    var digits: [UInt8] = []
    var power = 0
    var isFraction = false
    var k = text.first == UInt8(ascii: "-") ? 1 : 0
    while k < text.count, text[k] | 0x20 != UInt8(ascii: "e") {
      if text[k] == UInt8(ascii: ".") {
        isFraction = true
      } else {
        if !digits.isEmpty || text[k] != UInt8(ascii: "0") { digits.append(text[k]) }
        if !isFraction, !digits.isEmpty { power += 1 }
        if isFraction, digits.isEmpty { power -= 1 }
      }
      k += 1
    }
    guard !digits.isEmpty else { return [1] }
    if k < text.count { power += Int(String(decoding: text[(k + 1)...], as: UTF8.self)) ?? 0 }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let size = withUnsafeBytes(of: UInt32(power + 1 << 20).bigEndian) { Array($0) } + digits
    return text.first == UInt8(ascii: "-") ? [0] + size.map { ~$0 } + [0xFF] : [2] + size
  }

  /// Returns the same bytes for equal numbers of any kind; nil for a value that is not a number.
  package static func number(_ encoding: UnsafeBufferPointer<UInt8>) throws -> [UInt8]? {
    try number(Value.decode(value: encoding))
  }

  static func number(_ value: Value) throws -> [UInt8]? { try value.isNumber ? ordered(value.plain()) : nil }

  /// Writes bytes that are the same only for equal keys.
  func write(into writer: inout ByteWriter) {
    writer.byte(UInt8(rank))
    withUnsafeBytes(of: number.bitPattern.bigEndian) { for byte in $0 { writer.byte(byte) } }
    for byte in bytes { writer.byte(byte) }
  }

  func hasRank(of other: SortKey) -> Bool { rank == other.rank }

  package var isMissing: Bool { rank == SortKey.missing }
  private static let missing = 9

  package static func < (a: SortKey, b: SortKey) -> Bool {
    if a.rank != b.rank { return a.rank < b.rank }
    if a.number != b.number { return a.number < b.number }
    return a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}
