import Glibc
import Hummingbird
import HummingbirdCore
import NIOConcurrencyHelpers
import NIOCore

/// One request to a container: its body is sent to a `sea serve`, whose output is the response. The server does not
/// interpret either.
struct Exchange: Sendable {
  let engine: Engine
  let tokens: Tokens
  let limits: Limits
  let metrics: Metrics
  let largest: Int64
  let container: String
  let grant: Grant
  /// Called at the end with the numbers of received and sent bytes, and whether the exchange succeeded.
  let done: @Sendable (_ received: Int64, _ sent: Int64, _ isWhole: Bool) -> Void

  private struct TooLarge: Error {}
  private struct Failed: Error {}
  private struct TakenBack: Error {}

  /// Returns the answer, which has begun already. At its end, the slot of the request is released.
  func answer(_ body: RequestBody) throws(Fault) -> ResponseBody {
    let running = try engine.start(container, grant.right)
    return ResponseBody { writer in
      let start = ContinuousClock.now
      var counts = Counts()
      var fault: (any Error)?
      let session = tokens.open(grant, container) { kill(running.process, SIGKILL) }
      do { try await carry(body, running, &writer, &counts) } catch { fault = error }
      tokens.close(session)
      let status = await Engine.end(running)
      limits.leave(.request, grant.name)
      let seconds = Double((ContinuousClock.now - start) / .microseconds(1)) / 1e6
      metrics.note(received: counts.received.value, sent: counts.sent, seconds: seconds)
      done(counts.received.value, counts.sent, fault == nil && status == 0)
      // A response without its end tells the client that it is incomplete.
      if let fault { throw fault }
      guard status == 0 else { throw Failed() }
      try await writer.finish(nil)
    }
  }

  private struct Counts {
    var received = Count()
    var sent: Int64 = 0
  }

  private func carry(
    _ body: RequestBody, _ running: Engine.Running, _ writer: inout any ResponseBodyWriter, _ counts: inout Counts
  ) async throws {
    let (input, output) = try await Engine.line(running)
    let received = counts.received
    try await output.executeThenClose { fromProgram, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          // An interrupted body ends the input; the program discards an incomplete file.
          defer { input.close(promise: nil) }
          for try await bytes in body {
            guard received.add(bytes.readableBytes) <= largest else { throw TooLarge() }
            guard tokens.holds(grant, container) else { throw TakenBack() }
            // If the program stops reading, its output is still complete.
            do { try await input.writeAndFlush(bytes) } catch { break }
          }
        }
        for try await bytes in fromProgram {
          counts.sent += Int64(bytes.readableBytes)
          try await writer.write(bytes)
        }
        // After a revocation, the remaining body is not read.
        guard tokens.holds(grant, container) else { throw TakenBack() }
        while let _ = try await group.next() {}
      }
    }
  }
}

/// A counter that two tasks share.
final class Count: @unchecked Sendable {
  private let lock = NIOLock()
  private var count: Int64 = 0

  var value: Int64 { lock.withLock { count } }

  func add(_ more: Int) -> Int64 {
    lock.withLock {
      count += Int64(more)
      return count
    }
  }
}
