internal import SeaCore

/// An integer of up to 2467 digits.
public struct BigInteger: Sendable, Hashable, LosslessStringConvertible {
  let core: SeaCore.BigInteger

  init(_ core: SeaCore.BigInteger) { self.core = core }

  /// - Parameter description: decimal digits, after an optional minus sign. Returns nil for anything else.
  public init?(_ description: String) {
    switch readNumber(description, as: "$int") {
    case .integer(let value): core = SeaCore.BigInteger(value)
    case .bigInteger(let value): core = value
    default: return nil
    }
  }

  /// An integer with this value.
  public init(_ value: Int128) { core = SeaCore.BigInteger(value) }

  /// The decimal digits, after a minus sign if the number is negative.
  public var description: String { String(decoding: (core.isNegative ? [0x2D] : []) + core.digits, as: UTF8.self) }
}

/// A decimal number that keeps all its digits: 1.50 differs from 1.5.
public struct ExactDecimal: Sendable, Hashable, LosslessStringConvertible, ExpressibleByStringLiteral {
  let core: SeaCore.Decimal

  init(_ core: SeaCore.Decimal) { self.core = core }

  /// - Parameter description: a number such as `-12.50` or `1e-7`, up to 2467 digits. Returns nil for anything else.
  public init?(_ description: String) {
    guard case .decimal(let core) = readNumber(description, as: "$decimal") else { return nil }
    self.core = core
  }

  /// A number in the source text. Any other text is a programming error and ends the program, also as
  /// `ExactDecimal("12,50")`, which Swift treats as this literal. For the text of a variable, the other initializer
  /// returns nil.
  public init(stringLiteral value: String) {
    guard let read = ExactDecimal(value) else { preconditionFailure("'\(value)' is no decimal number") }
    self = read
  }

  /// The number with all its digits.
  public var description: String { core.description }
}

/// Parses a number with the JSON form of this name.
private func readNumber(_ text: String, as form: String) -> SeaCore.Value? {
  guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 || "+-.eE".utf8.contains($0) }) else { return nil }
  return try? SeaCore.Value.json(#"{"\#(form)":"\#(text)"}"#)
}

extension BigInteger: Codable {
  /// Encodes the digits; in a record it is stored as a number.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the digits.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}

extension ExactDecimal: Codable {
  /// Encodes the digits; in a record it is stored as a number.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the digits.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}

/// Writes a text, for encoders outside of this library.
func encodeText(_ text: String, to encoder: any Encoder) throws {
  var container = encoder.singleValueContainer()
  try container.encode(text)
}

/// Reads a text and parses it.
func decodeText<Result: LosslessStringConvertible>(from decoder: any Decoder) throws -> Result {
  let container = try decoder.singleValueContainer()
  let text = try container.decode(String.self)
  guard let result = Result(text) else {
    throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not of type \(Result.self)")
  }
  return result
}
