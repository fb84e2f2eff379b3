import NIOConcurrencyHelpers
import NIOCore

/// The server's metrics, which are output in the Prometheus text format.
final class Metrics: Sendable {
  private struct State {
    var answers: [Int: Int] = [:]
    var received: Int64 = 0
    var sent: Int64 = 0
    var news = 0
    var failures = 0
    /// For each of the `bounds`, the number of container requests that took no longer than it.
    var times = [Int](repeating: 0, count: Metrics.bounds.count)
    var count = 0
    var seconds = 0.0
  }

  private static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
  private let state = NIOLockedValueBox(State())

  func record(status: Int) { state.withLockedValue { $0.answers[status, default: 0] += 1 } }
  func recordNews() { state.withLockedValue { $0.news += 1 } }
  func recordFailure() { state.withLockedValue { $0.failures += 1 } }

  func record(received: Int64, sent: Int64, seconds: Double) {
    state.withLockedValue { state in
      state.received += received
      state.sent += sent
      state.count += 1
      state.seconds += seconds
      for (at, bound) in Metrics.bounds.enumerated() where seconds <= bound { state.times[at] += 1 }
    }
  }

  func text(running: Int, watching: Int, _ connections: (known: Int, unknown: Int)) -> String {
    let state = state.withLockedValue { $0 }
    var lines: [String] = []
    func add(_ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: String)]) {
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)"]
      lines += samples.map { "\(name)\($0.labels) \($0.value)" }
    }
    add(
      "sea_server_answers_total", "counter", "Responses by HTTP status.",
      state.answers.sorted { $0.key < $1.key }.map { ("{status=\"\($0.key)\"}", "\($0.value)") })
    add("sea_server_received_bytes_total", "counter", "Bytes received in requests.", [("", "\(state.received)")])
    add("sea_server_sent_bytes_total", "counter", "Bytes sent in responses.", [("", "\(state.sent)")])
    add("sea_server_news_total", "counter", "Notifications sent to watchers.", [("", "\(state.news)")])
    add("sea_server_failures_total", "counter", "Responses that were interrupted.", [("", "\(state.failures)")])
    add("sea_server_running", "gauge", "Requests to containers in progress.", [("", "\(running)")])
    add("sea_server_watching", "gauge", "Watchers waiting for notifications.", [("", "\(watching)")])
    add(
      "sea_server_connections", "gauge", "Connections, by whether a token was sent.",
      [("{token=\"yes\"}", "\(connections.known)"), ("{token=\"no\"}", "\(connections.unknown)")])
    let name = "sea_server_request_seconds"
    lines += ["# HELP \(name) Duration of requests to containers.", "# TYPE \(name) histogram"]
    lines += zip(Metrics.bounds, state.times).map { "\(name)_bucket{le=\"\($0)\"} \($1)" }
    lines += [
      "\(name)_bucket{le=\"+Inf\"} \(state.count)", "\(name)_sum \(state.seconds)", "\(name)_count \(state.count)",
    ]
    return lines.joined(separator: "\n") + "\n"
  }
}
