import SeaSystem

/// Looks now and then whether a query takes too much: of time what it was given, of memory a gibibyte. It belongs to one thread.
struct QueryWatch {
  private var deadline: (at: Int64, seconds: Int)?
  private static let mostMemory: Int64 = 1 << 30
  private var heldBefore = QueryMemory.held

  mutating func start(seconds: Int?) {
    deadline = seconds.map { (Clock.monotonic() + Int64($0) * 1_000_000_000, $0) }
    heldBefore = QueryMemory.held
  }

  /// What the thread may hold at most.
  var mostHeld: Int64 { heldBefore + QueryWatch.mostMemory }

  func limit() -> QueryFault.Limit? {
    if let deadline, Clock.monotonic() > deadline.at { return .seconds(deadline.seconds) }
    return QueryMemory.held - heldBefore > QueryWatch.mostMemory ? .memory : nil
  }
}
