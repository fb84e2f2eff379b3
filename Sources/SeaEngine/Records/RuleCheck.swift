import SeaCore
import SeaStore

/// The defaults and rules of types, which are read once for each transaction, and the check of the records that the
/// transaction writes.
final class RuleCheck {
  private let author: Author
  private var store: Store { author.store }
  /// The types, found by the bytes of their names, because Swift strings with different bytes can be equal.
  private var types: [OfType] = []
  private var places = IDTable()
  private var names = ByteWriter(capacity: 64)

  init(_ author: Author) { self.author = author }

  private struct OfType {
    let name: Range<Int>
    let prototypes: Prototypes
    var defaults: [(path: PropertyPath, value: Value)]?
    var rules: [Rule]?
  }

  /// A rule whose values are ready for comparisons.
  fileprivate struct Rule {
    let rule: TypeRule
    let keys: Set<SortKey>

    init(_ rule: TypeRule) throws {
      self.rule = rule
      switch rule.demand {
      case .minimum(let value), .maximum(let value): keys = [try SortKey(of: value)]
      case .oneOf(let values): keys = Set(try values.map { try SortKey(of: $0) })
      default: keys = []
      }
    }

    var isUnique: Bool { if case .unique = rule.demand { true } else { false } }

    /// Whether a record may have the value. Says nothing about other records.
    func allows(_ value: Value?) throws -> Bool {
      guard let value else { if case .required = rule.demand { return false } else { return true } }
      switch rule.demand {
      case .required, .unique: return true
      case .kind(let kind): return kind.includes(value)
      case .minimum: return try compare(value) { $1 <= $0 }
      case .maximum: return try compare(value) { $0 <= $1 }
      case .oneOf: return try keys.contains(SortKey(of: value))
      case .pattern(let pattern):
        switch value.unlabeled {
        case .string(var text), .reference(var text, _): return text.withUTF8 { pattern.matches($0) }
        default: return false
        }
      }
    }

    private func compare(_ value: Value, _ holds: (SortKey, SortKey) -> Bool) throws -> Bool {
      let key = try SortKey(of: value)
      return keys.allSatisfy { key.hasRank(of: $0) && holds(key, $0) }
    }

    func value(in body: UnsafeBufferPointer<UInt8>) throws -> Value? {
      try rule.path.find(in: body).map { try Value.decode(value: UnsafeBufferPointer(rebasing: body[$0])) }
    }

    func broken(_ id: String, _ type: String, _ value: Value?, twin: String? = nil) -> BrokenRule {
      BrokenRule(
        id: id, type: type, path: rule.path, setting: rule.setting, word: rule.word.rawValue, wanted: rule.text,
        value: value.map(Rule.excerpt), twin: twin)
    }

    private static func excerpt(_ value: Value) -> String {
      let text = (try? value.json()) ?? "..."
      return text.unicodeScalars.count > 60
        ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(60))) + "..." : text
    }
  }

  private func index(of type: String) throws -> Int {
    var type = type
    let known = type.withUTF8 { places.find($0) { UnsafeBufferPointer(rebasing: names.bytes[types[$0].name]) } }
    if let known { return known }
    let start = names.count
    let prototypes = try author.prototypes(of: type)
    names.append(type)
    types.append(OfType(name: start..<names.count, prototypes: prototypes))
    type.withUTF8 { places.add($0, types.count - 1) }
    return types.count - 1
  }

  /// Returns the values that a new record of a type gets.
  func defaults(of type: String) throws -> [(path: PropertyPath, value: Value)] {
    let index = try index(of: type)
    if let known = types[index].defaults { return known }
    let found = try types[index].prototypes.values(of: type)
    types[index].defaults = found
    return found
  }

  private func rules(of type: String) throws -> [Rule] {
    let index = try index(of: type)
    if let known = types[index].rules { return known }
    let found = try types[index].prototypes.rules(of: type).map { try Rule($0) }
    types[index].rules = found
    return found
  }

  // MARK: - Local writes

  /// Checks the records that a transaction is about to write, in their final state. Deletions always pass.
  /// - Throws: `breaksRule`.
  func check(_ builder: borrowing BlockBuilder) throws {
    if let first = try broken(builder.changes, builder.bytes).first { throw KitError.breaksRule(first) }
  }

  /// Returns the first broken rule of each record.
  /// - Parameter batch: the entries that the changes were made from; the result is in their order.
  func broken(
    _ changes: [Change], _ bytes: UnsafeBufferPointer<UInt8>, of batch: WriteBatch? = nil
  ) throws -> [BrokenRule] {
    var (last, has): (Range<Int>?, Bool) = (nil, false)
    for change in changes where !has && change.kind == .put {
      guard let type = change.type else { continue }
      if let last, UTF8Text.compare(slice(bytes, last), slice(bytes, type)) == 0 { continue }
      last = type
      has = try !rules(of: String(decoding: bytes[type], as: UTF8.self)).isEmpty
    }
    if !has { return [] }
    // The last change of each record has its final state.
    var (places, final): (IDTable, [Change]) = (IDTable(), [])
    for change in changes.reversed() where change.kind != .resolved {
      let id = slice(bytes, change.id)
      guard places.find(id, { slice(bytes, final[$0].id) }) == nil else { continue }
      places.add(id, final.count)
      final.append(change)
    }
    var found: [BrokenRule] = []
    var unique = UniqueValues()
    for (change, hasNewID) in order(final, bytes, batch) {
      guard change.kind == .put, let range = change.type, let body = change.body else { continue }
      let type = String(decoding: slice(bytes, range), as: UTF8.self)
      let id = String(decoding: slice(bytes, change.id), as: UTF8.self)
      for one in try rules(of: type) {
        let value = try one.value(in: slice(bytes, body))
        if try !one.allows(value) {
          found.append(one.broken(id, type, value))
          break
        }
        guard one.isUnique, let value else { continue }
        if let twin = try unique.add(value, of: id, hasNewID ? "another new record" : id, type, one) {
          found.append(one.broken(id, type, value, twin: twin))
          break
        }
      }
    }
    try unique.forEachTwin(in: store, except: { places.find($0) { slice(bytes, final[$0].id) } != nil }) {
      found.append($0)
    }
    return found
  }

  private func slice(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }

  private func order(
    _ changes: [Change], _ bytes: UnsafeBufferPointer<UInt8>, _ batch: WriteBatch?
  ) -> [(change: Change, hasNewID: Bool)] {
    guard let batch else { return changes.reversed().map { ($0, false) } }
    func id(_ entry: Int) -> UnsafeBufferPointer<UInt8> { slice(batch.arena.bytes, batch.entries[entry].id) }
    var places = IDTable()
    for k in batch.entries.indices where places.find(id(k), id) == nil { places.add(id(k), k) }
    let entries = changes.map { places.find(slice(bytes, $0.id), id) ?? 0 }
    return changes.indices.sorted { entries[$0] < entries[$1] }.map { (changes[$0], batch.hasNewID(entries[$0])) }
  }

  /// The values that a transaction writes into properties that must be unique.
  private struct UniqueValues {
    private struct Property {
      let type: String
      let rule: Rule
      var values: [SortKey: (id: String, name: String, value: Value)] = [:]
    }

    private var properties: [[UInt8]: Property] = [:]

    /// - Returns: the name of another record of the transaction with the same value.
    mutating func add(
      _ value: Value, of id: String, _ name: String, _ type: String, _ rule: Rule
    ) throws -> String? {
      // A type contains no null character.
      let property = Array(type.utf8) + [0] + rule.rule.path.pointer.utf8
      let key = try SortKey(of: value)
      if let twin = properties[property]?.values[key] { return twin.name }
      properties[property, default: Property(type: type, rule: rule)].values[key] = (id, name, value)
      return nil
    }

    /// Finds the values in other records: with an index if there is one, or else by reading all records of the type
    /// once.
    func forEachTwin(
      in store: Store, except isWritten: (UnsafeBufferPointer<UInt8>) -> Bool, _ body: (BrokenRule) -> Void
    ) throws {
      for one in properties.values.sorted(by: { UTF8Text.less($0.rule.rule.path.pointer, $1.rule.rule.path.pointer) }) {
        func visit(_ row: RecordRow) throws {
          var id = row.id
          guard row.type.map({ UTF8Text.equal($0, one.type) }) ?? false, row.live > 0,
            !id.withUTF8({ isWritten($0) }), let value = try one.rule.value(of: row, in: store),
            let written = try one.values[SortKey(of: value)]
          else { return }
          body(one.rule.broken(written.id, one.type, written.value, twin: row.id))
        }
        if let index = try store.indexes().first(where: { $0.definition.begins(with: one.rule.rule.path, of: one.type) }
        ) {
          for written in one.values.values {
            for key in try store.records.indexes.keys(in: index, like: written.value) {
              if let row = try store.records.record(key: key) { try visit(row) }
            }
          }
        } else {
          let filter = RecordFilter(type: one.type)
          try store.records.forEachRecord(filter) {
            try visit($0)
            return true
          }
        }
      }
    }
  }
}

