import Glibc

package enum Clock {
  /// Returns the number of milliseconds since 1970. Clocks may be wrong, so use the time only for display and never for
  /// decisions.
  package static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Returns the number of nanoseconds since a fixed point in time. The value never decreases.
  package static func monotonic() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns the processor time that this process has used, in nanoseconds.
  package static func processor() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Sleeps until the time is up or a signal arrives.
  package static func sleep(nanoseconds: Int64) {
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    nanosleep(&time, nil)
  }
}

package enum Random {
  /// Returns bytes from the system's cryptographic random number generator.
  package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var start = 0
    while start < count {
      let piece = min(256, count - start)
      let result = bytes.withUnsafeMutableBytes { getentropy($0.baseAddress! + start, piece) }
      guard result == 0 else { throw SystemError("getentropy", "") }
      start += piece
    }
    return bytes
  }
}
