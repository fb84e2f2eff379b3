internal import SeaSystem

internal import struct SeaContainer.WireFile
internal import struct SeaContainer.WireRefusal

enum ContainerReply: Sendable {
  case done
  case bytes([UInt8])
  case files([WireFile])
  case refused(WireRefusal)

  static func of(_ error: any Error) -> ContainerReply {
    switch error {
    case let refusal as WireRefusal: .refused(refusal)
    case let fault as ContainerFault: .refused(WireRefusal(fault))
    case is CancellationError: .refused(WireRefusal(.gone, "cancelled"))
    default: .refused(WireRefusal(.failed, "\(error)"))
    }
  }
}

extension WireRefusal {
  fileprivate init(_ fault: ContainerFault) {
    switch fault {
    case .unreachable(let text): self.init(.gone, text)
    case .busy(let text): self.init(.busy, text)
    case .denied(let text): self.init(.denied, text)
    case .full(let text): self.init(.full, text)
    case .tooLarge(let text): self.init(.tooLarge, text)
    }
  }
}

/// A call to a container method. A task runs the call, and a thread waits for the result for a limited time.
final class ContainerCall: Sendable {
  private struct State {
    var reply: ContainerReply?
    /// The time of the last progress, in monotonic nanoseconds.
    var lastProgress = Clock.monotonic()
  }

  private let state = Monitor(State())
  private let task: Task<Void, Never>
  private let patience: Int64
  /// The interval in nanoseconds at which the server tells the client that a call is still running.
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

  /// The time in nanoseconds that is left for the call.
  private var left: Int64 { state.with { $0.lastProgress } + patience - Clock.monotonic() }

  /// Restarts the time limit, because a piece of content was read.
  func recordProgress() { state.with { $0.lastProgress = Clock.monotonic() } }

  /// Waits for at most `pause`.
  /// - Returns: the result; nil if there is none yet. A call that exceeds its time limit ends with an error, even if
  ///   its task continues.
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
      let reply = state.reply ?? .refused(WireRefusal(.gone, "no answer in \(text) s"))
      state.reply = reply
      return reply
    }
  }

  func cancel() { task.cancel() }
}
