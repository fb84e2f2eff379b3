internal import SeaEngine
internal import SeaSystem

/// Wakes the tasks that are waiting until this process or another process writes.
final class WriteNotifier: Sendable {
  private struct State {
    var count = 0
    var next = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Guarded(State())
  private let folder = Guarded<FolderWatcher?>(nil)
  private let path: String

  init(_ path: String) { self.path = path }

  /// Returns how often the bell has rung so far. A later read sees the writes that caused these rings. The first call
  /// starts listening for writes.
  func count() throws -> Int {
    try folder.with { folder in
      guard folder == nil else { return }
      do {
        folder = try FolderWatcher(path, SeaFolder.writtenName) { [weak self] in self?.ring() }
      } catch {
        throw SeaError.of(error)
      }
    }
    return state.with { $0.count }
  }

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
