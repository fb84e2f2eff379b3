internal import SeaCore

/// What a typed record says of one property: what is written there, and how that goes together with what is there already.
indirect enum Field {
  case value(SeaCore.Value)
  /// A struct or class: what the record has there beside its properties stays.
  case object(ObjectBox)
  case array(ArrayBox)
  /// An optional that is nil.
  case unset
  /// What was counted, and what it comes to where there is none.
  case count(Int128, total: Int128)
  case elements(added: [SeaCore.Value], removed: [SeaCore.Value], all: [SeaCore.Value])
  case labelled(Field, String)
}

/// The properties of a struct or class, or the pairs of a dictionary.
final class ObjectBox {
  var fields: [(name: String, field: Field)] = []
  /// Whether it is a dictionary of the program's: what is not in it is not there.
  let isWhole: Bool

  init(isWhole: Bool) { self.isWhole = isWhole }

  func set(_ name: String, _ field: Field) { fields.append((name, field)) }
}

final class ArrayBox {
  var fields: [Field] = []
}

extension Field {
  /// What is written where `old` stands; nil for nothing.
  func applied(to old: SeaCore.Value?, at names: [String]) throws -> SeaCore.Value? {
    switch self {
    case .value(.null) where names.count == 1: return nil
    case .value(let value): return value.labelled(as: old)
    case .object(let box): return try box.applied(to: old, at: names).labelled(as: old)
    case .array(let box):
      return .array(try box.fields.map { try $0.applied(to: nil, at: names) ?? .null }).labelled(as: old)
    case .unset: return nil
    case .count(_, let total) where old == nil: return .counterDraft(total)
    case .count(let delta, _):
      var value = SeaCore.Value.dictionary(Members([("c", old ?? .null)]))
      try value.count(delta, at: ["c"])
      return value.members?["c"]
    case .elements(let added, let removed, let all):
      guard old != nil else { return .setDraft(all) }
      var value = SeaCore.Value.dictionary(Members([("s", old ?? .null)]))
      try value.change(["s"], adding: added, removing: removed)
      return value.members?["s"]
    case .labelled(let field, let label):
      return try field.applied(to: nil, at: names).map { .labelled($0, label) }
    }
  }
}

extension ObjectBox {
  func applied(to old: SeaCore.Value?, at names: [String] = []) throws -> SeaCore.Value {
    var members = Members()
    let known = old?.unlabelled.members
    if !isWhole, let known { members = known }
    for (name, field) in fields {
      do { members[name] = try field.applied(to: known?[name], at: names + [name]) } catch let error as SeaError {
        throw error.within(names + [name])
      }
    }
    return .dictionary(members)
  }
}

/// A type that says itself what becomes of it in a record.
protocol FieldConvertible {
  func field() throws -> Field
  /// - Throws: `SeaError` if the value is none of these.
  static func read(_ value: SeaCore.Value, _ decoder: StoredDecoder) throws -> Self
}

extension Counter: FieldConvertible {
  func field() -> Field { .count(pending, total: value) }

  static func read(_ value: SeaCore.Value, _ decoder: StoredDecoder) throws -> Counter {
    switch value.unlabelled {
    case .counter(let counter): return Counter(read: counter.value)
    case .counterDraft(let count): return Counter(read: count)
    default: throw decoder.mismatch(Counter.self, value)
    }
  }
}

extension MergeSet: FieldConvertible {
  func field() throws -> Field {
    func encoded(_ elements: Set<Element>) throws -> [SeaCore.Value] {
      try elements.map { try RecordEncoder.value(of: $0) }
    }
    return .elements(added: try encoded(added), removed: try encoded(removed), all: try encoded(elements))
  }

  static func read(_ value: SeaCore.Value, _ decoder: StoredDecoder) throws -> MergeSet {
    let values: [SeaCore.Value]
    switch value.unlabelled {
    case .set(let set): values = set.elements
    case .setDraft(let elements): values = elements
    default: throw decoder.mismatch(MergeSet.self, value)
    }
    return MergeSet(read: Set(try values.map { try decoder.decode(Element.self, from: $0) }))
  }
}

extension Labelled: FieldConvertible {
  func field() throws -> Field { .labelled(try RecordEncoder.field(of: value, path: []), label) }

  static func read(_ value: SeaCore.Value, _ decoder: StoredDecoder) throws -> Labelled {
    guard case .labelled(let inner, let label) = value else { throw decoder.mismatch(Labelled.self, value) }
    return Labelled(try decoder.decode(Content.self, from: inner), label)
  }
}

/// A dictionary of the program's: its keys are data, not names of properties.
protocol StringDictionary {}
extension Dictionary: StringDictionary where Key == String {}

/// An array of whatever.
protocol PlainArray {}
extension Array: PlainArray {}
