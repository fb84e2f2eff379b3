// Without the trait `Logging`, this module is empty, and swift-log is not downloaded.
#if Logging
  public import Logging
  public import SeaKit

  extension Optional where Wrapped == @Sendable (LogMessage) -> Void {
    /// Sends the messages of a database to a logger: `options.log = .logger(Logger(label: "boats"))`.
    public static func logger(_ logger: Logger) -> (@Sendable (LogMessage) -> Void)? {
      { message in
        logger.log(
          level: Logger.Level(message.level), "\(message.message)", metadata: message.metadata.mapValues { "\($0)" })
      }
    }
  }

  extension Logger.Level {
    fileprivate init(_ level: LogMessage.Level) {
      switch level {
      case .trace: self = .trace
      case .debug: self = .debug
      case .warning: self = .warning
      }
    }
  }
#endif
