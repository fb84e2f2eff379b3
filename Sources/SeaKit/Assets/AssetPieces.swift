internal import SeaEngine
internal import SeaSystem

/// The content of an asset in pieces of about 1 MiB at most, in their order.
///
/// No more than two are in memory, however slow the loop is; a loop that is left early reads no further. Whether the content is what the
/// records say is known at its end: if it is not, the loop throws, and what it was given is not to be used.
public struct AssetPieces: AsyncSequence, Sendable {
  /// Bytes.
  public typealias Element = [UInt8]

  let database: Database
  let asset: Asset

  /// From the beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One loop over the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    private let pieces: AssetPieces
    private var reading: Reading?

    init(_ pieces: AssetPieces) { self.pieces = pieces }

    /// The next piece; nil at the end.
    /// - Throws: `asset-missing` if the content is not on this device, `bad-asset` if it is not what the records say, `CancellationError` if
    ///   the task is cancelled.
    public mutating func next() async throws -> [UInt8]? {
      let reading = try self.reading ?? Reading(pieces)
      self.reading = reading
      return try await reading.queue.next()
    }
  }

  /// Reads on a thread of its own as long as somebody loops.
  private final class Reading: Sendable {
    let queue = PieceQueue()

    init(_ pieces: AssetPieces) throws {
      let (lane, queue, asset) = (try pieces.database.ownReader(), queue, pieces.asset)
      Task.detached {
        do {
          try await lane.run { engine in try engine.read(asset) { try queue.put(Array($0)) } }
          queue.finish(nil)
        } catch { queue.finish(error) }
      }
    }

    deinit { queue.cancel() }
  }
}

/// Hands pieces from a thread that may wait to a task that does not.
final class PieceQueue: Sendable {
  private struct State {
    var pieces: [[UInt8]] = []
    var isOver = false
    var failure: (any Error)?
    var isCancelled = false
    var waiting: CheckedContinuation<[UInt8]?, any Error>?
  }

  private static let most = 2
  private let state = Monitor(State())

  /// Waits until there is room.
  /// - Throws: if nobody wants any more.
  func put(_ piece: [UInt8]) throws {
    let isWanted = state.wait { state -> Bool? in
      if state.isCancelled { return false }
      if let waiting = state.waiting {
        state.waiting = nil
        waiting.resume(returning: piece)
        return true
      }
      guard state.pieces.count < PieceQueue.most else { return nil }
      state.pieces.append(piece)
      return true
    }
    if isWanted != true { throw CancellationError() }
  }

  func finish(_ error: (any Error)?) {
    state.with { state in
      (state.isOver, state.failure) = (true, error)
      guard let waiting = state.waiting else { return }
      state.waiting = nil
      if let error { waiting.resume(throwing: error) } else { waiting.resume(returning: nil) }
    }
  }

  func cancel() {
    state.with { state in
      (state.isCancelled, state.pieces) = (true, [])
      state.waiting?.resume(throwing: CancellationError())
      state.waiting = nil
    }
  }

  func next() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.with { state in
          if state.isCancelled {
            continuation.resume(throwing: CancellationError())
          } else if !state.pieces.isEmpty {
            continuation.resume(returning: state.pieces.removeFirst())
          } else if state.isOver {
            let failure = state.failure
            state.failure = nil
            if let failure { continuation.resume(throwing: failure) } else { continuation.resume(returning: nil) }
          } else {
            state.waiting = continuation
          }
        }
      }
    } onCancel: {
      cancel()
    }
  }
}
