import SeaCore

/// Hands on what a writer has written as soon as it is much: a record that was packed to little may be large.
final class OutputDrain {
  private static let most = 1 << 20

  private let output: Output
  private var failure: (any Error)?

  init(_ output: Output) { self.output = output }

  /// A writer that keeps little.
  func writer() -> ByteWriter {
    var writer = ByteWriter()
    writer.hand(over: OutputDrain.most) { [self] in take($0) }
    return writer
  }

  private func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard failure == nil else { return }
    do { try output.write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
  }

  /// Hands on the rest.
  /// - Throws: what went wrong on the way.
  func end(_ writer: borrowing ByteWriter) throws {
    take(writer.bytes)
    if let failure { throw failure }
  }
}
