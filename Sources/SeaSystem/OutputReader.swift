import Glibc

/// Reads a program's output while waiting for the program to end.
final class OutputReader {
  private static let piece = 1 << 16
  /// The maximum number of reads after the program has ended. The program leaves at most one full pipe buffer.
  private static let last = 16

  private let hear: (UnsafeRawBufferPointer) -> Void
  private var output: File?
  private(set) var input: File?

  init(_ name: String, _ hear: @escaping (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
    self.hear = hear
    (output, input) = try Launch.pipe(name)
  }

  func begin() { input = nil }

  var isOpen: Bool { output != nil }

  /// Waits for output, reads once, and passes the bytes on.
  /// - Returns: whether output arrived before the timeout.
  @discardableResult
  func listen(nanoseconds: Int64) -> Bool {
    guard let output else { return false }
    var waits = [pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0)]
    // If a signal ended the wait, the caller handles the signal.
    guard poll(&waits, 1, Int32((nanoseconds + 999_999) / 1_000_000)) > 0 else { return false }
    let count = withUnsafeTemporaryAllocation(byteCount: OutputReader.piece, alignment: 1) { buffer in
      let count = retried { Glibc.read(output.descriptor, buffer.baseAddress, buffer.count) }
      if count > 0 { hear(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      return count
    }
    if count <= 0 { self.output = nil }
    return count > 0
  }

  func end() {
    for _ in 0..<OutputReader.last { guard listen(nanoseconds: 0) else { break } }
    output = nil
  }
}
