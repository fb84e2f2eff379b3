import SeaKit

/// The properties of a type, as some of its records have them.
struct TypeSample: Sendable {
  private static let (most, mostChoices) = (50, 200)

  /// The kinds of each property, the most frequent one first.
  let kinds: [String: [Kind]]
  /// The types of the records that each property refers to.
  private(set) var targets: [String: Set<String>] = [:]

  /// - Parameter record: a record that is a part of the sample.
  init(of type: String?, with record: Record? = nil, _ transaction: ReadTransaction) throws {
    let found = type == nil ? [] : try transaction.fetch(Query<Record>.records(of: type).limit(TypeSample.most))
    let records = found + [record].compactMap { $0 }
    var counts: [String: [Kind: Int]] = [:]
    for (name, value) in records.flatMap(\.properties) {
      counts[name, default: [:]][Kind(value), default: 0] += 1
      if case .reference(let reference) = value.unlabeled, let type = try transaction.record(reference.id)?.type {
        targets[name, default: []].insert(type)
      }
    }
    kinds = counts.mapValues { counts in
      counts.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map(\.key)
    }
  }

  /// The rows of a form for a new record.
  var entries: [Entry] {
    let known = kinds.compactMapValues(\.first).filter { Kind.new.contains($0.value) || $0.value == .file }
    return known.sorted { Field.order($0.key, $1.key) }.enumerated().map {
      Entry($0.offset, names: [$0.element.key], $0.element.value)
    }
  }

  /// The kind for a text that was entered for a property: the kind that all other records have.
  func kind(ofText names: [String]) -> Kind {
    guard names.count == 1, let kinds = kinds[names[0]], kinds.count == 1, Kind.new.contains(kinds[0]) else {
      return .text
    }
    return kinds[0]
  }

  /// Returns the id of the record that a person means, by its id or by its name.
  func id(_ text: String, for names: [String], _ transaction: ReadTransaction) throws -> String {
    if try transaction.record(text) != nil { return text }
    let wanted = text.lowercased()
    var found: [WrongValue.Choice] = []
    let types: [String?] = targets[names.first ?? ""]?.sorted() ?? [nil]
    for type in types {
      try transaction.forEach(Query<Record>.records(of: type)) { record in
        if Title.of(record)?.lowercased() == wanted {
          found.append(WrongValue.Choice(id: record.id, title: Title.described(record)))
        }
        return found.count < TypeSample.mostChoices
      }
    }
    if found.isEmpty { throw WrongValue(text: "no record has the name or id '\(text)'") }
    guard found.count == 1 else {
      throw WrongValue(text: "several records have the name '\(text)'", choices: found)
    }
    return found[0].id
  }
}
