import Glibc
import Hummingbird
import HummingbirdCore
import NIOConcurrencyHelpers
import NIOCore

/// One request to a container. The request body is passed to a `sea serve` process, whose output is the response.
struct Exchange: Sendable {
  let engine: Engine
  let tokens: Tokens
  let limits: Limits
  let metrics: Metrics
  let largest: Int64
  let container: String
  let grant: Grant
  /// A closure that is called at the end with the numbers of received and sent bytes and whether the exchange
  /// succeeded.
  let done: @Sendable (_ received: Int64, _ sent: Int64, _ isWhole: Bool) -> Void

  private struct TooLarge: Error {}
  private struct Failed: Error {}
  private struct TakenBack: Error {}

  /// Starts the process and returns the response. When the response ends, the request is removed from `limits`.
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
      metrics.record(received: counts.received.value, sent: counts.sent, seconds: seconds)
      done(counts.received.value, counts.sent, fault == nil && status == 0)
      // Because the final chunk is missing, the client notices that the response is incomplete.
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
          // If the body is interrupted, the input ends, and the program discards an incomplete file.
          defer { input.close(promise: nil) }
          for try await bytes in body {
            guard received.add(bytes.readableBytes) <= largest else { throw TooLarge() }
            guard tokens.holds(grant, container) else { throw TakenBack() }
            // If the program stops reading, its output must still be sent.
            do { try await input.writeAndFlush(bytes) } catch { break }
          }
        }
        for try await bytes in fromProgram {
          counts.sent += Int64(bytes.readableBytes)
          try await writer.write(bytes)
        }
        // If the token has been revoked, the rest of the body is not read.
        guard tokens.holds(grant, container) else { throw TakenBack() }
        while let _ = try await group.next() {}
      }
    }
  }
}

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
