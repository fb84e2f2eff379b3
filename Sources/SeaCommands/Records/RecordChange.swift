import SeaCore
import SeaEngine

/// The changes that `set` makes to a record: first it moves properties, then it removes some, then it assigns values.
struct RecordChange {
  var assignments: [Assignment] = []
  /// Assignments that apply only to new records.
  var initial: [Assignment] = []
  var removals: [PropertyPath] = []
  private(set) var moves: [(source: PropertyPath, goal: PropertyPath)] = []
  var replacesType = false
  /// Whether the change applies to many records, some of which may lack the properties to move.
  var isForMany = false
  private let moved = Moved()

  /// The indices of the moves whose source property was found in at least one record.
  private final class Moved { var places: Set<Int> = [] }

  var isEmpty: Bool { assignments.isEmpty && removals.isEmpty && moves.isEmpty }
  var expressions: [String] { assignments.compactMap(\.expression) }
  var label: String { Assignment.label(assignments, removals, moves) }

  /// Adds a move given as `PATH=PATH`.
  mutating func addMove(_ text: String) throws {
    guard let equals = text.firstIndex(of: "=") else {
      throw UsageFault.badValue(
        option: SetCommand.rename.dashed, value: text, expected: .choice(["PATH=PATH"]))
    }
    moves.append(
      (try PropertyPath(String(text[..<equals])), try PropertyPath(String(text[text.index(after: equals)...]))))
  }

  var missing: [String] {
    moves.indices.filter { !moved.places.contains($0) }.map { moves[$0].source.description }
  }

  var wanted: [PropertyPath] {
    var made: Set<String> = []
    var wanted: [PropertyPath] = []
    for (source, goal) in moves {
      if !made.contains(source.description) { wanted.append(source) }
      made.insert(goal.description)
    }
    return wanted + removals.filter { !made.contains($0.description) }
  }

  var touched: [PropertyPath] { assignments.map(\.path) + moves.flatMap { [$0.source, $0.goal] } + removals }

  func naming(_ find: (String) throws -> String) rethrows -> RecordChange {
    var named = self
    named.assignments = try assignments.map { try $0.naming(find) }
    named.initial = try initial.map { try $0.naming(find) }
    return named
  }

  /// Checks whether the name of a property to remove is misspelled.
  /// - Throws: `QueryFault` if no record of the type has the property and another property has a similar name.
  func checkRemovals(of old: Value?, _ type: String?, _ database: Database) throws {
    let moved = moves.map(\.goal.description)
    let missing = removals.filter { path in old?[path] == nil && !moved.contains(path.description) }
    if !missing.isEmpty { _ = try database.queries.unknown(missing, of: type) }
  }

  /// Returns the content of a record after the change.
  func content(
    from old: Value?, _ id: String, _ database: Database, _ now: Milliseconds, _ computed: [QueryValue] = []
  ) throws -> Value {
    var record = old ?? .empty
    for (k, (source, goal)) in moves.enumerated() {
      guard record[source] != nil else {
        if isForMany { continue }
        throw KitError.propertyNotFound(id: id, path: source.description)
      }
      guard replacesType || record[goal] == nil || UTF8Text.equal(source.description, goal.description) else {
        throw KitError.propertyExists(id: id, path: goal.description)
      }
      try record.rename(source, to: goal)
      moved.places.insert(k)
    }
    for path in removals { record.remove(at: path) }
    var values = computed[...]
    for one in assignments {
      try one.apply(
        to: &record, id: id, instance: database.instance, replacesType: replacesType, now: now, before: old,
        computed: one.expression == nil ? nil : values.popFirst())
    }
    return record
  }

  /// Returns the content of a new record.
  /// - Parameters:
  ///   - first: the string that named the record.
  ///   - type: the record type, whose default values `+=` and `-=` start from.
  func newContent(
    _ first: RecordText.Match?, _ type: String?, _ id: String, _ database: Database, _ now: Milliseconds,
    _ computed: [QueryValue] = []
  ) throws -> Value {
    var record = Value.empty
    if let first { try record.set(database.records.value(of: first), at: first.path) }
    for one in initial {
      try one.apply(to: &record, id: id, instance: database.instance, replacesType: false, now: now)
    }
    // Only `+=` and `-=` need default values now. The other default values are added when the content is complete.
    let grown = assignments.filter { $0.sign != .set }.map(\.path.description)
    let defaults = try grown.isEmpty ? [] : database.records.defaults(of: type)
    for one in defaults where record[one.path] == nil && grown.contains(one.path.description) {
      try? record.set(Value.adopting(one.value, previous: nil, instance: database.instance), at: one.path)
    }
    return try content(from: record, id, database, now, computed)
  }
}
