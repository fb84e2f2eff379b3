/// A value in memory, for those who look into a record or change it. Whole bodies pass through Sea as bytes.
package indirect enum Value: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer outside of Int64.
  case bigInteger(BigInteger)
  case double(Double)
  case decimal(Decimal)
  case string(String)
  /// Milliseconds since 1970, see `Instant`.
  case date(Int64)
  case data([UInt8])
  case array([Value])
  case dictionary(Members)
  case reference(id: String, kind: String?)
  case asset(AssetReference)
  case counter(Counter)
  case set(ElementSet)
  /// A value and its semantic type, which says what it is about. The value is neither null nor a dictionary, a counter,
  /// a set or labelled itself.
  case labelled(Value, String)
  /// What a person says of a counter or a set: values without the state that merges. See `adopting`.
  case counterDraft(Int128)
  case setDraft([Value])
  /// A large value without counters and sets, where it lies: who only hands values on need not have each that is in it. An array,
  /// unless it is said what else.
  case packed(StoredValue)

  package static let empty = Value.dictionary(Members())
  /// How deep values nest, counted in the JSON form: an object in an object is two.
  package static let maxDepth = 128

  package init(_ value: BigInteger) {
    if let small = value.int64 { self = .integer(small) } else { self = .bigInteger(value) }
  }

  /// What the value says, whatever it is about.
  package var unlabelled: Value {
    if case .labelled(let value, _) = self { return value }
    return self
  }

  package var semanticType: String? {
    if case .labelled(_, let text) = self { return text }
    return nil
  }

  /// The value as it takes the place of another, which says nothing of its own about what it is: then it is what that was, by semantic
  /// type and as a reference.
  package func labelled(as old: Value?) -> Value {
    guard let old else { return self }
    switch self {
    case .labelled, .null, .dictionary, .counter, .counterDraft, .set, .setDraft: return self
    default: break
    }
    var value = self
    if case .reference(let id, nil) = self, case .reference(_, let kind) = old.unlabelled {
      value = .reference(id: id, kind: kind)
    }
    return old.semanticType.map { .labelled(value, $0) } ?? value
  }

  package var members: Members? {
    if case .dictionary(let members) = self { return members }
    return nil
  }
}

extension Value {
  /// What it costs to go through it once: a step for each value, and for each 64 bytes of a text or of data.
  package var steps: Int {
    switch self {
    case .dictionary(let members): members.entries.reduce(1) { $0 + $1.value.steps }
    case .array(let values), .setDraft(let values): values.reduce(1) { $0 + $1.steps }
    case .set(let set): set.items.reduce(1) { $0 + $1.encoding.count / 64 + $1.tags.count }
    case .counter(let counter): 1 + counter.entries.count
    case .string(let text): 1 + text.utf8.count / 64
    case .data(let data): 1 + data.count / 64
    case .packed(let value): 1 + value.bytes.count / 64
    case .labelled(let value, _): 1 + value.steps
    default: 1
    }
  }

  /// The value with each of its elements.
  package var unpacked: Value {
    if case .packed(let stored) = self { return (try? stored.value()) ?? self }
    return self
  }
}

/// Values are equal when their encodings are: 1.50 and 1.5 differ as decimals, so do two spellings of "é".
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

/// Pairs of a dictionary or a record, in the order of their encoding: shorter keys first, then by UTF-8 bytes.
package struct Members: Sendable {
  package private(set) var entries: [(key: String, value: Value)] = []

  package init() {}

  package init(_ pairs: [(String, Value)]) { for (key, value) in pairs { self[key] = value } }

  /// The keys of all of these, each once, in the order of the encoding.
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

  /// The place of a key, or the one where it would go.
  private func place(_ key: String) -> (index: Int, found: Bool) {
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
      let (index, found) = place(key)
      return found ? entries[index].value : nil
    }
    set {
      let (index, found) = place(key)
      if let newValue {
        if found { entries[index].value = newValue } else { entries.insert((key, newValue), at: index) }
      } else if found {
        entries.remove(at: index)
      }
    }
  }

  /// Adds a pair that is known to come after all others.
  mutating func append(_ key: String, _ value: Value) { entries.append((key, value)) }
}
