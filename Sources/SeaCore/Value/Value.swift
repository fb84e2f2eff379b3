/// A decoded value, for code that inspects or changes a record. Other code works with encoded bodies.
package indirect enum Value: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer outside of the range of `Int64`.
  case bigInteger(BigInteger)
  case double(Double)
  case decimal(Decimal)
  case string(String)
  /// Milliseconds since 1970; see `Instant`.
  case date(Int64)
  /// Days since 1970-01-01; see `CalendarDay`.
  case day(Int)
  case data([UInt8])
  case array([Value])
  case dictionary(Members)
  case reference(id: String, kind: String?)
  case asset(AssetReference)
  case counter(Counter)
  case set(ElementSet)
  /// A value with a semantic type. The inner value must not be null, a dictionary, a counter, a set or another labeled
  /// value.
  case labeled(Value, String)
  /// A counter in the form in which users write it, without merge states. `setDraft` is the same for a set; see
  /// `adopting`.
  case counterDraft(Int128)
  case setDraft([Value])
  /// A large value in encoded form, usually an array, for code that only passes it on. The value contains no counters
  /// or sets.
  case packed(StoredValue)

  package static let empty = Value.dictionary(Members())
  /// The maximum nesting depth in JSON form. An object within an object has a depth of two.
  package static let maxDepth = 128

  package init(_ value: BigInteger) {
    if let small = value.int64 { self = .integer(small) } else { self = .bigInteger(value) }
  }

  package var unlabeled: Value {
    if case .labeled(let value, _) = self { return value }
    return self
  }

  package var semanticType: String? {
    if case .labeled(_, let text) = self { return text }
    return nil
  }

  /// Returns the value with the semantic type of `old`, unless the value already has a semantic type. A reference also
  /// inherits its kind.
  package func labeled(as old: Value?) -> Value {
    guard let old else { return self }
    switch self {
    case .labeled, .null, .dictionary, .counter, .counterDraft, .set, .setDraft: return self
    default: break
    }
    var value = self
    if case .reference(let id, nil) = self, case .reference(_, let kind) = old.unlabeled {
      value = .reference(id: id, kind: kind)
    }
    return old.semanticType.map { .labeled(value, $0) } ?? value
  }

  package var members: Members? {
    if case .dictionary(let members) = self { return members }
    return nil
  }
}

extension Value {
  /// The cost of reading the value: one step for each value, and one for every 64 bytes of text or data.
  package var steps: Int {
    switch self {
    case .dictionary(let members): members.entries.reduce(1) { $0 + $1.value.steps }
    case .array(let values), .setDraft(let values): values.reduce(1) { $0 + $1.steps }
    case .set(let set): set.items.reduce(1) { $0 + $1.encoding.count / 64 + $1.tags.count }
    case .counter(let counter): 1 + counter.entries.count
    case .string(let text): 1 + text.utf8.count / 64
    case .data(let data): 1 + data.count / 64
    case .packed(let value): 1 + value.bytes.count / 64
    case .labeled(let value, _): 1 + value.steps
    default: 1
    }
  }

  package var unpacked: Value {
    if case .packed(let stored) = self { return (try? stored.value()) ?? self }
    return self
  }
}

/// Values are equal if their encodings are equal. Therefore, the decimals 1.50 and 1.5 differ, as do two encodings of
/// "é".
extension Value: Equatable {
  package static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.packed(let x), .packed(let y)): x.bytes == y.bytes
    case (.string(let x), .string(let y)): UTF8Text.equal(x, y)
    case (.data(let x), .data(let y)): x == y
    case (.dictionary(let x), .dictionary(let y)): x == y
    default: a.encoding == b.encoding
    }
  }
}

extension Members: Equatable {
  package static func == (a: Members, b: Members) -> Bool {
    a.count == b.count
      && zip(a.entries, b.entries).allSatisfy { UTF8Text.equal($0.key, $1.key) && $0.value == $1.value }
  }
}

