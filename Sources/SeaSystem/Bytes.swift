import Glibc

// The corresponding functions in the standard library lose the type of the error.

extension [UInt8] {
  package func withBytes<R>(
    _ body: (UnsafeRawBufferPointer) throws(SystemError) -> R
  ) throws(SystemError) -> R {
    try withUnsafeBytes { bytes in Result { () throws(SystemError) in try body(bytes) } }.get()
  }

  package mutating func withMutableBytes<R>(
    _ body: (UnsafeMutableRawBufferPointer) throws(SystemError) -> R
  ) throws(SystemError) -> R {
    try withUnsafeMutableBytes { bytes in Result { () throws(SystemError) in try body(bytes) } }.get()
  }
}

/// Returns whether two buffers contain the same bytes. Do not use this for secrets, because the run time depends on the
/// position of the first difference.
package func sameBytes(_ x: UnsafeRawBufferPointer, _ y: UnsafeRawBufferPointer) -> Bool {
  guard x.count == y.count, let a = x.baseAddress, let b = y.baseAddress else { return x.count == y.count }
  return memcmp(a, b, x.count) == 0
}

/// Returns whether the bytes contain the word. The search is fast if the first byte of the word is rare.
package func contains(_ word: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
  let count = word.utf8CodeUnitCount
  guard var next = bytes.baseAddress, count > 0 else { return count == 0 }
  let end = next + bytes.count
  while next.distance(to: end) >= count {
    let room = next.distance(to: end) - count + 1
    guard let found = memchr(next, Int32(word.utf8Start.pointee), room) else { return false }
    if memcmp(found, word.utf8Start, count) == 0 { return true }
    next = UnsafeRawPointer(found) + 1
  }
  return false
}
