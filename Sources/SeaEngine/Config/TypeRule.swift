import SeaCore

/// A rule for a property of all records of a type, from a setting `type.TYPE/PROPERTY.WORD`. Local writes must follow
/// the rules; changes by other instances are never refused.
package struct TypeRule: Sendable {
  /// The words of the rules, most of them from JSON Schema.
  package enum Word: String, CaseIterable, Sendable {
    case required, type, minimum, maximum, `enum`, pattern, unique
  }

  package enum Kind: String, CaseIterable, Sendable {
    case string, number, int, decimal, bool, date, day, data, ref, asset, counter, set, array, dictionary
  }

  package enum Demand: Sendable {
    case required, unique
    case kind(Kind)
    case minimum(Value)
    case maximum(Value)
    case oneOf([Value])
    case pattern(LinearPattern)
  }

  package let word: Word
  package let path: PropertyPath
  /// The name of the setting.
  let setting: String
  /// The value of the setting.
  package let text: String
  package let demand: Demand

  /// - Returns: nil if the setting is invalid or demands nothing.
  init?(_ word: Word, _ path: PropertyPath, _ text: String, setting: String) {
    guard let demand = TypeRule.demand(word, text) ?? nil else { return nil }
    (self.word, self.path, self.text, self.setting, self.demand) = (word, path, text, setting, demand)
  }

  /// The maximum size of a pattern in bytes and in steps, because other instances can choose the pattern.
  package static let mostPattern = 256

  /// Returns nil for an invalid value, and `.some(nil)` for a value that turns the rule off.
  static func demand(_ word: Word, _ text: String) -> Demand?? {
    if text.isEmpty { return .some(nil) }
    switch word {
    case .required: return ConfigType.bool(text).map { $0 ? .required : nil }
    case .unique: return ConfigType.bool(text).map { $0 ? .unique : nil }
    case .type: return Kind(rawValue: text).map { .kind($0) }
    case .minimum: return bound(text).map { .minimum($0) }
    case .maximum: return bound(text).map { .maximum($0) }
    case .enum:
      guard case .array(let values)? = (try? Value.json(text))?.unpacked, !values.isEmpty else { return nil }
      return .oneOf(values)
    case .pattern:
      guard text.utf8.count <= mostPattern, let pattern = try? LinearPattern(text), pattern.count <= mostPattern else {
        return nil
      }
      return .pattern(pattern)
    }
  }

  private static func bound(_ text: String) -> Value? {
    if let day = CalendarDay.parse(text) { return .day(day) }
    if let date = Array(text.utf8).withUnsafeBufferPointer({ Instant.parse($0) }) { return .date(date) }
    switch try? Value.json(text) {
    case let number?:
      switch number {
      case .integer, .bigInteger, .double, .decimal: return number
      default: return nil
      }
    case nil: return nil
    }
  }
}

extension TypeRule.Kind {
  package func includes(_ value: Value) -> Bool {
    switch (self, value.unlabeled) {
    case (.string, .string), (.bool, .bool), (.date, .date), (.day, .day), (.data, .data), (.ref, .reference),
      (.asset, .asset), (.counter, .counter), (.set, .set), (.array, .array), (.array, .packed),
      (.dictionary, .dictionary), (.int, .integer), (.int, .bigInteger), (.decimal, .decimal), (.number, .integer),
      (.number, .bigInteger), (.number, .double), (.number, .decimal):
      true
    default: false
    }
  }
}
