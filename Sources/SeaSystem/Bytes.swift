import Glibc

// The standard library's own forms of these lose the type of what is thrown.

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

/// Whether two pieces of memory hold the same bytes. Not for secrets: the time tells where they differ.
package func sameBytes(_ x: UnsafeRawBufferPointer, _ y: UnsafeRawBufferPointer) -> Bool {
  guard x.count == y.count, let a = x.baseAddress, let b = y.baseAddress else { return x.count == y.count }
  return memcmp(a, b, x.count) == 0
}

/// Whether the word stands somewhere in the memory. Its first byte should be rare there: then this costs next to nothing.
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
