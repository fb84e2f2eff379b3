import SeaKit

/// A value in a record, with its path. Dictionaries and arrays are opened, so that each field is one value.
struct Field: Sendable {
  let names: [String]
  let value: Value

  var kind: Kind { Kind(value) }
  var pointer: String { Field.pointer(names) }

  /// The path as people write it: `address.city`, or a JSON Pointer if a name has a dot or a slash.
  var title: String { Field.title(names) }

  static func title(_ names: [String]) -> String {
    names.allSatisfy { !$0.isEmpty && !$0.contains(".") && !$0.contains("/") }
      ? names.joined(separator: ".") : pointer(names)
  }

  static func pointer(_ names: [String]) -> String {
    names.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }

  /// The names in a JSON Pointer.
  static func names(of pointer: String) -> [String] {
    pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }

  static let most = 500

  /// The fields of a record, in the order of their names.
  static func all(of properties: [String: Value]) -> [Field] {
    var all: [Field] = []
    for (name, value) in properties.sorted(by: { order($0.key, $1.key) }) { add([name], value, to: &all) }
    return all
  }

  private static func add(_ names: [String], _ value: Value, to all: inout [Field]) {
    guard all.count < most else { return }
    switch value.unlabeled {
    case .dictionary(let members) where !members.isEmpty:
      for (name, value) in members.sorted(by: { order($0.key, $1.key) }) { add(names + [name], value, to: &all) }
    case .array(let values) where !values.isEmpty:
      for (k, value) in values.enumerated() { add(names + [String(k)], value, to: &all) }
    default: all.append(Field(names: names, value: value))
    }
  }

  /// Returns whether a name comes first: titles come first, then all others in alphabetical order.
  static func order(_ a: String, _ b: String) -> Bool {
    let (first, second) = (Title.rank(a), Title.rank(b))
    return first == second ? a < b : first < second
  }
}

/// The titles of records.
enum Title {
  private static let names = ["title", "name", "label", "subject", "summary", "caption"]

  static func rank(_ name: String) -> Int { names.firstIndex(of: name.lowercased()) ?? names.count }

  /// Returns the name of the property that is the title of a record, or nil if it has none.
  static func name(in record: Record) -> String? {
    record.properties.keys.filter { rank($0) < names.count && !record.properties[$0]!.fieldText.isEmpty }
      .min { (rank($0), $0) < (rank($1), $1) }
  }

  /// Returns the title of a record, or the beginning of a long one; nil if it has none.
  static func of(_ record: Record) -> String? { name(in: record).map { record.properties[$0]!.fieldText.cut(300) } }

  /// Some short values, by which people tell records with the same title apart.
  static func hints(of record: Record, most: Int) -> [Field] {
    let title = name(in: record)
    return Array(
      Field.all(of: record.properties).lazy.filter {
        [.text, .number, .decimal, .day].contains($0.kind) && $0.names != title.map { [$0] }
          && (1...30).contains($0.value.fieldText.count)
      }.prefix(most))
  }

  /// The title or the id of a record, with some short values.
  static func described(_ record: Record) -> String {
    let hints = hints(of: record, most: 2).map { "\($0.title) \($0.value.fieldText)" }
    return ([(of(record) ?? record.id).cut(60)] + hints).joined(separator: ", ")
  }
}
