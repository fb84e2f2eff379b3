internal import SeaSystem

/// Fills a queue in a task of its own until it is released.
final class PieceReading: Sendable {
  private let queue = PieceQueue()
  private let task: Task<Void, Never>

  init(_ fill: @escaping @Sendable (PieceQueue) async throws -> Void) {
    task = Task.detached { [queue] in
      do {
        try await fill(queue)
        queue.finish(nil)
      } catch { queue.finish(error) }
    }
  }

  deinit {
    task.cancel()
    queue.cancel()
  }

  /// Waits for the next piece; returns nil at the end.
  func next() async throws -> [UInt8]? { try await queue.next() }
}

/// Passes pieces of content from a thread, which is allowed to block, to a task.
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

  /// Waits until the queue has room, then adds a piece.
  /// - Throws: `CancellationError` if the queue was cancelled or the time is up.
  func put(_ piece: [UInt8], within nanoseconds: Int64 = .max) throws {
    let isWanted = state.wait(nanoseconds: nanoseconds) { state -> Bool? in
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

  var isWanted: Bool { state.with { !$0.isCancelled } }

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