/// The entries of a dictionary or record in encoding order: by key length first, then by UTF-8 bytes.
package struct Members: Sendable {
  package private(set) var entries: [(key: String, value: Value)] = []

  package init() {}

  package init(_ pairs: [(String, Value)]) { for (key, value) in pairs { self[key] = value } }

  /// Returns the keys of all given members without duplicates, in encoding order.
  package static func keys(of all: [Members]) -> [String] {
    var keys: [String] = []
    for key in all.flatMap({ $0.keys }).sorted(by: precedes) {
      if keys.last.map({ UTF8Text.equal($0, key) }) != true { keys.append(key) }
    }
    return keys
  }

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }
  package var keys: [String] { entries.map { $0.key } }

  private func search(for key: String) -> (index: Int, found: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if Members.precedes(entries[middle].key, key) { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && UTF8Text.equal(entries[low].key, key))
  }

  package static func precedes(_ a: String, _ b: String) -> Bool {
    let (x, y) = (a.utf8.count, b.utf8.count)
    return x != y ? x < y : UTF8Text.less(a, b)
  }

  package subscript(key: String) -> Value? {
    get {
      let (index, found) = search(for: key)
      return found ? entries[index].value : nil
    }
    set {
      let (index, found) = search(for: key)
      if let newValue {
        if found { entries[index].value = newValue } else { entries.insert((key, newValue), at: index) }
      } else if found {
        entries.remove(at: index)
      }
    }
  }

  /// Adds an entry, which must come after all existing entries.
  mutating func append(_ key: String, _ value: Value) { entries.append((key, value)) }
}

extension Value {
  package var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .integer, .bigInteger: "integer"
    case .double: "double"
    case .decimal: "decimal"
    case .string: "string"
    case .date: "date"
    case .day: "day"
    case .data: "data"
    case .array, .packed: "array"
    case .dictionary: "dictionary"
    case .reference: "reference"
    case .asset: "asset"
    case .counter, .counterDraft: "counter"
    case .set, .setDraft: "set"
    case .labeled(let value, _): value.typeName
    }
  }
}

extension Value {
  /// Converts a user's draft to the value to store. Counters and sets in the draft inherit the states in `previous`,
  /// updated by the difference between the values.
  /// - Parameter previous: the inherited body of the parent.
  /// - Throws: `counterOverflow` if a counter is out of range.
  package static func adopting(_ draft: Value, previous: Value?, instance: UUID) throws(CoreError) -> Value {
    switch draft {
    case .counterDraft(let value):
      var counter = Counter()
      if case .counter(let known)? = previous { counter = known }
      let (delta, overflow) = value.subtractingReportingOverflow(counter.value)
      if overflow { throw .counterOverflow(names: []) }
      try counter.add(delta, by: instance)
      return .counter(counter)
    case .setDraft(let values):
      var set = ElementSet()
      if case .set(let known)? = previous { set = known }
      return .set(set.changed(to: values))
    case .array(let values):
      var before: [Value] = []
      if case .array(let known)? = previous { before = known }
      var result: [Value] = []
      for (k, value) in values.enumerated() {
        result.append(
          try adopting(value, within: String(k), previous: k < before.count ? before[k] : nil, instance: instance))
      }
      return .array(result)
    case .dictionary(let members):
      let before = previous?.members
      var result = Members()
      for (key, value) in members.entries {
        result.append(key, try adopting(value, within: key, previous: before?[key], instance: instance))
      }
      return .dictionary(result)
    default: return draft
    }
  }

  private static func adopting(
    _ draft: Value, within name: String, previous: Value?, instance: UUID
  ) throws(CoreError) -> Value {
    do throws(CoreError) { return try adopting(draft, previous: previous, instance: instance) } catch {
      guard case .counterOverflow(let names) = error else { throw error }
      throw .counterOverflow(names: [name] + names)
    }
  }

  /// The value without merge states, in the form in which users write it.
  package var draft: Value {
    switch self {
    case .counter(let counter): return .counterDraft(counter.value)
    case .set(let set): return .setDraft(set.elements)
    case .array(let values): return .array(values.map(\.draft))
    case .dictionary(let members):
      var result = Members()
      for (key, value) in members.entries { result.append(key, value.draft) }
      return .dictionary(result)
    default: return self
    }
  }

