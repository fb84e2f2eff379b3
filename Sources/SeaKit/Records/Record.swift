internal import SeaCore

/// A record whose properties the program need not know in advance.
///
///     var bird = Record(type: "bird", ["name": "wren"])
///     bird.seen = 3
///     let name: String? = bird.name
///
/// A record tracks its changes since it was read, and saving writes only these changes. Changes made by others in the
/// meantime are kept.
@dynamicMemberLookup
public struct Record: Sendable, Identifiable {
  /// The id of the record.
  public let id: String
  /// The type of the record; nil if it has no type.
  public var type: String? { didSet { isRetyped = true } }
  /// The revision that was read; nil for a new record.
  public internal(set) var revision: Revision?
  /// The revisions that conflict with `revision`; empty if the record is not in conflict.
  public internal(set) var conflicts: [Revision] = []
  /// The current properties, by name.
  public private(set) var properties: [String: Value]
  var changes = RecordChanges()
  private(set) var isRetyped = false

  /// Creates a new record.
  public init(type: String?, id: String = RecordID.new(), _ properties: [String: Value] = [:]) {
    self.id = id
    self.type = type
    self.properties = properties
    for (name, value) in properties { changes.set([name], value) }
  }

  init(read id: String, type: String?, _ revision: RevisionID, conflicts: [RevisionID], _ body: Members) {
    self.id = id
    self.type = type
    self.revision = Revision(revision)
    self.conflicts = conflicts.map(Revision.init)
    properties = Value.members(body)
  }

  // MARK: - Properties

  /// The value of a property. Setting nil removes the property.
  public subscript(_ name: String) -> Value? {
    get { properties[name] }
    set {
      properties[name] = newValue
      changes.set([name], newValue)
    }
  }

  /// The value of a property, converted to a type; nil if it is absent or of another kind. To get an error in these
  /// cases, use `value(_:as:)`.
  public subscript<Wanted: ValueConvertible>(_ name: String, as kind: Wanted.Type = Wanted.self) -> Wanted? {
    get { properties[name].flatMap { Wanted($0) } }
    set { self[name] = newValue?.value }
  }

  /// The value of a property, as in `bird.name`. Setting nil removes the property.
  public subscript(dynamicMember name: String) -> Value? {
    get { self[name] }
    set { self[name] = newValue }
  }

  /// The value of a property, as in `bird.name`, converted to a type; nil if it is absent or of another kind.
  public subscript<Wanted: ValueConvertible>(dynamicMember name: String) -> Wanted? {
    get { self[name, as: Wanted.self] }
    set { self[name] = newValue?.value }
  }

  /// Returns the value of a required property, converted to a type.
  /// - Throws: `SeaError` with the code `bad-data` if the property is missing or of another kind.
  public func value<Wanted: ValueConvertible>(_ name: String, as kind: Wanted.Type = Wanted.self) throws -> Wanted {
    guard let value = properties[name] else { throw SeaError.badProperty(id, name, "is missing") }
    guard let wanted = Wanted(value) else { throw SeaError.badProperty(id, name, "is not of type \(kind)") }
    return wanted
  }

  /// The value at a path: a JSON Pointer (RFC 6901) if it begins with `/`, or names joined by dots otherwise. Setting
  /// nil removes the value. Setting a value creates missing dictionaries on the path.
  public subscript(path path: String) -> Value? {
    get { (try? PropertyPath(path)).flatMap { Value.dictionary(properties)[$0.names[...]] } }
    set {
      guard let names = (try? PropertyPath(path))?.names else { return }
      var all = Value.dictionary(properties)
      all.set(names[...], newValue)
      if case .dictionary(let members) = all { properties = members }
      changes.set(names, newValue)
    }
  }

  // MARK: - Counters and sets

  /// Adds a positive or negative number to a counter. When the record is saved, the number is added to the value that
  /// is stored then.
  public mutating func add(_ delta: Int128, to name: String) {
    let known: Int128
    if case .counter(let value)? = properties[name] { known = value } else { known = 0 }
    let (sum, overflow) = known.addingReportingOverflow(delta)
    properties[name] = .counter(overflow ? (delta < 0 ? .min : .max) : sum)
    changes.add(name, delta)
  }

  /// Adds an element to a set. When the record is saved, the element is added to the set that is stored then.
  public mutating func insert(_ element: some ValueConvertible, into name: String) {
    var elements = elements(of: name)
    if !elements.contains(element.value) { elements.append(element.value) }
    properties[name] = .set(elements)
    changes.insert(name, element.value)
  }

  /// Removes an element from a set. When the record is saved, the element is removed from the set that is stored then.
  public mutating func remove(_ element: some ValueConvertible, from name: String) {
    properties[name] = .set(elements(of: name).filter { $0 != element.value })
    changes.remove(name, element.value)
  }

