import SeaCore
import SeaEngine

/// What `set` does to a record: properties that move, go and get values, in this order.
struct RecordChange {
  var assignments: [Assignment] = []
  /// What a record gets besides when it is made.
  var initial: [Assignment] = []
  var removals: [PropertyPath] = []
  private(set) var moves: [(source: PropertyPath, goal: PropertyPath)] = []
  /// Whether a property may become of another kind.
  var replacesType = false
  /// Whether it is for many records, of which some have nothing to move.
  var isForMany = false
  private let moved = Moved()

  /// Which of the moves there was something for.
  private final class Moved { var places: Set<Int> = [] }

  var isEmpty: Bool { assignments.isEmpty && removals.isEmpty && moves.isEmpty }
  var expressions: [String] { assignments.compactMap(\.expression) }
  /// What the log shows of it.
  var label: String { Assignment.label(assignments, removals, moves) }

  /// Adds a move, as `PATH=PATH`.
  mutating func addMove(_ text: String) throws {
    guard let equals = text.firstIndex(of: "=") else {
      throw UsageFault.badValue(
        option: SetCommand.rename.dashed, value: text, expected: .choice(["of the form PATH=PATH"]))
    }
    moves.append(
      (try PropertyPath(String(text[..<equals])), try PropertyPath(String(text[text.index(after: equals)...]))))
  }

  /// What was to be moved and was in no record yet.
  var missing: [String] {
    moves.indices.filter { !moved.places.contains($0) }.map { moves[$0].source.description }
  }

  /// What is to be moved or to go, but for what an earlier move puts there.
  var wanted: [PropertyPath] {
    var made: Set<String> = []
    var wanted: [PropertyPath] = []
    for (source, goal) in moves {
      if !made.contains(source.description) { wanted.append(source) }
      made.insert(goal.description)
    }
    return wanted + removals.filter { !made.contains($0.description) }
  }

  /// The paths that change.
  var touched: [PropertyPath] { assignments.map(\.path) + moves.flatMap { [$0.source, $0.goal] } + removals }

  /// With the ids of the records that references name.
  func naming(_ find: (String) throws -> String) rethrows -> RecordChange {
    var named = self
    named.assignments = try assignments.map { try $0.naming(find) }
    named.initial = try initial.map { try $0.naming(find) }
    return named
  }

  /// Makes sure that what is to go, and is not there, is not a slip.
  /// - Throws: `QueryFault` of a property that no record of the type has, and that is much like one that there is.
  func checkRemovals(of old: Value?, _ type: String?, _ database: Database) throws {
    let moved = moves.map(\.goal.description)
    let missing = removals.filter { path in old?[path] == nil && !moved.contains(path.description) }
    if !missing.isEmpty { _ = try database.queries.unknown(missing, of: type) }
  }

  /// What becomes of the content of a record.
  /// - Parameter computed: what the expressions give for it.
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

  /// A record that is made.
  /// - Parameters:
  ///   - first: what it was named by.
  ///   - type: its type, whose defaults it gets where something is added to them.
  func newContent(
    _ first: RecordText.Match?, _ type: String?, _ id: String, _ database: Database, _ now: Milliseconds,
    _ computed: [QueryValue] = []
  ) throws -> Value {
    var record = Value.empty
    if let first { try record.set(database.records.value(of: first), at: first.path) }
    for one in initial {
      try one.apply(to: &record, id: id, instance: database.instance, replacesType: false, now: now)
    }
    // Only what is added to has to be there: the others come when it is known what the record says itself.
    let grown = assignments.filter { $0.sign != .set }.map(\.path.description)
    let defaults = try grown.isEmpty ? [] : database.records.defaults(of: type)
    for one in defaults where record[one.path] == nil && grown.contains(one.path.description) {
      try? record.set(Value.adopting(one.value, previous: nil, instance: database.instance), at: one.path)
    }
    return try content(from: record, id, database, now, computed)
  }
}
