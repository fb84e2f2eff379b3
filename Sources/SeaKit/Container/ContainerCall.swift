internal import SeaSystem

internal import struct SeaContainer.WireFile
internal import enum SeaContainer.WireCode

/// What came of a call.
enum ContainerReply: Sendable {
  case done
  case bytes([UInt8])
  case files([WireFile])
  case refused(WireCode, String)

  /// What was thrown, as it is said over the line.
  static func of(_ error: any Error) -> ContainerReply {
    switch error {
    case let error as ContainerRefusal: .refused(error.code, error.text)
    case let error as ContainerFault: of(error)
    case is CancellationError: .refused(.gone, "it was cancelled")
    default: .refused(.failed, "\(error)")
    }
  }

  private static func of(_ fault: ContainerFault) -> ContainerReply {
    switch fault {
    case .unreachable(let text): .refused(.gone, text)
    case .busy(let text): .refused(.busy, text)
    case .denied(let text): .refused(.denied, text)
    case .full(let text): .refused(.full, text)
    case .tooLarge(let text): .refused(.tooLarge, text)
    }
  }
}

/// What is found here to be refused.
struct ContainerRefusal: Error {
  let code: WireCode
  let text: String

  init(_ code: WireCode, _ text: String = "") { (self.code, self.text) = (code, text) }
}

/// A call of a container: a task does it, and a thread waits for what it comes to, as long as it is worth it.
final class ContainerCall: Sendable {
  private struct State {
    var reply: ContainerReply?
    /// When something has moved last: monotonic nanoseconds.
    var moved = Clock.monotonic()
  }

  private let state = Monitor(State())
  private let task: Task<Void, Never>
  private let patience: Int64
  /// So long is waited before something is said: nanoseconds.
  static let pause: Int64 = 1_000_000_000

  init(patience: Duration, _ body: @escaping @Sendable () async throws -> ContainerReply) {
    let most = min(max(patience, .milliseconds(1)), .seconds(600))
    self.patience = most.components.seconds * 1_000_000_000 + most.components.attoseconds / 1_000_000_000
    task = Task.detached { [state] in
      let reply: ContainerReply
      do { reply = try await body() } catch { reply = .of(error) }
      state.with { if $0.reply == nil { $0.reply = reply } }
    }
  }

  /// How long may be waited still: nanoseconds.
  private var left: Int64 { state.with { $0.moved } + patience - Clock.monotonic() }

  /// Notes that a piece was taken.
  func move() { state.with { $0.moved = Clock.monotonic() } }

  /// Waits a while.
  /// - Returns: what it has come to; nil if nothing yet. A call that took too long comes to that, whatever its task does.
  func wait() -> ContainerReply? {
    if let reply = state.wait(nanoseconds: max(0, min(left, ContainerCall.pause)), for: { $0.reply }) { return reply }
    return isOverdue ? end() : nil
  }

  var isOverdue: Bool { left <= 0 }

  private func end() -> ContainerReply {
    cancel()
    let seconds = Double(patience) / 1e9
    let text = seconds < 10 ? "\(Double(Int(seconds * 10)) / 10)" : "\(Int(seconds))"
    return state.with { state in
      let reply = state.reply ?? .refused(.gone, "no answer in \(text) s")
      state.reply = reply
      return reply
    }
  }

  func cancel() { task.cancel() }
}
