import SeaKit
import Synchronization

/// Notifies connected pages of changes. Pages then ask for the number of changes that concern them.
package final class Watcher: Sendable {
  package struct Presence: Sendable {
    /// The number of connections that wait for changes. Usually one for all tabs of a browser.
    package var connections = 0
    /// Whether there has been such a connection: then the end of the last one means that the last tab was closed.
    package var hasConnected = false
    /// The time of the last request, or of the end of the last connection.
    package var last = ContinuousClock.now
  }

  private struct State {
    var presence = Presence()
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
    var task: Task<Void, Never>?
    var hasEnded = false
  }

  private let database: Database
  private let state = Mutex(State())

  init(_ database: Database) { self.database = database }

  var presence: Presence { state.withLock { $0.presence } }

  func note() { state.withLock { $0.presence.last = .now } }

  func end() {
    let (task, listeners) = state.withLock { state in
      state.hasEnded = true
      defer { (state.task, state.listeners) = (nil, [:]) }
      return (state.task, state.listeners)
    }
    task?.cancel()
    for one in listeners.values { one.finish() }
  }

  /// Returns a stream with an element for changes; several changes can become one element.
  func listen() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      guard !state.hasEnded else { return continuation.finish() }
      let number = state.next
      state.next += 1
      state.listeners[number] = continuation
      state.presence.connections += 1
      state.presence.hasConnected = true
      continuation.onTermination = { [weak self] _ in self?.forget(number) }
      if state.task == nil {
        state.task = Task { [self] in await Watcher.follow(database) { self.tell() } }
      }
    }
    return stream
  }

  private func forget(_ number: Int) {
    state.withLock { state in
      state.listeners[number] = nil
      state.presence.connections = max(0, state.presence.connections - 1)
      state.presence.last = .now
    }
  }

  private func tell() {
    let listeners = state.withLock { Array($0.listeners.values) }
    for one in listeners { one.yield() }
  }

  private static func follow(_ database: Database, _ tell: @Sendable () -> Void) async {
    while !Task.isCancelled {
      do { for try await _ in database.changes() { tell() } } catch {
        // Changes may have been missed in the meantime.
        tell()
        try? await Task.sleep(for: .seconds(2))
      }
    }
  }
}
