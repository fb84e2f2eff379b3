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
