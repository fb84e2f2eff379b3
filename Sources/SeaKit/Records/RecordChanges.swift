internal import SeaCore

/// What was done to a record since it was read, in its order; and doing it to what the record says when it is saved.
struct RecordChanges: Sendable {
  private enum Step {
    case set([String], Value?)
    case add(String, Int128)
    case insert(String, Value)
    case remove(String, Value)

    var name: String {
      switch self {
      case .set(let names, _): names.first ?? ""
      case .add(let name, _), .insert(let name, _), .remove(let name, _): name
      }
    }
  }

  private var steps: [Step] = []

  var isEmpty: Bool { steps.isEmpty }

  var names: [String] {
    var seen: Set<String> = []
    return steps.map(\.name).filter { seen.insert($0).inserted }
  }

  /// What is set whole makes up for what was done before.
  mutating func set(_ names: [String], _ value: Value?) {
    if names.count == 1 { steps.removeAll { $0.name == names[0] } }
    steps.append(.set(names, value))
  }

  mutating func add(_ name: String, _ delta: Int128) { steps.append(.add(name, delta)) }
  mutating func insert(_ name: String, _ element: Value) { steps.append(.insert(name, element)) }
  mutating func remove(_ name: String, _ element: Value) { steps.append(.remove(name, element)) }

  /// - Parameters:
  ///   - old: the body as it is now; nil of a new record.
  ///   - names: the properties that it is done to; nil for all.
  func applied(to old: SeaCore.Value?, only names: Set<String>? = nil) throws -> SeaCore.Value {
    var body = old ?? .empty
    for step in steps where names?.contains(step.name) ?? true {
      switch step {
      case .set(let names, let value):
        let path = PropertyPath(names: names)
        if let value {
          try body.set(value.stored.labelled(as: body[path]), at: path)
        } else {
          body.remove(at: path)
        }
      case .add(let name, let delta): try body.count(delta, at: [name])
      case .insert(let name, let element): try body.change([name], adding: [element.stored], removing: [])
      case .remove(let name, let element): try body.change([name], adding: [], removing: [element.stored])
      }
    }
    return body
  }
}

extension SeaCore.Value {
  /// Counts on in a counter, which is made where there is nothing.
  mutating func count(_ delta: Int128, at names: [String]) throws {
    let path = PropertyPath(names: names)
    let known: Int128
    switch self[path]?.unlabelled {
    case .counter(let counter)?: known = counter.value
    case .counterDraft(let value)?: known = value
    case nil, .null?: known = 0
    default: throw SeaError(.badData, "'\(path)' is no counter")
    }
    let (sum, overflow) = known.addingReportingOverflow(delta)
    guard !overflow else { throw SeaError(.badData, "'\(path)' is counted too far") }
    // The state is that of before: the draft says what it comes to.
    try set(.counterDraft(sum), at: path)
  }

  /// Adds and removes elements of a set, which is made where there is nothing.
  mutating func change(_ names: [String], adding: [SeaCore.Value], removing: [SeaCore.Value]) throws {
    let path = PropertyPath(names: names)
    var set: ElementSet
    switch self[path]?.unlabelled {
    case .set(let known)?: set = known
    case .setDraft(let values)?: set = ElementSet().changed(to: values)
    case nil, .null?: set = ElementSet()
    default: throw SeaError(.badData, "'\(path)' is no set")
    }
    for element in removing { set.remove(element) }
    for element in adding { set.addAnew(element) }
    try self.set(.set(set), at: path)
  }
}
