import Glibc
import Hummingbird
import HummingbirdCore
import NIOConcurrencyHelpers
import NIOCore

/// One request to a container: its body goes to a `sea serve`, what that says goes back. Nobody here reads what it is.
struct Exchange: Sendable {
  let engine: Engine
  let tokens: Tokens
  let limits: Limits
  let metrics: Metrics
  let largest: Int64
  let container: String
  let grant: Grant
  /// Told how it ended: bytes that came and went, and whether all was well.
  let done: @Sendable (_ received: Int64, _ sent: Int64, _ isWhole: Bool) -> Void

  private struct TooLarge: Error {}
  private struct Failed: Error {}
  private struct TakenBack: Error {}

  /// The answer, which has begun when this returns. The place of the request is given back at its end.
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
      // An answer without its end is none: whoever asked finds that out.
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
          // A body that breaks off is an end of what it reads: of a file of which a part is missing nothing is kept.
          defer { input.close(promise: nil) }
          for try await bytes in body {
            guard received.add(bytes.readableBytes) <= largest else { throw TooLarge() }
            guard tokens.holds(grant, container) else { throw TakenBack() }
            // It may have had enough: what it has said is what counts.
            do { try await input.writeAndFlush(bytes) } catch { break }
          }
        }
        for try await bytes in fromProgram {
          counts.sent += Int64(bytes.readableBytes)
          try await writer.write(bytes)
        }
        // Whoever may not go on is not waited for.
        guard tokens.holds(grant, container) else { throw TakenBack() }
        // A fault on the way to it is one of the answer, too.
        while let _ = try await group.next() {}
      }
    }
  }
}

/// A number that two tasks see.
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
