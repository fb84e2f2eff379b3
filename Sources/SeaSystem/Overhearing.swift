import Glibc

/// What a program writes while this process waits for its end.
final class Overhearing {
  private static let piece = 1 << 16
  /// So many pieces are read after the program's end: what it wrote itself is at most what a pipe holds.
  private static let last = 16

  private let hear: (UnsafeRawBufferPointer) -> Void
  private var output: File?
  /// What the program writes into, until it runs.
  private(set) var input: File?

  init(_ name: String, _ hear: @escaping (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
    self.hear = hear
    (output, input) = try Launch.pipe(name)
  }

  /// The program runs: nobody else may keep its end open.
  func begin() { input = nil }

  /// Whether anybody can write still.
  var isOpen: Bool { output != nil }

  /// Hands on what comes, at most a piece.
  /// - Returns: whether something came in time.
  @discardableResult
  func listen(nanoseconds: Int64) -> Bool {
    guard let output else { return false }
    var waits = [pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0)]
    // A signal ends the wait: whoever waits looks at it.
    guard poll(&waits, 1, Int32((nanoseconds + 999_999) / 1_000_000)) > 0 else { return false }
    let count = withUnsafeTemporaryAllocation(byteCount: Overhearing.piece, alignment: 1) { buffer in
      let count = retried { Glibc.read(output.descriptor, buffer.baseAddress, buffer.count) }
      if count > 0 { hear(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      return count
    }
    if count <= 0 { self.output = nil }
    return count > 0
  }

  /// Hands on what is there already.
  func end() {
    for _ in 0..<Overhearing.last { guard listen(nanoseconds: 0) else { break } }
    output = nil
  }
}
