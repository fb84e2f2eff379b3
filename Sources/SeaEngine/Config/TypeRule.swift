import SeaCore

/// A rule for a property of all records of a type, from a setting `type.TYPE/PROPERTY.WORD`. Local writes must follow
/// the rules; changes by other instances are never refused.
package struct TypeRule: Sendable {
  /// The words of the rules. Most of them come from JSON Schema.
  package enum Word: String, CaseIterable, Sendable {
    case required, type, minimum, maximum, `enum`, glob, unique
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
    case glob(Glob)
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
    case .glob: return Glob(text).map { .glob($0) }
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

/// A pattern as in SQL: `*` stands for any text, `?` for one character, and `[a-z]` or `[^a-z]` for one of them. The
/// time grows at most with the length of the pattern times the length of the text.
package struct Glob: Sendable {
  private enum Part {
    case text, one
    case oneOf([ClosedRange<Unicode.Scalar>], isExcluded: Bool)
    case exactly(Unicode.Scalar)
  }

  private var parts: [Part] = []

  package static let longest = 256

  /// - Returns: nil if the pattern is too long or a bracket is not closed.
  package init?(_ pattern: String) {
    guard pattern.utf8.count <= Glob.longest else { return nil }
    let all = Array(pattern.unicodeScalars)
    var k = 0
    while k < all.count {
      defer { k += 1 }
      switch all[k] {
      case "*": parts.append(.text)
      case "?": parts.append(.one)
      case "[":
        let isExcluded = k + 1 < all.count && all[k + 1] == "^"
        let start = k + (isExcluded ? 2 : 1)
        // A bracket that comes first is a member of the set.
        guard start < all.count, let end = all[(start + 1)...].firstIndex(of: "]") else { return nil }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var at = start
        while at < end {
          if at + 2 < end, all[at + 1] == "-" {
            guard all[at] <= all[at + 2] else { return nil }
            ranges.append(all[at]...all[at + 2])
            at += 3
          } else {
            ranges.append(all[at]...all[at])
            at += 1
          }
        }
        parts.append(.oneOf(ranges, isExcluded: isExcluded))
        k = end
      default: parts.append(.exactly(all[k]))
      }
    }
  }

  package func matches(_ string: String) -> Bool {
    let text = string.unicodeScalars
    var (part, at) = (0, text.startIndex)
    // After a mismatch, only the last `*` takes one more character, because earlier ones cannot help.
    var last: (part: Int, at: String.UnicodeScalarView.Index)?
    while at < text.endIndex {
      if part < parts.count, case .text = parts[part] {
        part += 1
        last = (part, at)
      } else if part < parts.count, Glob.fits(parts[part], text[at]) {
        part += 1
        at = text.index(after: at)
      } else if let (next, start) = last {
        let after = text.index(after: start)
        (part, at, last) = (next, after, (next, after))
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { if case .text = $0 { true } else { false } }
  }

  private static func fits(_ part: Part, _ scalar: Unicode.Scalar) -> Bool {
    switch part {
    case .text: false
    case .one: true
    case .oneOf(let ranges, let isExcluded): ranges.contains { $0.contains(scalar) } != isExcluded
    case .exactly(let wanted): wanted == scalar
    }
  }
}
