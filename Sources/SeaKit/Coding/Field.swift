internal import SeaCore

/// The encoded value of a property, and how to combine it with the stored value.
enum Field {
  case value(SeaCore.Value)
  /// A struct or class. The stored object's other properties are kept.
  case object(ObjectBox)
  case array(ArrayBox)
  case unset
  case count(Count)
  case elements(added: [SeaCore.Value], removed: [SeaCore.Value], all: [SeaCore.Value])
  indirect case labeled(Field, String)
  /// A field with references that keep records.
  indirect case keeping(Field, [KeptRecord])

  func keeping(_ records: [KeptRecord]) -> Field { records.isEmpty ? self : .keeping(self, records) }
}

/// The properties of a struct or class, or the entries of a dictionary.
final class ObjectBox {
  /// The index of a field in `fields`, or the range of a plain value in `written`.
  private enum Entry {
    case field(Int)
    case written(Range<Int>)
  }

  private var entries: [(name: String, what: Entry)] = []
  private var fields: [Field] = []
  private var written = ByteWriter(capacity: 128)
  /// Whether this is a dictionary, so that missing keys are removed from the stored value.
  let isWhole: Bool
  var revision: RevisionField?

  init(isWhole: Bool) {
    self.isWhole = isWhole
    entries.reserveCapacity(8)
  }

  func set(_ name: String, _ field: Field) {
    entries.append((name, .field(fields.count)))
    fields.append(field)
  }

  func set(_ name: String, _ write: (inout ByteWriter) -> Void) {
    let start = written.count
    write(&written)
    entries.append((name, .written(start..<written.count)))
  }

  var isPlain: Bool { fields.isEmpty && !isWhole }

  func clear() {
    entries.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    written.truncate(to: 0)
    revision = nil
  }

  func removeIDAndRevision() throws -> Bool {
    var hasID = false
    var revision: Entry?
    entries.removeAll {
      switch $0.name {
      case "id", "_id": hasID = true
      case "_rev": revision = $0.what
      case "_type": break
      default: return false
      }
      return true
    }
    if let revision {
      self.revision = RevisionField(revision: nil)
      if case .value(.string(let text)) = try field(revision) { self.revision?.revision = text }
    }
    return hasID
  }

  var additions: [Addition] {
    entries.flatMap { one -> [Addition] in
      if case .field(let place) = one.what { return fields[place].additions }
      return []
    }
  }

  /// The records that references in the properties keep.
  var kept: [KeptRecord] { fields.flatMap(\.kept) }

  /// Writes the body of a record that has exactly these properties.
  /// - Returns: whether the body contains references. If a value is not plain or cannot be stored, returns nil and
  ///   writes nothing.
  func writeBody(into writer: inout ByteWriter) -> Bool? {
    let start = writer.count
    if writePlain(into: &writer) {
      var cursor = CBORCursor(UnsafeBufferPointer(start: writer.base + start, count: writer.count - start))
      if let hasReferences = try? cursor.skipBody() { return hasReferences }
    }
    writer.truncate(to: start)
    return nil
  }

  /// - Returns: false if a value is not plain. In that case, the bytes written so far are unusable.
  fileprivate func writePlain(into writer: inout ByteWriter) -> Bool {
    var places: [Int] = []
    places.reserveCapacity(entries.count)
    for (place, one) in entries.enumerated() {
      if case .field(let place) = one.what, case .unset = fields[place] { continue }
      // A name that begins with `$` must be escaped.
      if one.name.utf8.first == 0x24 { return false }
      places.append(place)
    }
    places.sort { Members.precedes(entries[$0].name, entries[$1].name) }
    writer.cborMap(places.count)
    for place in places {
      writer.cborText(entries[place].name)
      switch entries[place].what {
      case .written(let range): writer.append(UnsafeBufferPointer(rebasing: written.bytes[range]))
      case .field(let place): guard fields[place].writePlain(into: &writer) else { return false }
      }
    }
    return true
  }
}

extension Field {
  fileprivate func writePlain(into writer: inout ByteWriter) -> Bool {
    switch self {
    case .value(let value):
      switch value {
      case .bool, .integer, .bigInteger, .decimal, .string, .date, .day, .data, .reference, .asset:
        value.encode(into: &writer)
      default: return false
      }
      return true
    case .object(let box): return box.writePlain(into: &writer)
    case .array(let box):
      writer.cborArray(box.fields.count)
      for field in box.fields { guard field.writePlain(into: &writer) else { return false } }
      return true
    case .keeping(let field, _): return field.writePlain(into: &writer)
    case .unset, .count, .elements, .labeled: return false
    }
  }
}

