import CSQLite
import SeaSystem

/// Looks now and then whether a query takes too much: of time what it was given, of memory a gibibyte.
struct QueryWatch {
  private var deadline: (at: Int64, seconds: Int)?
  private static let mostMemory = 1 << 30
  /// To count the memory tidies it up, which costs as much as some thousand rows.
  private var untilCounted = 0

  mutating func start(seconds: Int?) {
    deadline = seconds.map { (Clock.monotonic() + Int64($0) * 1_000_000_000, $0) }
  }

  mutating func limit() -> QueryFault.Limit? {
    if let deadline, Clock.monotonic() > deadline.at { return .seconds(deadline.seconds) }
    untilCounted -= 1
    if untilCounted >= 0 { return nil }
    untilCounted = 3
    return Int(sea_allocated_bytes()) > QueryWatch.mostMemory ? .memory : nil
  }
}
