import SeaCore
import SeaEngine

extension Assignment {
  /// The property that the expression is nothing but the name of.
  private var source: PropertyPath? {
    guard let expression else { return nil }
    let (start, end) = ("prop(_id,", "')")
    guard expression.hasPrefix(start), expression.hasSuffix(end) else { return PropertyPath(names: [expression]) }
    let path = expression.dropFirst(start.count).dropLast(end.count).drop { $0 == " " }
    guard path.first == "'", !path.dropFirst().contains("'") else { return nil }
    return try? PropertyPath(String(path.dropFirst()))
  }

  /// The value of the property that the expression is the name of, in a record as it was, where it can be another's as it is.
  func copied(from before: Value?) -> Value? {
    guard let source, let value = before?[source] else { return nil }
    switch value.unlabelled {
    // What is shown of a counter is a number.
    case .double, .string, .counter, .null: return nil
    // Counters and sets begin anew there.
    default: return value.draft
    }
  }

  /// Whether the expression names an array or dictionary with values that the JSON of SQL does not keep.
  func losesKinds(of before: Value?) -> Bool {
    guard let members = before?.members, let expression else { return false }
    func folded(_ text: some Collection<UInt8>) -> [UInt8] { text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
    let words = expression.utf8.split { byte in
      !(byte == 0x5F || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20))
    }
    let named = Set(words.map { folded($0) })
    return members.entries.contains { name, value in
      switch value.unlabelled {
      case .array, .dictionary: named.contains(folded(name.utf8)) && !value.unlabelled.survivesJSON
      default: false
      }
    }
  }
}
