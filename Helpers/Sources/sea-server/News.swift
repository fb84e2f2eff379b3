import Glibc
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Reports changes in containers to listeners. A single `sea serve` process watches a container for all of its
/// listeners.
final class News: Sendable {
  enum Event: Equatable, Sendable {
    /// From now on, no changes are missed. This event is repeated to show that the connection is alive.
    case ready
    case folder(String)
  }

  private struct Hub {
    var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    var isReady = false
    var task: Task<Void, Never>?
  }

  private struct State {
    var hubs: [String: Hub] = [:]
    var next = 0
    var isEnding = false
  }

  private let engine: Engine
  private let metrics: Metrics
  private let state = NIOLockedValueBox(State())
  /// The maximum number of events that are kept for a slow listener. The exact number is not critical.
  private static let most = 64
  private static let span = 600

  init(_ engine: Engine, _ metrics: Metrics) { (self.engine, self.metrics) = (engine, metrics) }

  func listen(_ container: String) -> (events: AsyncStream<Event>, stream: AsyncStream<Event>.Continuation) {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(News.most))
    state.withLockedValue { state in
      guard !state.isEnding else { return continuation.finish() }
      let number = state.next
      state.next += 1
      var hub = state.hubs[container] ?? Hub()
      hub.listeners[number] = continuation
      if hub.isReady { continuation.yield(.ready) }
      if hub.task == nil { hub.task = Task { await self.watch(container) } }
      state.hubs[container] = hub
      continuation.onTermination = { _ in self.forget(container, number) }
    }
    return (events, continuation)
  }

  private func forget(_ container: String, _ number: Int) {
    state.withLockedValue { state in
      state.hubs[container]?.listeners[number] = nil
      guard state.hubs[container]?.listeners.isEmpty ?? false else { return }
      state.hubs.removeValue(forKey: container)?.task?.cancel()
    }
  }

  func end() {
    let hubs = state.withLockedValue { state in
      state.isEnding = true
      defer { state.hubs = [:] }
      return state.hubs
    }
    for hub in hubs.values {
      hub.task?.cancel()
      for listener in hub.listeners.values { listener.finish() }
    }
  }

  private func notify(_ container: String, _ event: Event) {
    let listeners = state.withLockedValue { state in
      if event == .ready { state.hubs[container]?.isReady = true }
      return state.hubs[container].map { Array($0.listeners.values) } ?? []
    }
    for listener in listeners { listener.yield(event) }
    if event != .ready { for _ in listeners { metrics.recordNews() } }
  }

  private func watch(_ container: String) async {
    var pause = Duration.milliseconds(100)
    while !Task.isCancelled {
      let start = ContinuousClock.now
      try? await once(container)
      state.withLockedValue { $0.hubs[container]?.isReady = false }
      if Task.isCancelled { break }
      if ContinuousClock.now - start > .seconds(30) { pause = .milliseconds(100) }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(30))
      // Changes may have been missed in the meantime, so report the whole container.
      notify(container, .folder("."))
    }
  }

  private func once(_ container: String) async throws {
    let running = try engine.start(container, .readOnly)
    defer { Task { _ = await Engine.end(running, patience: .zero) } }
    let (input, output) = try await Engine.line(running)
    defer { input.close(promise: nil) }
    try await output.executeThenClose { fromProgram, _ in
      try await input.writeAndFlush(ByteBuffer(string: "sea-helper 1\nawait \(News.span)\n"))
      var rest = ""
      for try await bytes in fromProgram {
        rest += String(buffer: bytes)
        while let end = rest.firstIndex(of: "\n") {
          let line = rest[..<end]
          rest = String(rest[rest.index(after: end)...])
          if line == "wait" { notify(container, .ready) }
          if line.hasPrefix("news ") { notify(container, .folder(String(line.dropFirst(5)))) }
          if line == "ok" { try await input.writeAndFlush(ByteBuffer(string: "await \(News.span)\n")) }
          if line.hasPrefix("error") { return }
        }
      }
    }
  }
}
