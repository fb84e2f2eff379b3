import SeaCore
import SeaEngine
import Testing

/// The bundles that retention rules keep.
@Suite struct RetentionTests {
  /// Noon UTC of a day in the Gregorian calendar.
  private func noon(_ text: String) throws -> Int64 {
    guard case .date(let time) = try Value.json("{\"$date\":\"\(text)T12:00:00Z\"}") else { return 0 }
    return time / 1000
  }

  private func wanted(_ days: [String], _ change: (inout Retention) -> Void) throws -> [String] {
    var retention = Retention()
    change(&retention)
    return try retention.wanted(days.map(noon)) { _ in 0 }.sorted().map { days[$0] }
  }

  @Test func newestBundleIsAlwaysKept() throws {
    #expect(try wanted(["2026-01-02", "2026-01-01"]) { _ in } == ["2026-01-02"])
    #expect(try wanted([]) { $0.last = 3 } == [])
    #expect(try wanted(["2026-01-02", "2026-01-01"]) { $0.last = 3 } == ["2026-01-02", "2026-01-01"])
  }

  @Test func newestBundleOfDayIsKept() throws {
    let times: [Int64] = [10 * 86400 + 7, 10 * 86400, 10 * 86400 - 1, 8 * 86400 + 5, 8 * 86400 + 4, 3]
    var retention = Retention()
    retention.daily = 3
    #expect(retention.wanted(times) { _ in 0 } == [0, 2, 3])
    // In a time zone one hour ahead, it is already the next day.
    #expect(retention.wanted(times) { _ in 3600 } == [0, 3, 5])
  }

  @Test func daysWithoutABundleDoNotCount() throws {
    let days = ["2026-03-09", "2026-03-01", "2026-01-31", "2025-12-31"]
    #expect(try wanted(days) { $0.daily = 3 } == ["2026-03-09", "2026-03-01", "2026-01-31"])
  }

  @Test func weeksBeginOnMonday() throws {
    // 2026-11-23 is a Monday.
    let days = ["2026-11-24", "2026-11-23", "2026-11-22", "2026-11-16", "2026-11-15"]
    #expect(try wanted(days) { $0.weekly = 3 } == ["2026-11-24", "2026-11-22", "2026-11-15"])
  }

  @Test func monthsAndYearsFollowCalendar() throws {
    let days = ["2024-03-01", "2024-02-29", "2024-02-01", "2024-01-31", "2023-12-31", "2023-01-01", "1999-12-31"]
    #expect(try wanted(days) { $0.monthly = 4 } == ["2024-03-01", "2024-02-29", "2024-01-31", "2023-12-31"])
    #expect(try wanted(days) { $0.yearly = 3 } == ["2024-03-01", "2023-12-31", "1999-12-31"])
    // Also before 1970.
    #expect(try wanted(["1969-12-31", "1969-12-01", "1969-11-30"]) { $0.monthly = 2 } == ["1969-12-31", "1969-11-30"])
  }

  /// Any integer is a valid count.
  @Test func largestCountsAreValid() throws {
    let days = ["2026-05-05", "2026-05-04"]
    let wanted = try wanted(days) { (retention: inout Retention) in
      (retention.last, retention.daily, retention.weekly, retention.yearly) = (.max, .max, .max, .max)
      #expect(retention.goesByTime)
    }
    #expect(wanted == days)
  }

  @Test func bundleKeptByAnyRuleStays() throws {
    let days = ["2026-05-05", "2026-05-04", "2026-04-30", "2025-06-01"]
    let wanted = try wanted(days) { (retention: inout Retention) in
      (retention.last, retention.daily, retention.yearly) = (1, 2, 2)
    }
    #expect(wanted == ["2026-05-05", "2026-05-04", "2025-06-01"])
  }
}
