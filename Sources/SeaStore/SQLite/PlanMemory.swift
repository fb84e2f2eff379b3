import CSQLite
import Synchronization

/// Bounds the memory that SQLite takes for the plan of a statement. Nobody is asked meanwhile whether it may go on, and a short text can
/// have a plan of any size: names that stand for two of the next each, and expressions likewise.
enum PlanMemory {
  /// Bytes of one plan.
  private static let most = 256 << 20
  private static let unbounded = Int.max
  /// How many bytes may still be allocated. What is freed meanwhile does not count: it has taken its time.
  private static let left = Atomic(unbounded)
  nonisolated(unsafe) private static var system = sqlite3_mem_methods()

  /// Before the first connection.
  static func install() {
    sea_sqlite_get_memory(&system)
    var methods = system
    methods.xMalloc = { size in PlanMemory.grants(Int(size)) ? PlanMemory.system.xMalloc(size) : nil }
    methods.xRealloc = { old, size in PlanMemory.grants(Int(size)) ? PlanMemory.system.xRealloc(old, size) : nil }
    sea_sqlite_set_memory(&methods)
  }

  private static func grants(_ size: Int) -> Bool {
    if left.load(ordering: .relaxed) == unbounded { return true }
    return left.subtract(size, ordering: .relaxed).newValue >= 0
  }

  /// Makes a plan. Of several threads that do so at once one may get less.
  /// - Returns: what SQLite says; `SQLITE_NOMEM` if it is too large.
  static func bounded(_ body: () -> Int32) -> Int32 {
    left.store(most, ordering: .relaxed)
    defer { left.store(unbounded, ordering: .relaxed) }
    return body()
  }
}