  private func elements(of name: String) -> [Value] {
    if case .set(let elements)? = properties[name] { elements } else { [] }
  }

  // MARK: - Changes

  /// Whether the record is new and has not been saved yet.
  public var isNew: Bool { revision == nil }
  /// Whether saving the record would write anything.
  public var hasChanges: Bool { isNew || isRetyped || !changes.isEmpty }
  /// The names of the properties that have been changed since the record was read, without duplicates.
  public var changedNames: [String] { changes.names }

  mutating func saved(as revision: Revision) {
    (self.revision, changes, isRetyped) = (revision, RecordChanges(), false)
  }
}

extension Record: Equatable {
  /// Returns whether both values represent the same record, with the same content and revision.
  public static func == (a: Record, b: Record) -> Bool {
    a.id == b.id && a.type == b.type && a.revision == b.revision && a.properties == b.properties
  }
}

extension Value {
  fileprivate subscript(_ names: ArraySlice<String>) -> Value? {
    guard let name = names.first else { return self }
    switch unlabeled {
    case .dictionary(let members): return members[name]?[names.dropFirst()]
    case .array(let values):
      guard let index = Int(name), values.indices.contains(index) else { return nil }
      return values[index][names.dropFirst()]
    default: return nil
    }
  }

  fileprivate mutating func set(_ names: ArraySlice<String>, _ value: Value?) {
    guard let name = names.first else { return }
    let rest = names.dropFirst()
    switch self {
    case .dictionary(var members):
      if rest.isEmpty {
        members[name] = value
      } else {
        var next = members[name] ?? .dictionary([:])
        next.set(rest, value)
        members[name] = next
      }
      self = .dictionary(members)
    case .array(var values):
      guard let index = name == "-" ? values.count : Int(name), index <= values.count, index >= 0 else { return }
      if rest.isEmpty {
        if let value {
          if index < values.count { values[index] = value } else { values.append(value) }
        } else if index < values.count {
          values.remove(at: index)
        }
      } else if index < values.count {
        values[index].set(rest, value)
      }
      self = .array(values)
    case .labeled(var inner, let label):
      inner.set(names, value)
      self = .labeled(inner, label: label)
    default: break
    }
  }
}

/// The changes to a record since it was read, in order. Saving applies them to the stored content.
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

  /// Setting a whole property supersedes its earlier changes.
  mutating func set(_ names: [String], _ value: Value?) {
    if names.count == 1 { steps.removeAll { $0.name == names[0] } }
    steps.append(.set(names, value))
  }

  mutating func add(_ name: String, _ delta: Int128) { steps.append(.add(name, delta)) }
  mutating func insert(_ name: String, _ element: Value) { steps.append(.insert(name, element)) }
  mutating func remove(_ name: String, _ element: Value) { steps.append(.remove(name, element)) }

  /// - Parameter names: the properties whose changes to apply; nil for all.
  func applied(to old: SeaCore.Value?, only names: Set<String>? = nil) throws -> SeaCore.Value {
    var body = old ?? .empty
    for step in steps where names?.contains(step.name) ?? true {
      switch step {
      case .set(let names, let value):
        let path = PropertyPath(names: names)
        if let value {
          try body.set(value.stored.labeled(as: body[path]), at: path)
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
  mutating func count(_ delta: Int128, at names: [String]) throws {
    let path = PropertyPath(names: names)
    let known: Int128
    switch self[path]?.unlabeled {
    case .counter(let counter)?: known = counter.value
    case .counterDraft(let value)?: known = value
    case nil, .null?: known = 0
    default: throw SeaError(.badData, "'\(path)' is not a counter")
    }
    let (sum, overflow) = known.addingReportingOverflow(delta)
    guard !overflow else { throw SeaError(.badData, "the counter '\(path)' overflowed") }
    // The draft contains the new value. The counter's stored state is updated when the body is encoded.
    try set(.counterDraft(sum), at: path)
  }

  /// Adds elements to a set and removes elements from it, creating the set if necessary.
  mutating func change(_ names: [String], adding: [SeaCore.Value], removing: [SeaCore.Value]) throws {
    let path = PropertyPath(names: names)
    var set: ElementSet
    switch self[path]?.unlabeled {
    case .set(let known)?: set = known
    case .setDraft(let values)?: set = ElementSet().changed(to: values)
    case nil, .null?: set = ElementSet()
    default: throw SeaError(.badData, "'\(path)' is not a set")
    }
    for element in removing { set.remove(element) }
    for element in adding { set.addAnew(element) }
    try self.set(.set(set), at: path)
  }
}
