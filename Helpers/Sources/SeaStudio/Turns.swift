/// Lets only some slow pages be made at the same time, so that quick pages never wait for them and memory is limited.
package actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameter most: the number of slow pages at the same time, less than the connections of SeaKit that read.
  package init(_ most: Int) { free = most }

  /// - Parameter isSlow: whether `body` has to wait for its turn.
  nonisolated package func run<Result: Sendable>(
    slow isSlow: Bool, _ body: @Sendable () async throws -> Result
  ) async rethrows -> Result {
    isSlow ? try await runInTurn(body) : try await body()
  }

  private func runInTurn<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await body()
  }
}