  /// Returns the value that a child of the given revision inherits, with `thisRevision` replaced with the parent's
  /// digest.
  package func inherited(from parent: Digest) -> Value {
    switch self {
    case .set(let set): return .set(set.inherited(from: parent))
    case .array(let values): return .array(values.map { $0.inherited(from: parent) })
    case .dictionary(let members):
      var result = Members()
      for (key, value) in members.entries { result.append(key, value.inherited(from: parent)) }
      return .dictionary(result)
    default: return self
    }
  }
}

extension Value {
  /// The canonical encoding of the value or, if the value is a draft, its draft form.
  package var encoding: [UInt8] {
    var writer = ByteWriter(capacity: 64)
    encode(into: &writer)
    return writer.array()
  }

  /// Writes the value as part of a body, without checking the limits; see `encodeBody`.
  package func encode(into w: inout ByteWriter) {
    switch self {
    case .null: w.cborNull()
    case .bool(let value): w.byte(value ? 0xF5 : 0xF4)
    case .integer(let value): w.cborInt(value)
    case .bigInteger(let value): w.cborInteger(value)
    case .double(let value): w.cborNumber(value)
    case .decimal(let value): w.cborDecimal(value)
    case .string(let text): w.cborText(text)
    case .date(let milliseconds): w.cborDate(milliseconds)
    case .day(let day): w.cborDay(day)
    case .data(let bytes): bytes.withUnsafeBytes { w.cborData($0) }
    case .array(let values):
      w.cborArray(values.count)
      for value in values { value.encode(into: &w) }
    case .dictionary(let members):
      if members.entries.contains(where: { $0.key.utf8.first == 0x24 }) {
        w.cborMap(1)
        w.cborText("$dict")
      }
      Value.encode(members, into: &w)
    case .reference(let id, let kind):
      w.cborMap(kind == nil ? 1 : 2)
      if let kind {
        w.cborText("as")
        w.cborText(kind)
      }
      w.cborText("$ref")
      w.cborText(id)
    case .asset(let asset):
      w.cborMap(4)
      w.cborText("mime")
      w.cborText(asset.mime)
      w.cborText("size")
      w.cborInt(asset.size)
      w.cborText("$asset")
      w.cborText(asset.place)
      w.cborText(AssetReference.digestKey(forSize: asset.size).description)
      asset.digest.withBytes { w.cborData($0) }
    case .packed(let value): value.bytes.withUnsafeBufferPointer { w.append($0) }
    case .counter(let counter): counter.encode(into: &w)
    case .set(let set): set.encode(into: &w)
    case .labeled(let value, let semanticType):
      w.cborMap(2)
      w.cborText("$label")
      w.cborText(semanticType)
      w.cborText("$value")
      value.encode(into: &w)
    case .counterDraft(let value):
      w.cborMap(1)
      w.cborText("$counter")
      w.cborInteger(BigInteger(value))
    case .setDraft(let values):
      w.cborMap(1)
      w.cborText("$set")
      let elements = Set(values.map { $0.encoding }).sorted { $0.lexicographicallyPrecedes($1) }
      w.cborArray(elements.count)
      for element in elements {
        w.cborArray(2)
        w.append(element)
        w.cborArray(0)
      }
    }
  }

  static func encode(_ members: Members, into w: inout ByteWriter) {
    w.cborMap(members.count)
    for (key, value) in members.entries {
      w.cborText(key)
      value.encode(into: &w)
    }
  }

  /// - Returns: whether the body contains references.
  /// - Throws: `CoreError` if the body violates the format, for example because the value is a draft.
  @discardableResult
  package func encodeBody(into w: inout ByteWriter) throws(CoreError) -> Bool {
    if case .packed(let body) = self {
      let start = w.count
      encode(into: &w)
      var cursor = CBORCursor(UnsafeBufferPointer(start: w.base + start, count: body.bytes.count))
      return try cursor.skipBody()
    }
    guard case .dictionary(let members) = self else { throw .badEncoding(.unexpectedType, offset: 0) }
    for (key, _) in members.entries { try Name.checkProperty(key) }
    let start = w.count
    Value.encode(members, into: &w)
    var cursor = CBORCursor(UnsafeBufferPointer(start: w.base + start, count: w.count - start))
    do {
      return try cursor.skipBody()
    } catch {
      w.truncate(to: start)
      throw error
    }
  }
}

