/// Selects the bundles to keep: a number of the newest bundles, and the newest bundle of each recent day, week, month
/// and year that has bundles. The newest bundle of all is always kept.
package struct Retention: Equatable, Sendable {
  package var last = 0
  package var daily = 0
  package var weekly = 0
  package var monthly = 0
  package var yearly = 0

  package init() {}

  /// Whether the rules depend on the times of bundles and not only on their order.
  package var goesByTime: Bool { [daily, weekly, monthly, yearly].contains { $0 > 0 } }

  /// - Parameters:
  ///   - times: Unix times in seconds, newest first.
  ///   - offset: returns how many seconds local time is ahead of UTC at a Unix time. Days are local days.
  package func wanted(_ times: [Int64], offset: (Int64) -> Int) -> Set<Int> {
    var wanted = Set(times.indices.prefix(max(1, last)))
    let days = times.map { Self.floor($0 + Int64(offset($0)), 86400) }
    let months = days.map(Self.month)
    // January 1, 1970, was a Thursday, and weeks begin on Monday.
    let weeks = days.map { Self.floor($0 + 3, 7) }
    let spans = [
      (daily, days), (weekly, weeks), (monthly, months), (yearly, months.map { Self.floor($0, 12) }),
    ]
    for (count, spans) in spans where count > 0 {
      var found: Set<Int64> = []
      for (at, span) in spans.enumerated() where found.count < count && found.insert(span).inserted {
        wanted.insert(at)
      }
    }
    return wanted
  }

  private static func floor(_ value: Int64, _ unit: Int64) -> Int64 {
    value / unit - (value % unit < 0 ? 1 : 0)
  }

  /// Returns the Gregorian month of a day. Months are numbered from year 0, and days from 1970.
  private static func month(_ day: Int64) -> Int64 {
    // In this calculation, years begin in March, so that a leap day is the last day of its year.
    let shifted = day + 719_468
    let era = floor(shifted, 146_097)
    let inEra = shifted - era * 146_097
    let year = (inEra - inEra / 1460 + inEra / 36524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * year + year / 4 - year / 100)
    return (era * 400 + year) * 12 + (5 * inYear + 2) / 153 + 2
  }
}
