import SeaSystem

/// The tar of a bundle in pieces, the next one decompressed on another thread while this one is being used.
final class ReadAhead {
  /// Large, because handing over costs a change of threads, which may have to wait on a busy machine.
  private static let piece = 4 << 20

  private let stream: BundleStream
  private let worker: Worker
  private let buffers: [UnsafeMutableRawBufferPointer]
  private var filling = 0
  private var isFilling = false
  private let result = Outcome()

  /// What the other thread has done; looked at when it is idle.
  private final class Outcome: @unchecked Sendable {
    var count = 0
    var failure: (any Error)?
  }

  init(_ stream: BundleStream) throws(BundleError) {
    self.stream = stream
    worker = try bundleSystem { () throws(SystemError) in try Worker() }
    buffers = (0..<2).map { _ in .allocate(byteCount: ReadAhead.piece, alignment: 4096) }
  }

  deinit {
    worker.wait()
    for buffer in buffers { buffer.deallocate() }
  }

  /// The next piece, valid until the next call; an empty one at the end. What was read before a failure is handed over
  /// before it is thrown.
  func next() throws -> UnsafeRawBufferPointer {
    if !isFilling, result.failure == nil { fill() }
    worker.wait()
    isFilling = false
    let piece = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffers[filling])[..<result.count])
    if let failure = result.failure {
      guard !piece.isEmpty else { throw failure }
      result.count = 0
      return piece
    }
    if !piece.isEmpty {
      filling = 1 - filling
      fill()
    }
    return piece
  }

  private func fill() {
    nonisolated(unsafe) let buffer = buffers[filling]
    nonisolated(unsafe) let stream = stream
    let result = result
    isFilling = true
    worker.start {
      result.count = 0
      do {
        while result.count < buffer.count {
          let count = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[result.count...]))
          if count == 0 { break }
          result.count += count
        }
      } catch { result.failure = error }
    }
  }
}
