internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// A message about the work of a database, for the log of the program.
///
///     options.log = { message in
///       if message.level >= .warning { print(message.message, message.metadata) }
///     }
///
/// Messages of the levels `trace` and `debug` are the events that the commands report with `SEA_TRACE`; see sea-cli(7).
/// A message contains paths, names, ids, counts and errors, but never content, passwords or keys.
public struct LogMessage: Sendable, Hashable {
  /// The severity of a message, with the names that swift-log uses. Errors are thrown, so they have no level.
  public enum Level: Int, Sendable, CaseIterable, Comparable {
    /// A single step: a lock, a transaction, or a request to a container.
    case trace
    /// The exchange with one container.
    case debug
    /// A problem that the program may not notice otherwise, for example in an automatic sync.
    case warning

    /// Compares the severities.
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// The severity.
  public let level: Level
  /// The name of the event, such as `transaction`, or a sentence for a warning.
  public let message: String
  /// Details, keyed by names such as `path`, `container`, `id` and `seconds`.
  public let metadata: [String: String]
}

/// The log of a database. Without a closure, it costs nothing.
struct Log: Sendable {
  private let closure: (@Sendable (LogMessage) -> Void)?
  /// Receives the trace of the threads that work for the database.
  let listener: Trace.Listener?

  init(_ closure: (@Sendable (LogMessage) -> Void)?) {
    self.closure = closure
    listener = closure.map { closure in
      Trace.Listener { event, nanoseconds, fields in
        var metadata: [String: String] = [:]
        for (name, value) in fields {
          switch value {
          case .text(let text): metadata[name] = TraceLine.withoutPassword(text)
          case .number(let number): metadata[name] = "\(number)"
          }
        }
        metadata["seconds"] = nanoseconds.map(TraceLine.seconds)
        closure(LogMessage(level: event == "exchange" ? .debug : .trace, message: event, metadata: metadata))
      }
    }
  }

  func warn(_ message: String, _ metadata: [String: String] = [:]) {
    closure?(
      LogMessage(
        level: .warning, message: TraceLine.withoutPassword(message),
        metadata: metadata.mapValues(TraceLine.withoutPassword)))
  }

  func warn(of renewal: Renewal) {
    warn(
      "this instance has a new identity",
      ["old": renewal.old.description, "instance": renewal.new.description, "reason": renewal.reason.rawValue])
  }
}
