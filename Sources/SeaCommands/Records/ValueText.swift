import SeaCore
import SeaEngine

/// A value as it is written on the command line, under the name of its type.
struct ValueText {
  let bytes: [UInt8]
  let now: Milliseconds
  let limits: RecordLimits

  var integer: Int64? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return Int64(text)
  }

  /// - Throws: `KitError.BadValue`, and `CoreError` where the bytes are JSON or an id.
  func value(_ type: String) throws -> Value {
    if type == "data" {
      guard bytes.count <= limits.maxData else { throw KitError.BadValue.tooLong }
      return .data(bytes)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw KitError.BadValue.notText }
    switch type {
    case "json": return try Value.json(text, limits: limits)
    case "int": return try form("$int", text, .notAnInteger)
    case "decimal": return try form("$decimal", text, .notADecimal)
    case "ref":
      try Name.check(text)
      return .reference(id: text, kind: nil)
    case "date":
      if let exact = Array(text.utf8).withUnsafeBufferPointer({ Instant.parse($0) }) { return .date(exact) }
      guard let time = TimeText.parse(text, now: now), Instant.range.contains(time) else {
        throw KitError.BadValue.notADate
      }
      return .date(time)
    case "counter":
      guard let integer else { throw KitError.BadValue.notAnInteger }
      return .counterDraft(Int128(integer))
    case "set":
      guard case .array(let elements) = try Value.json(text, limits: limits) else { throw KitError.BadValue.notAnArray }
      return .setDraft(elements)
    default: return .string(text)
    }
  }

  /// A value that JSON writes as an object with one key.
  private func form(_ key: String, _ text: String, _ reason: KitError.BadValue) throws -> Value {
    do {
      return try Value.json(Field.object([key: .string(text)]).encoded)
    } catch .badJSON {
      throw reason
    }
  }
}

extension Value {
  /// What kind of property this is; numbers of all kinds are one.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .bigInteger, .double, .decimal: "a number"
    case .string: "text"
    case .date: "a date"
    case .data: "data"
    case .array, .packed: "an array"
    case .dictionary: "a dictionary"
    case .reference: "a reference"
    case .asset: "an asset"
    case .counter, .counterDraft: "a counter"
    case .set, .setDraft: "a set"
    case .labelled(let value, _): value.kindName
    }
  }
}
