import SeaStudio
import Synchronization
import Testing

/// Slow pages take turns.
@Suite struct TurnsTests {
  private final class Count: Sendable {
    let state = Mutex((now: 0, most: 0, ended: 0))
  }

  @Test func onlySomeRunAtTheSameTimeAndAllEnd() async throws {
    let turns = Turns(2)
    let count = Count()
    try await withThrowingTaskGroup { group in
      for k in 0..<40 {
        group.addTask {
          try? await turns.run(slow: true) {
            count.state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.ended) }
            try await Task.sleep(for: .milliseconds(1))
            count.state.withLock { $0 = ($0.now - 1, $0.most, $0.ended + 1) }
            // An error ends the turn as well.
            if k.isMultiple(of: 3) { throw CancellationError() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(count.state.withLock { $0.now == 0 && $0.most == 2 && $0.ended == 40 })
  }

  @Test func quickPagesDoNotWait() async throws {
    let turns = Turns(1)
    let (end, ended) = AsyncStream.makeStream(of: Void.self)
    let slow = Task { await turns.run(slow: true) { for await _ in end { break } } }
    #expect(await turns.run(slow: false) { 1 } == 1)
    ended.yield()
    await slow.value
  }
}
