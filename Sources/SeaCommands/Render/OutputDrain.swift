import SeaCore

/// Writes out the content of a `ByteWriter` whenever it becomes large, because a compressed record may expand
/// enormously.
final class OutputDrain {
  private static let most = 1 << 20

  private let output: Output
  private var failure: (any Error)?

  init(_ output: Output) { self.output = output }

  func writer() -> ByteWriter {
    var writer = ByteWriter()
    writer.flushes(over: OutputDrain.most) { [self] in write($0) }
    return writer
  }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard failure == nil else { return }
    do { try output.write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
  }

  /// Writes the remaining content.
  /// - Throws: the first error that occurred in any write.
  func end(_ writer: borrowing ByteWriter) throws {
    write(writer.bytes)
    if let failure { throw failure }
  }
}
