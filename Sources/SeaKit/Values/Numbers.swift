internal import SeaCore

/// An integer with up to 2467 digits.
public struct BigInteger: Sendable, Hashable, LosslessStringConvertible {
  let core: SeaCore.BigInteger

  init(_ core: SeaCore.BigInteger) { self.core = core }

  /// Parses an optional minus sign followed by decimal digits, or returns nil for any other string.
  public init?(_ description: String) {
    switch readNumber(description, as: "$int") {
    case .integer(let value): core = SeaCore.BigInteger(value)
    case .bigInteger(let value): core = value
    default: return nil
    }
  }

  /// Creates an integer with this value.
  public init(_ value: Int128) { core = SeaCore.BigInteger(value) }

  /// The decimal digits, with a minus sign if the number is negative.
  public var description: String { String(decoding: (core.isNegative ? [0x2D] : []) + core.digits, as: UTF8.self) }
}

/// A decimal number that keeps all of its digits: 1.50 differs from 1.5.
public struct ExactDecimal: Sendable, Hashable, LosslessStringConvertible, ExpressibleByStringLiteral {
  let core: SeaCore.Decimal

  init(_ core: SeaCore.Decimal) { self.core = core }

  /// Parses a number with up to 2467 digits, such as `-12.50` or `1e-7`; returns nil for any other string.
  public init?(_ description: String) {
    guard case .decimal(let core) = readNumber(description, as: "$decimal") else { return nil }
    self.core = core
  }

  /// Creates a number from a literal in the source code. An invalid literal crashes the program, even in the form
  /// `ExactDecimal("12,50")`. With a string variable, Swift calls the failable initializer instead.
  public init(stringLiteral value: String) {
    guard let read = ExactDecimal(value) else { preconditionFailure("'\(value)' is no decimal number") }
    self = read
  }

  /// The number with all its digits.
  public var description: String { core.description }
}

private func readNumber(_ text: String, as form: String) -> SeaCore.Value? {
  guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 || "+-.eE".utf8.contains($0) }) else { return nil }
  return try? SeaCore.Value.json(#"{"\#(form)":"\#(text)"}"#)
}

extension BigInteger: Codable {
  /// Encodes the digits as a string. In a record, they are stored as a number.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the digits from a string.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}

extension ExactDecimal: Codable {
  /// Encodes the digits as a string. In a record, they are stored as a number.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the digits from a string.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}

func encodeText(_ text: String, to encoder: any Encoder) throws {
  var container = encoder.singleValueContainer()
  try container.encode(text)
}

func decodeText<Result: LosslessStringConvertible>(from decoder: any Decoder) throws -> Result {
  let container = try decoder.singleValueContainer()
  let text = try container.decode(String.self)
  guard let result = Result(text) else {
    throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not of type \(Result.self)")
  }
  return result
}