extension Value {
  /// Returns the value with its counter states taken from `other`, wherever the path leads through dictionaries and is
  /// the same.
  package func counting(as other: Value?) -> Value {
    switch (self, other) {
    case (.dictionary(let members), .dictionary(let others)?):
      var result = Members()
      for (name, value) in members.entries { result.append(name, value.counting(as: others[name])) }
      return .dictionary(result)
    case (.counter, .counter(let counter)?): return .counter(counter)
    default: return self
    }
  }

  /// Returns the value for use as the chosen side of a merge. Where paths through dictionaries are the same, counters
  /// get the merged states, and sets also get the merged elements.
  /// - Parameter isOpen: returns whether nothing is merged at a path. If so, sets keep only their existing elements.
  package func joining(
    _ merged: Value?, isOpen: (PropertyPath) -> Bool, _ names: [String] = []
  ) -> Value {
    switch (self, merged) {
    case (.dictionary(let members), .dictionary(let others)?):
      var result = Members()
      for (name, value) in members.entries {
        result.append(name, value.joining(others[name], isOpen: isOpen, names + [name]))
      }
      return .dictionary(result)
    case (.counter, .counter(let counter)?): return .counter(counter)
    case (.set(let set), .set(let all)?):
      let merged = isOpen(PropertyPath(names: names)) ? [] : all.elements
      return .set(all.changed(to: set.elements + merged))
    default: return self
    }
  }

  /// Returns the value for use as a decision about `other`. Counters get the states from `other`. Sets become changes
  /// to the sets in `other`, so missing elements are added with a new tag.
  package func deciding(about other: Value?) -> Value {
    switch (self, other) {
    case (.dictionary(let members), .dictionary(let others)?):
      var result = Members()
      for (name, value) in members.entries { result.append(name, value.deciding(about: others[name])) }
      return .dictionary(result)
    case (.counter, .counter(let counter)?): return .counter(counter)
    case (.set(let set), .set(let all)?): return .set(all.changed(to: set.elements))
    default: return self
    }
  }

  /// Whether the value has a counter or set at a path through dictionaries, which is where leaves are joined.
  package var hasStates: Bool {
    switch self {
    case .dictionary(let members): members.entries.contains { $0.value.hasStates }
    case .set, .counter: true
    default: false
    }
  }

  /// Whether the JSON form omits part of the value, because it contains a counter or set at any depth.
  package var holdsStates: Bool {
    switch self {
    case .dictionary(let members): members.entries.contains { $0.value.holdsStates }
    case .array(let values): values.contains(where: \.holdsStates)
    case .set, .counter: true
    default: false
    }
  }

  /// Returns the merge of two counters or two sets that both sides changed; nil for other values.
  ///
  /// For drafts, both sides' changes are applied to the base. If there is no base, it defaults to 0 or an empty set.
  static func joined(_ base: Value?, _ ours: Value?, _ theirs: Value?) -> Value? {
    if let counted = counted(ours, theirs) { return counted }
    switch (ours, theirs) {
    case (.set(let a)?, .set(let b)?):
      var before = ElementSet()
      if case .set(let known)? = base { before = known }
      return .set(ElementSet.merged(base: before, a, b))
    case (.counterDraft(let a)?, .counterDraft(let b)?):
      var before: Int128 = 0
      if case .counterDraft(let known)? = base { before = known }
      let (counted, overflow) = b.subtractingReportingOverflow(before)
      let (sum, overflows) = a.addingReportingOverflow(counted)
      return overflow || overflows ? nil : .counterDraft(sum)
    default:
      guard let a = draftSet(ours), let b = draftSet(theirs) else { return nil }
      let merged = ElementSet.merged(base: draftSet(base) ?? ElementSet(), a, b)
      return merged.count == 0 ? .set(merged) : .setDraft(merged.elements)
    }
  }

  /// Returns the join of two counters, regardless of the base, so that a merge does not change the displayed value.
  static func counted(_ ours: Value?, _ theirs: Value?) -> Value? {
    guard case .counter(let a)? = ours, case .counter(let b)? = theirs else { return nil }
    return .counter(a.joined(b))
  }

