internal import SeaCore

/// An integer of up to 2467 digits.
public struct BigInteger: Sendable, Hashable, LosslessStringConvertible {
  let core: SeaCore.BigInteger

  init(_ core: SeaCore.BigInteger) { self.core = core }

  /// - Parameter description: decimal digits, behind a minus sign if it is negative. Nil of anything else.
  public init?(_ description: String) {
    switch readNumber(description, as: "$int") {
    case .integer(let value): core = SeaCore.BigInteger(value)
    case .bigInteger(let value): core = value
    default: return nil
    }
  }

  /// An integer of any size.
  public init(_ value: Int128) { core = SeaCore.BigInteger(value) }

  /// The integer as decimal digits.
  public var description: String { String(decoding: (core.isNegative ? [0x2D] : []) + core.digits, as: UTF8.self) }
}

/// A decimal number with all its digits: 1.50 is not 1.5.
public struct ExactDecimal: Sendable, Hashable, LosslessStringConvertible, ExpressibleByStringLiteral {
  let core: SeaCore.Decimal

  init(_ core: SeaCore.Decimal) { self.core = core }

  /// - Parameter description: as `-12.50` or `1e-7`, up to 2467 digits. Nil of anything else.
  public init?(_ description: String) {
    guard case .decimal(let core) = readNumber(description, as: "$decimal") else { return nil }
    self.core = core
  }

  /// A number that is written in the program. Any other text is a programmer's error, and ends the program: also as
  /// `ExactDecimal("12,50")`, which Swift reads as this literal. Of a text in a variable the other initialiser makes nil.
  public init(stringLiteral value: String) {
    guard let read = ExactDecimal(value) else { preconditionFailure("'\(value)' is no decimal number") }
    self = read
  }

  /// The number, with all its digits.
  public var description: String { core.description }
}

/// The number that a text says in the form of JSON that has this name.
private func readNumber(_ text: String, as form: String) -> SeaCore.Value? {
  guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 || "+-.eE".utf8.contains($0) }) else { return nil }
  return try? SeaCore.Value.json(#"{"\#(form)":"\#(text)"}"#)
}

extension BigInteger: Codable {
  /// As its digits; in a record as the number itself.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// The other way.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}

extension ExactDecimal: Codable {
  /// As its digits; in a record as the number itself.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// The other way.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}

/// Writes a text for encoders that know nothing of this library.
func encodeText(_ text: String, to encoder: any Encoder) throws {
  var container = encoder.singleValueContainer()
  try container.encode(text)
}

/// Reads a text that says one of these values.
func decodeText<Result: LosslessStringConvertible>(from decoder: any Decoder) throws -> Result {
  let container = try decoder.singleValueContainer()
  let text = try container.decode(String.self)
  guard let result = Result(text) else {
    throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no \(Result.self)")
  }
  return result
}
