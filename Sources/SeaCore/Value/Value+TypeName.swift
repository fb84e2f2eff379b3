extension Value {
  /// What kind of value it is, in the words of sea-record(5).
  package var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .integer, .bigInteger: "integer"
    case .double: "double"
    case .decimal: "decimal"
    case .string: "string"
    case .date: "date"
    case .data: "data"
    case .array, .packed: "array"
    case .dictionary: "dictionary"
    case .reference: "reference"
    case .asset: "asset"
    case .counter, .counterDraft: "counter"
    case .set, .setDraft: "set"
    case .labelled(let value, _): value.typeName
    }
  }
}
