import CSQLite

/// Counts and bounds the memory that SQLite takes, for each thread by itself: what one query takes keeps no other from its memory, and
/// what else the program has is not counted.
enum QueryMemory {
  /// Bytes of one plan.
  private static let mostOfAPlan: Int64 = 256 << 20
  nonisolated(unsafe) private static var system = sqlite3_mem_methods()

  /// Before the first connection. Where the program uses SQLite already, it stays as it is: nothing is bounded then.
  static func install() {
    sea_sqlite_get_memory(&system)
    var methods = system
    methods.xMalloc = { QueryMemory.allocate($0) }
    methods.xRealloc = { QueryMemory.allocate($1, inPlaceOf: $0) }
    methods.xFree = { QueryMemory.free($0) }
    sea_sqlite_set_memory(&methods)
  }

  /// Bytes that this thread has got from SQLite and not given back. Only the difference between two moments says something: another thread
  /// may give back what this one has got.
  static var held: Int64 { here.pointee.held }

  /// Makes a plan. Nobody is asked meanwhile whether it may go on, and a short text can have a plan of any size: names that stand for two
  /// of the next each, and expressions likewise. What is given back meanwhile counts all the same: it has taken its time.
  /// - Returns: what SQLite says; `SQLITE_NOMEM` if it is too large.
  static func boundedPlan(_ body: () -> Int32) -> Int32 {
    let here = here
    here.pointee.left = mostOfAPlan
    defer { here.pointee.left = .max }
    return body()
  }

  /// Makes a step, in which this thread holds no more than so many bytes: one step can make any number of large values.
  /// - Returns: what SQLite says, and whether it was refused some.
  static func bounded(most: Int64, _ body: () -> Int32) -> (code: Int32, isRefused: Bool) {
    let here = here
    here.pointee.most = most
    here.pointee.refused = 0
    defer { here.pointee.most = .max }
    return (body(), here.pointee.refused != 0)
  }

  /// One for each thread, if it is asked for here alone.
  @inline(never) private static var here: UnsafeMutablePointer<sea_sqlite_bytes> { sea_sqlite_bytes() }

  private static func allocate(_ size: Int32, inPlaceOf old: UnsafeMutableRawPointer? = nil) -> UnsafeMutableRawPointer?
  {
    let here = here
    if here.pointee.left != .max {
      here.pointee.left -= Int64(size)
      if here.pointee.left < 0 { return nil }
    }
    let before = old.map { Int64(system.xSize($0)) } ?? 0
    if here.pointee.held - before + Int64(size) > here.pointee.most {
      here.pointee.refused = 1
      return nil
    }
    guard let made = old == nil ? system.xMalloc(size) : system.xRealloc(old, size) else { return nil }
    here.pointee.held += Int64(system.xSize(made)) - before
    return made
  }

  private static func free(_ old: UnsafeMutableRawPointer?) {
    guard let old else { return }
    here.pointee.held -= Int64(system.xSize(old))
    system.xFree(old)
  }
}