final class ArrayBox {
  var fields: [Field] = []
}

extension Field {
  /// Returns the value that replaces `old`; nil to remove the property.
  func applied(to old: SeaCore.Value?, at names: [String]) throws -> SeaCore.Value? {
    switch self {
    case .value(.null) where names.count == 1: return nil
    case .value(let value): return value.labeled(as: old)
    case .object(let box): return try box.applied(to: old, at: names).labeled(as: old)
    case .array(let box):
      return .array(try box.fields.map { try $0.applied(to: nil, at: names) ?? .null }).labeled(as: old)
    case .unset: return nil
    case .count(let count):
      guard let delta = count.delta else { throw SeaError(.badData, "the sum is too large for a counter") }
      if old == nil { return .counterDraft(count.total) }
      var value = SeaCore.Value.dictionary(Members([("c", old ?? .null)]))
      try value.count(delta, at: ["c"])
      return value.members?["c"]
    case .elements(let added, let removed, let all):
      guard old != nil else { return .setDraft(all) }
      var value = SeaCore.Value.dictionary(Members([("s", old ?? .null)]))
      try value.change(["s"], adding: added, removing: removed)
      return value.members?["s"]
    case .labeled(let field, let label):
      return try field.applied(to: nil, at: names).map { .labeled($0, label) }
    case .keeping(let field, _): return try field.applied(to: old, at: names)
    }
  }
}

extension ObjectBox {
  func applied(to old: SeaCore.Value?, at names: [String] = []) throws -> SeaCore.Value {
    var members = Members()
    let known = old?.unlabeled.members
    if !isWhole, let known { members = known }
    for (name, what) in entries {
      do { members[name] = try field(what).applied(to: known?[name], at: names + [name]) } catch let error as SeaError {
        throw error.within(names + [name])
      }
    }
    return .dictionary(members)
  }

  private func field(_ said: Entry) throws -> Field {
    switch said {
    case .field(let place): fields[place]
    case .written(let range):
      .value(try SeaCore.Value.decode(value: UnsafeBufferPointer(rebasing: written.bytes[range])))
    }
  }
}

/// A type that has a special encoding in records.
protocol FieldConvertible {
  func field() throws -> Field
  /// - Throws: `DecodingError` if the value is of a different kind.
  static func read(_ value: SeaCore.Value, _ decoder: StoredDecoder) throws -> Self
}

extension Counter: FieldConvertible {
  func field() -> Field { .count(count) }

  static func read(_ value: SeaCore.Value, _ decoder: StoredDecoder) throws -> Counter {
    switch value.unlabeled {
    case .counter(let counter): return Counter(read: counter.value)
    case .counterDraft(let count): return Counter(read: count)
    default: throw decoder.mismatch(Counter.self, value)
    }
  }
}

extension MergeSet: FieldConvertible {
  func field() throws -> Field {
    let kept =
      Element.self is any ReferenceHolder.Type ? added.flatMap { ($0 as? any ReferenceHolder)?.kept ?? [] } : []
    func encoded(_ elements: Set<Element>) throws -> [SeaCore.Value] {
      try elements.map { try RecordEncoder.value(of: $0) }
    }
    return .elements(added: try encoded(added), removed: try encoded(removed), all: try encoded(elements))
      .keeping(kept)
  }

  static func read(_ value: SeaCore.Value, _ decoder: StoredDecoder) throws -> MergeSet {
    let values: [SeaCore.Value]
    switch value.unlabeled {
    case .set(let set): values = set.elements
    case .setDraft(let elements): values = elements
    default: throw decoder.mismatch(MergeSet.self, value)
    }
    return MergeSet(read: Set(try values.map { try decoder.decode(Element.self, from: $0) }))
  }
}

extension Labeled: FieldConvertible {
  func field() throws -> Field { .labeled(try RecordEncoder.field(of: value, path: []), label) }

  static func read(_ value: SeaCore.Value, _ decoder: StoredDecoder) throws -> Labeled {
    guard case .labeled(let inner, let label) = value else { throw decoder.mismatch(Labeled.self, value) }
    return Labeled(try decoder.decode(Content.self, from: inner), label)
  }
}

/// A dictionary with string keys, which are data and not property names.
protocol StringDictionary {}
extension Dictionary: StringDictionary where Key == String {}

protocol PlainArray {}
extension Array: PlainArray {}
