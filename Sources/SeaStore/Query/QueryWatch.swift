import CSQLite
import SeaSystem

/// Looks now and then whether a query takes too much: of time what it was given, of memory a gibibyte.
struct QueryWatch {
  private var deadline: (at: Int64, seconds: Int)?
  private static let mostMemory = 1 << 30

  mutating func start(seconds: Int?) {
    deadline = seconds.map { (Clock.monotonic() + Int64($0) * 1_000_000_000, $0) }
  }

  func limit() -> QueryFault.Limit? {
    if let deadline, Clock.monotonic() > deadline.at { return .seconds(deadline.seconds) }
    return Int(sea_allocated_bytes()) > QueryWatch.mostMemory ? .memory : nil
  }
}
