import SeaCore
import SeaStore

/// Looks at what is going to be written for names that no record has, and that are much like one that records have. New names are
/// allowed: they are worth a word, once each.
package final class Spelling {
  private let queries: Queries
  private var records: RecordTable { queries.records.store.records }
  /// By type and path the names that are known there, or were told of.
  private var known: [Place: Set<[UInt8]>] = [:]
  /// How many documents were looked at, by the type that they give; of the last one's type apart from those before.
  private var looked: [String?: Int] = [:]
  private var run: (type: String?, count: Int) = (nil, 0)
  private var found: [QueryNotice] = []
  /// The types that were looked at.
  private var types: Set<[UInt8]>

  /// A dictionary in records of a type; without a path the records themselves.
  private struct Place: Hashable {
    let type: [UInt8]?
    let path: [UInt8]

    init(_ type: String?, _ path: ArraySlice<String> = []) {
      self.type = type.map { Array($0.utf8) }
      self.path = path.isEmpty ? [] : Array(PropertyPath(names: Array(path)).pointer.utf8)
    }
  }

  /// So many documents of a type are looked at: a program that writes a name wrong does so from the first on.
  private static let mostDocuments = 1000
  /// Where there are so many names in one dictionary they are data.
  private static let mostNames = 50
  private static let mostProperties = 1000
  private static let mostDepth = 8
  /// Where there are so many types they are data.
  private static let mostTypes = 50

  fileprivate init(_ queries: Queries, knowing type: String?) {
    self.queries = queries
    types = type.map { [Array($0.utf8)] } ?? []
  }

  /// What there is to be told since it was last asked.
  package func take() -> [QueryNotice] {
    defer { found = [] }
    return found
  }

  // MARK: - Documents

  /// Looks at the document that a batch was given last.
  package func lookAtLast(of batch: WriteBatch) throws {
    guard let entry = batch.entries.last, let body = entry.content.written else { return }
    if run.type != entry.type {
      looked[run.type] = run.count
      run = (entry.type, looked[entry.type] ?? 0)
      if let type = entry.type { try look(at: type) }
    }
    guard run.count < Spelling.mostDocuments else { return }
    run.count += 1
    let type = try entry.type ?? records.record(batch.id(of: batch.count - 1))?.type
    try look(at: UnsafeBufferPointer(rebasing: batch.arena.bytes[body]), of: type)
  }

  private func look(at type: String) throws {
    guard types.count < Spelling.mostTypes, types.insert(Array(type.utf8)).inserted else { return }
    if let similar = try queries.similarType(to: type) { found.append(.newType(type, similar: similar)) }
  }

  private func look(at body: UnsafeBufferPointer<UInt8>, of type: String?) throws {
    var cursor = CBORCursor(body)
    var properties: [String] = []
    var dictionaries: [(name: String, value: Members)] = []
    for _ in 0..<(try cursor.count(5, least: 2)) {
      let name = String(decoding: try cursor.text(), as: UTF8.self)
      properties.append(name)
      let start = cursor.offset
      let isDictionary = try cursor.kind() == .dictionary
      try cursor.skipValue()
      guard isDictionary else { continue }
      // What is to be merged with a state is no value yet, and is not looked into.
      let bytes = UnsafeBufferPointer(rebasing: body[start..<cursor.offset])
      if case .dictionary(let value)? = try? Value.decode(value: bytes).unlabelled {
        dictionaries.append((name, value))
      }
    }
    if try new(properties, in: Place(type)).isEmpty || !records.shapes.has(type, body) {
      try look(at: properties, of: type, without: [])
    }
    for (name, value) in dictionaries { try look(at: value, [name], type) }
  }

  private func look(at value: Members, _ path: [String], _ type: String?) throws {
    guard path.count < Spelling.mostDepth, !value.isEmpty else { return }
    try look(at: value.keys, path[...], type)
    for (name, one) in value.entries {
      if case .dictionary(let inner) = one.unlabelled { try look(at: inner, path + [name], type) }
    }
  }

  // MARK: - Paths

  /// Looks at paths that records of a type get values at.
  /// - Parameters:
  ///   - id: of one record, which has a type if none is given.
  ///   - gone: the properties that leave those records in the same step.
  package func look(
    at paths: [PropertyPath], of type: String?, in id: String? = nil, without gone: [String] = []
  ) throws {
    guard !paths.isEmpty else { return }
    let type = try type ?? id.flatMap { try records.record($0)?.type }
    try look(at: paths.compactMap(\.names.first), of: type, without: gone)
    for path in paths {
      for depth in path.names.indices.dropFirst().prefix(Spelling.mostDepth) {
        guard try look(at: [path.names[depth]], path.names[..<depth], type) else { break }
      }
    }
  }

  // MARK: - Names

  /// Those that are not known yet.
  private func new(_ names: [String], in place: Place) -> [String] {
    guard let known = known[place] else { return names }
    return names.filter { !known.contains(Array($0.utf8)) }
  }

  private func look(at properties: [String], of type: String?, without gone: [String]) throws {
    let place = Place(type)
    let new = new(properties, in: place)
    guard !new.isEmpty, known[place]?.count ?? 0 < Spelling.mostProperties else { return }
    found += try queries.misspelt(new, of: type, without: gone)
    known[place, default: []].formUnion(new.map { Array($0.utf8) })
  }

  /// - Returns: whether records have all of them.
  @discardableResult private func look(
    at names: [String], _ path: ArraySlice<String>, _ type: String?
  ) throws -> Bool {
    let place = Place(type, path)
    let new = new(names, in: place)
    guard !new.isEmpty else { return true }
    guard known[place]?.count ?? 0 <= Spelling.mostNames else { return false }
    let path = PropertyPath(names: Array(path))
    let there = try self.names(at: path, of: type, until: new)
    known[place, default: []].formUnion((new + there.names.keys).map { Array($0.utf8) })
    let missing = new.filter { there.names[$0] == nil }
    guard there.names.count <= Spelling.mostNames else { return missing.isEmpty }
    for name in missing {
      guard let similar = Queries.similar(to: name, among: there.names.keys) else { continue }
      let (text, meant) = (Spelling.text(path, name), Spelling.text(path, similar))
      found.append(
        there.isCut
          ? .unseen(text, similar: meant, looked: there.looked) : .newProperty(text, type: type, similar: meant))
    }
    return missing.isEmpty
  }

  /// The names that dictionaries have at a path, of the first records of a type, until all that are wanted are among them.
  private func names(
    at path: PropertyPath, of type: String?, until wanted: [String]
  ) throws -> (names: Members, looked: Int, isCut: Bool) {
    var (names, looked, isCut) = (Members(), 0, false)
    try records.forEachRecord(of: type, with: path.names[0]) { row in
      if looked >= Queries.mostLooked { isCut = true }
      guard !isCut, names.count <= Spelling.mostNames, wanted.contains(where: { names[$0] == nil }) else {
        return false
      }
      looked += 1
      guard let leaf = try records.winner(of: row), let body = try records.body(of: leaf),
        case .dictionary(let members)? = try Spelling.value(at: path, body)
      else { return true }
      for name in members.keys { names[name] = .null }
      return true
    }
    return (names, looked, isCut)
  }

  private static func value(at path: PropertyPath, _ body: [UInt8]) throws -> Value? {
    try body.withUnsafeBufferPointer { body in
      try path.find(in: body).map { try Value.decode(value: UnsafeBufferPointer(rebasing: body[$0])).unlabelled }
    }
  }

  private static func text(_ path: PropertyPath, _ name: String) -> String {
    PropertyPath(names: path.names + [name]).description
  }
}

extension Queries {
  /// Watches over the names that one command writes.
  /// - Parameter type: one that was looked at.
  package func spelling(knowing type: String? = nil) -> Spelling { Spelling(self, knowing: type) }
}

extension WriteBatch.Content {
  /// Where in the arena a document stands that is written, whole or in part.
  fileprivate var written: Range<Int>? {
    switch self {
    case .body(let range), .draft(let range), .patch(let range), .addition(let range, _): range
    case .delete, .edit: nil
    }
  }
}
