internal import SeaCore
internal import SeaSystem

/// A point in time with millisecond precision, in the years 0001 to 9999.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
  /// The milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  /// Creates a timestamp from milliseconds since 1970-01-01T00:00:00Z, clamped to the years 0001 to 9999.
  public init(milliseconds: Int64) { self.milliseconds = Instant.clamped(milliseconds) }

  /// Parses an RFC 3339 string such as `2026-03-01` or `2026-03-01T12:30:00.250+01:00`; returns nil for any other
  /// string, and for fractions of a millisecond.
  public init?(_ description: String) {
    guard let milliseconds = Instant.parse(description) else { return nil }
    self.milliseconds = milliseconds
  }

  /// The current time according to this device's clock.
  public static var now: Timestamp { Timestamp(milliseconds: Clock.now()) }

  /// The time in UTC as an RFC 3339 string, with milliseconds unless these are 0.
  public var description: String { Instant.text(milliseconds) }

  /// Returns whether `a` is earlier than `b`.
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  /// Encodes the time as a string. In a record, it is stored as a date.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the time from a string.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}
