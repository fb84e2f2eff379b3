import NIOConcurrencyHelpers
import NIOCore

/// Enforces the limits per token, per address, and in total.
final class Limits: Sendable {
  /// A token bucket, which initially allows as many requests as are allowed per minute, and refills continuously.
  private struct Bucket {
    var left: Double
    var time: NIODeadline

    init(_ perMinute: Int) { (left, time) = (Double(perMinute), .now()) }

    mutating func fill(_ perMinute: Int) {
      let now = NIODeadline.now()
      let seconds = Double((now - time).nanoseconds) / 1e9
      left = min(Double(perMinute), left + seconds * Double(perMinute) / 60)
      time = now
    }
  }

  private struct State {
    var requests: [String: Bucket] = [:]
    var refusals: [String: Bucket] = [:]
    var running: [String: Int] = [:]
    var watching: [String: Int] = [:]
    var allRunning = 0
    var allWatching = 0
  }

  private let settings: Settings
  private let state = NIOLockedValueBox(State())
  /// The maximum number of addresses to remember. Above this number, full buckets are discarded.
  private static let most = 10_000

  init(_ settings: Settings) { self.settings = settings }

  enum Kind: Sendable { case request, watcher }

  enum Verdict: Equatable {
    case allowed
    /// The client is sending too many requests. A retry may succeed after this many seconds.
    case tooMuch(seconds: Int)
    case busy(seconds: Int)
  }

  /// Counts a new request that uses a token. When an allowed request has ended, `leave` must be called.
  func enter(_ kind: Kind, _ name: String) -> Verdict {
    state.withLockedValue { state in
      let most = settings.requestsPerMinute
      var bucket = state.requests[name] ?? Bucket(most)
      bucket.fill(most)
      defer { state.requests[name] = bucket }
      guard bucket.left >= 1 else { return .tooMuch(seconds: max(1, Int((1 - bucket.left) * 60 / Double(most)) + 1)) }
      switch kind {
      case .request:
        guard state.running[name, default: 0] < settings.requestsAtOnce else { return .tooMuch(seconds: 1) }
        guard state.allRunning < settings.processes else { return .busy(seconds: 1) }
        state.running[name, default: 0] += 1
        state.allRunning += 1
      case .watcher:
        guard state.watching[name, default: 0] < settings.watchersAtOnce else { return .tooMuch(seconds: 10) }
        guard state.allWatching < settings.watchers else { return .busy(seconds: 10) }
        state.watching[name, default: 0] += 1
        state.allWatching += 1
      }
      bucket.left -= 1
      return .allowed
    }
  }

  func leave(_ kind: Kind, _ name: String) {
    state.withLockedValue { state in
      switch kind {
      case .request:
        state.running[name, default: 1] -= 1
        state.allRunning -= 1
      case .watcher:
        state.watching[name, default: 1] -= 1
        state.allWatching -= 1
      }
    }
  }

  var now: (running: Int, watching: Int) { state.withLockedValue { ($0.allRunning, $0.allWatching) } }

  func isBarred(_ address: String) -> Bool {
    state.withLockedValue { state in
      guard var bucket = state.refusals[address] else { return false }
      bucket.fill(settings.refusalsPerMinute)
      return bucket.left < 1
    }
  }

  func recordRefusal(_ address: String) {
    state.withLockedValue { state in
      let most = settings.refusalsPerMinute
      if state.refusals.count >= Limits.most {
        for (address, var bucket) in state.refusals {
          bucket.fill(most)
          if bucket.left >= Double(most) { state.refusals[address] = nil }
        }
        if state.refusals.count >= Limits.most { state.refusals = [:] }
      }
      var bucket = state.refusals[address] ?? Bucket(most)
      bucket.fill(most)
      bucket.left = max(0, bucket.left - 1)
      state.refusals[address] = bucket
    }
  }
}