extension RuleCheck.Rule {
  fileprivate func value(of row: RecordRow, in store: Store) throws -> Value? {
    guard let leaf = try store.records.winner(of: row), let body = try store.records.body(of: leaf) else { return nil }
    return try body.withUnsafeBufferPointer { try value(in: $0) }
  }
}

extension IndexDefinition {
  fileprivate func begins(with path: PropertyPath, of type: String) -> Bool {
    kind == .values && UTF8Text.equal(self.type, type) && UTF8Text.equal(paths[0].pointer, path.pointer)
  }
}

// MARK: - All records

extension RuleCheck {
  /// The types of existing records that have rules, sorted by name.
  private func typesWithRules() throws -> [String] {
    try store.records.shapes.types().filter { try !rules(of: $0).isEmpty }
  }

  /// The number of records of types that have rules.
  func countRecords() throws -> Int {
    try typesWithRules().reduce(0) { try $0 + store.records.shapes.count(types: [$1]) }
  }

  /// Calls `body` with each broken rule of the existing records, in ascending order of types and IDs.
  /// - Parameter type: nil for all types.
  func forEachBroken(of type: String?, _ body: (BrokenRule) throws -> Void) throws {
    for name in try typesWithRules() where type.map({ UTF8Text.equal($0, name) }) ?? true {
      let rules = try rules(of: name)
      // Values by digest, so that memory use does not grow with the number of records.
      let known = try rules.contains(where: \.isUnique) ? DigestNames(beside: store) : nil
      let filter = RecordFilter(type: name)
      try store.records.forEachRecord(filter) { row in
        try author.folder.settings.checkStopOfAll()
        guard let leaf = try store.records.winner(of: row), let content = try store.records.body(of: leaf) else {
          return true
        }
        for one in rules {
          let value = try content.withUnsafeBufferPointer { try one.value(in: $0) }
          if try !one.allows(value) { try body(one.broken(row.id, name, value)) }
          guard one.isUnique, let value, let known else { continue }
          let digest = try SortKey(of: value).digest(one.rule.path)
          if let twin = try known.names(digest, limit: 1).first {
            try body(one.broken(row.id, name, value, twin: twin))
          } else {
            try known.add(row.id, for: digest)
          }
        }
        return true
      }
    }
  }
}

