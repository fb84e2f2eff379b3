internal import SeaCore
internal import SeaSystem

/// A moment, to the millisecond, in the years 0001 to 9999.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
  /// Since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  /// - Parameter milliseconds: since 1970-01-01T00:00:00Z; what lies outside of the years 0001 to 9999 becomes their first or last.
  public init(milliseconds: Int64) { self.milliseconds = Instant.clamped(milliseconds) }

  /// - Parameter description: RFC 3339, as `2026-03-01` or `2026-03-01T12:30:00.250+01:00`. Nil of anything else, and of what is finer
  ///   than a millisecond.
  public init?(_ description: String) {
    guard let milliseconds = Instant.parse(description) else { return nil }
    self.milliseconds = milliseconds
  }

  /// What the clock of this device says.
  public static var now: Timestamp { Timestamp(milliseconds: Clock.now()) }

  /// RFC 3339 in UTC, with milliseconds if there are any.
  public var description: String { Instant.text(milliseconds) }

  /// The earlier one comes first.
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  /// As text; in a record as a date.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// The other way.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}
