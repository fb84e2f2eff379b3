import CSQLite

import func Glibc.free
import func Glibc.realloc

/// Counts and limits the memory that SQLite allocates in each thread. A query does not reduce the memory available to
/// other queries, and other memory that the program uses does not count.
enum QueryMemory {
  /// The maximum number of bytes allocated for a query plan.
  private static let mostOfAPlan: Int64 = 256 << 20

  /// Installs the counting allocator before the first connection. If the program has already used SQLite, no limit
  /// applies.
  static func install() {
    var methods = sqlite3_mem_methods()
    sea_sqlite_get_memory(&methods)
    methods.xMalloc = { QueryMemory.allocate($0) }
    methods.xRealloc = { QueryMemory.allocate($1, inPlaceOf: $0) }
    methods.xFree = { QueryMemory.free($0) }
    // The system knows the size of each piece, so that no piece needs a header.
    methods.xSize = { Int32(clamping: sea_sqlite_piece_size($0)) }
    sea_sqlite_set_memory(&methods)
  }

  /// The number of bytes that SQLite has allocated in this thread minus those that it has freed. Only the difference
  /// between two readings is meaningful, because memory can be freed by another thread.
  static var held: Int64 { here.pointee.held }

  /// Prepares a plan under a memory limit, because preparation cannot be interrupted and a short statement can have a
  /// huge plan. Freed memory still counts, because allocating it took time.
  /// - Returns: the SQLite result code; `SQLITE_NOMEM` if the plan is too large.
  static func boundedPlan(_ body: () -> Int32) -> Int32 {
    let here = here
    here.pointee.left = mostOfAPlan
    defer { here.pointee.left = .max }
    return body()
  }

  /// Runs a step during which this thread can hold at most `most` bytes.
  /// - Returns: the SQLite result code, and whether an allocation was refused.
  static func bounded(most: Int64, _ body: () -> Int32) -> (code: Int32, isRefused: Bool) {
    let here = here
    here.pointee.most = most
    here.pointee.refused = 0
    defer { here.pointee.most = .max }
    return (body(), here.pointee.refused != 0)
  }

  /// The counters of this thread. Only this function reads the counters, because each object file would otherwise have
  /// its own copy.
  @inline(never) private static var here: UnsafeMutablePointer<sea_sqlite_bytes> { sea_sqlite_bytes() }

  private static func allocate(_ size: Int32, inPlaceOf old: UnsafeMutableRawPointer? = nil) -> UnsafeMutableRawPointer?
  {
    let here = here
    if here.pointee.left != .max {
      here.pointee.left -= Int64(size)
      if here.pointee.left < 0 { return nil }
    }
    let before = sea_sqlite_piece_size(old)
    if here.pointee.held - before + Int64(size) > here.pointee.most {
      here.pointee.refused = 1
      return nil
    }
    guard let made = realloc(old, Int(size)) else { return nil }
    here.pointee.held += sea_sqlite_piece_size(made) - before
    return made
  }

  private static func free(_ old: UnsafeMutableRawPointer?) {
    guard let old else { return }
    here.pointee.held -= sea_sqlite_piece_size(old)
    Glibc.free(old)
  }
}