extension SortKey {
  fileprivate func digest(_ path: PropertyPath) -> Digest {
    var writer = ByteWriter()
    writer.cborText(path.pointer)
    write(into: &writer)
    return SHA256.hash(writer.array())
  }
}

extension Records {
  /// Checks the records that a block without a batch is about to write.
  /// - Throws: `breaksRule`.
  func check(_ builder: borrowing BlockBuilder) throws { try RuleCheck(author).check(builder) }

  /// The most records of types with rules that `status` checks.
  private static let mostChecked = 10_000

  /// Returns nil if there are too many records to check.
  package func countBrokenRules() throws -> Int? {
    let check = RuleCheck(author)
    guard try check.countRecords() <= Records.mostChecked else { return nil }
    var count = 0
    try check.forEachBroken(of: nil) { _ in count += 1 }
    return count
  }

  package func forEachBrokenRule(of type: String?, _ body: (BrokenRule) throws -> Void) throws {
    try store.snapshot { try RuleCheck(author).forEachBroken(of: type, body) }
  }

  /// Returns the shared settings of types that this version does not know, or whose values are invalid.
  package func unknownRules() throws -> [String] {
    try SharedSettings(author).all().filter { $0.key.section == "type" && !ConfigSources.isShareable($0.key, $0.value) }
      .map(\.key.description)
  }
}
