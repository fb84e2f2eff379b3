/// Formats sizes for display: `812 B`, `4.7 KiB`, `80.0 MiB`. Units are powers of 1024.
package enum SizeText {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]

  package static func of(_ bytes: Int64) -> String {
    let unit = unit(for: bytes)
    return "\(number(bytes, unit)) \(units[unit])"
  }

  /// Returns text such as `12.4 of 80.0 MiB`.
  package static func of(_ done: Int64, outOf total: Int64) -> String {
    let unit = unit(for: max(done, total))
    return "\(number(done, unit)) of \(number(total, unit)) \(units[unit])"
  }

  private static func unit(for bytes: Int64) -> Int {
    var unit = 0
    while unit + 1 < units.count, bytes >> (10 * Int64(unit + 1)) > 0 { unit += 1 }
    return unit
  }

  /// Returns the number with one decimal, rounded down so that an incomplete amount never looks complete.
  private static func number(_ bytes: Int64, _ unit: Int) -> String {
    guard unit > 0 else { return String(bytes) }
    let shift = 10 * Int64(unit)
    let part = (bytes >> (shift - 10)) & 1023
    return "\(bytes >> shift).\((part * 10) >> 10)"
  }
}