  /// Tags all elements with the same tag, because a draft records only which elements are present.
  private static func draftSet(_ value: Value?) -> ElementSet? {
    switch value {
    case .set(let set)? where set.count == 0: set
    case .setDraft(let values)?: ElementSet().changed(to: values)
    default: nil
    }
  }
}

extension Value {
  package subscript(path: PropertyPath) -> Value? {
    var value = self
    for name in path.names {
      switch value.unlabeled {
      case .dictionary(let members):
        guard let next = members[name] else { return nil }
        value = next
      case .array(let values):
        guard let index = PropertyPath.index(name), index < values.count else { return nil }
        value = values[index]
      case .packed(let stored):
        guard let array = try? stored.value() else { return nil }
        guard let found = array[PropertyPath(names: [name])] else { return nil }
        value = found
      default: return nil
      }
    }
    return value
  }

  /// Sets the value at a path, creating missing dictionaries. In an array, an existing index replaces that element, and
  /// the next index or `-` appends an element.
  package mutating func set(_ value: Value, at path: PropertyPath) throws(CoreError) {
    self = try replaced(path.names[...], with: value, path)
  }

  private func replaced(
    _ names: ArraySlice<String>, with new: Value, _ path: PropertyPath
  ) throws(CoreError) -> Value {
    guard let name = names.first else { return new }
    let rest = names.dropFirst()
    switch self {
    case .dictionary(var members):
      // Only dictionaries are created, and elements cannot be appended to a dictionary.
      if members[name] == nil, let next = rest.first, UTF8Text.equal(next, "-") {
        throw .badPath(.badIndex, path.description)
      }
      members[name] = try (members[name] ?? .empty).replaced(rest, with: new, path)
      return .dictionary(members)
    case .array(var values):
      let index = UTF8Text.equal(name, "-") ? values.count : PropertyPath.index(name)
      guard let index, index <= values.count else { throw .badPath(.badIndex, path.description) }
      let old = index < values.count ? values[index] : .empty
      let item = try old.replaced(rest, with: new, path)
      if index < values.count { values[index] = item } else { values.append(item) }
      return .array(values)
    case .labeled(let value, let semanticType):
      return .labeled(try value.replaced(names, with: new, path), semanticType)
    case .packed(let stored): return try stored.value().replaced(names, with: new, path)
    default: throw .badPath(.notAContainer, path.description)
    }
  }

  /// Removes and returns the value at a path. If the path does not exist, returns nil without changing anything.
  @discardableResult
  package mutating func remove(at path: PropertyPath) -> Value? {
    guard let value = self[path], !path.names.isEmpty else { return nil }
    self = without(path.names[...])
    return value
  }

  private func without(_ names: ArraySlice<String>) -> Value {
    guard let name = names.first else { return self }
    let rest = names.dropFirst()
    switch self {
    case .dictionary(var members):
      members[name] = rest.isEmpty ? nil : members[name]?.without(rest)
      return .dictionary(members)
    case .array(var values):
      guard let index = PropertyPath.index(name), index < values.count else { return self }
      if rest.isEmpty { values.remove(at: index) } else { values[index] = values[index].without(rest) }
      return .array(values)
    case .labeled(let value, let semanticType): return .labeled(value.without(names), semanticType)
    case .packed: return unpacked.without(names)
    default: return self
    }
  }

  package mutating func rename(_ source: PropertyPath, to target: PropertyPath) throws(CoreError) {
    var copy = self
    guard let value = copy.remove(at: source) else { throw .badPath(.notFound, source.description) }
    try copy.set(value, at: target)
    self = copy
  }

  /// Applies a JSON Merge Patch (RFC 7396).
  package func merged(patch: Value) -> Value {
    guard case .dictionary(let changes) = patch else { return patch }
    let known = members?.entries ?? []
    var result = Members()
    var k = 0
    for (key, change) in changes.entries {
      while k < known.count, Members.precedes(known[k].key, key) {
        result.append(known[k].key, known[k].value)
        k += 1
      }
      var old: Value?
      if k < known.count, UTF8Text.equal(known[k].key, key) {
        old = known[k].value
        k += 1
      }
      if case .null = change { continue }
      result.append(key, (old ?? .null).merged(patch: change))
    }
    for (key, value) in known[k...] { result.append(key, value) }
    return .dictionary(result)
  }
}
