import SeaSystem

/// Checks whether a query exceeds its time limit or a memory limit of 1 GiB. Each instance is used by only one thread.
struct QueryWatch {
  private var deadline: (at: Int64, seconds: Int)?
  private static let mostMemory: Int64 = 1 << 30
  private var heldBefore = QueryMemory.held

  mutating func start(seconds: Int?) {
    deadline = seconds.map { (Clock.monotonic() + Int64($0) * 1_000_000_000, $0) }
    heldBefore = QueryMemory.held
  }

  var memoryLimit: Int64 { heldBefore + QueryWatch.mostMemory }

  func limit() -> QueryFault.Limit? {
    if let deadline, Clock.monotonic() > deadline.at { return .seconds(deadline.seconds) }
    return QueryMemory.held - heldBefore > QueryWatch.mostMemory ? .memory : nil
  }
}
