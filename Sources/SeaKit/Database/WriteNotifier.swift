internal import SeaEngine
internal import SeaSystem

/// Wakes the tasks that are waiting until something happens.
final class Bell: Sendable {
  private struct State {
    var count = 0
    var next = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Guarded(State())

  /// The number of rings so far.
  var count: Int { state.with { $0.count } }

  func ring() {
    let waiting = state.with { state in
      state.count += 1
      defer { state.waiting = [:] }
      return state.waiting
    }
    for one in waiting.values { one.resume() }
  }

  /// Waits until the bell has rung more than `count` times, or the task is cancelled.
  func wait(after count: Int) async {
    let ticket = state.with { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.with { state in
          if state.count > count || Task.isCancelled { return true }
          state.waiting[ticket] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.with { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
  }
}

/// A bell that rings when this process or another process writes to a database.
final class WriteNotifier: Sendable {
  private let bell = Bell()
  private let thread = Guarded<WatchThread?>(nil)
  private let path: String

  init(_ path: String) { self.path = path }

  /// Returns how often the bell has rung so far. A later read sees the writes that caused these rings. The first call
  /// starts listening for writes.
  func count() throws -> Int {
    try thread.with { thread in
      // If the folder was replaced, the watch ended with an event.
      if let thread {
        _ = try? thread.watch.watch(path)
        return
      }
      do {
        let made = try WatchThread { [bell] wake in
          let isWritten = wake.changes.contains { $0.name == SeaFolder.writtenName || $0.name.isEmpty }
          if isWritten || wake.isOverfull { bell.ring() }
        }
        try made.watch.watch(path)
        thread = made
      } catch {
        throw SeaError.of(error)
      }
    }
    return bell.count
  }

  func ring() { bell.ring() }

  /// Waits until the bell has rung more than `count` times, or the task is cancelled.
  func wait(after count: Int) async { await bell.wait(after: count) }
}
