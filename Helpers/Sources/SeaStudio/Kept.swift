import Synchronization

/// Files that were sent with a form that could not be saved yet, so that they need not be chosen again.
final class Kept: Sendable {
  private let state = Mutex<(files: [String: Upload], order: [String])>(([:], []))
  private static let most = 32

  func keep(_ file: Upload) -> String {
    let key = Secret.new()
    state.withLock { state in
      state.files[key] = file
      state.order.append(key)
      if state.order.count > Kept.most { state.files[state.order.removeFirst()] = nil }
    }
    return key
  }

  func find(_ key: String) -> Upload? { state.withLock { $0.files[key] } }

  func forget(_ key: String) {
    state.withLock { state in
      state.files[key] = nil
      state.order.removeAll { $0 == key }
    }
  }
}
