import SeaCore
import SeaStore

// Records that are named by what they say: TYPE:PROP=VALUE.

extension Records {
  /// The live records of a type whose property has a value, at most two. Who asks once has all of them looked at; for who asks
  /// again it is remembered which record may have which value.
  /// - Parameter isChanged: whether a transaction that is not over has made something of a record: what it was is then passed over.
  func matching(_ match: RecordText.Match, isChanged: (String) -> Bool = { _ in false }) throws -> [RecordRow] {
    var rows: [RecordRow] = []
    guard try matches.isReady(for: match, self) else {
      var filter = RecordFilter()
      filter.type = match.type
      try store.records.forEachRecord(filter) { row in
        if !isChanged(row.id), let leaf = try store.records.winner(of: row), try has(leaf, match) { rows.append(row) }
        return rows.count < 2
      }
      return rows
    }
    var gone: Set<Int64> = []
    for key in matches.candidates(match) {
      let row = try store.records.record(key: key)
      if let row, isChanged(row.id) { continue }
      guard let row, !row.isDeleted, let type = row.type, UTF8Text.equal(type, match.type),
        let leaf = try store.records.winner(of: row), try has(leaf, match)
      else {
        gone.insert(key)
        continue
      }
      rows.append(row)
      if rows.count == 2 { break }
    }
    if !gone.isEmpty { matches.remove(gone, match) }
    return rows.sorted { UTF8Text.less($0.id, $1.id) }
  }

  /// Whether the property of a revision has the value.
  func has(_ leaf: Leaf, _ match: RecordText.Match) throws -> Bool {
    try store.records.body(of: leaf).map { try match.holds(in: $0) } ?? false
  }

  /// What a record that is made has there: what was said, of the kind that all others have there if they have one, else a text.
  /// - Throws: `badValue` of what is none of that kind.
  package func value(of match: RecordText.Match) throws -> Value {
    if let json = match.json { return json }
    var kinds: Set<PropertyKind> = []
    try store.records.shapes.forEachKey { _, shape in
      guard let type = shape.type, UTF8Text.equal(type, match.type), match.path.names.count == 1 else { return }
      for one in shape.properties where UTF8Text.equal(one.name, match.path.names[0]) { kinds.insert(one.kind) }
    }
    guard kinds.count == 1, let kind = kinds.first, kind != .text else { return .string(match.value) }
    guard let value = try number(match, kind) ?? match.other(kind) else {
      throw KitError.badValue(id: match.type, path: match.path.description, reason: .otherKind)
    }
    return value
  }

  /// A number with the digits that were written, if it can have them.
  private func number(_ match: RecordText.Match, _ kind: PropertyKind) throws -> Value? {
    guard kind == .number else { return nil }
    for text in [match.value, "{\"$int\":\"\(match.value)\"}", "{\"$decimal\":\"\(match.value)\"}"] {
      guard let value = try? Value.json(text), let printed = try? value.plain(),
        UTF8Text.equal(printed, match.value)
      else { continue }
      return value
    }
    return match.number
  }
}

extension RecordText.Match {
  /// Whether a record has the value.
  func holds(in body: [UInt8]) throws -> Bool {
    try body.withUnsafeBufferPointer { body in
      guard let range = try path.find(in: body) else { return false }
      let found = UnsafeBufferPointer(rebasing: body[range])
      var writer = ByteWriter()
      try JSONWriter.writePlain(value: found, into: &writer)
      return try writer.array().elementsEqual(value.utf8) || means(Value.decode(value: found).unlabelled)
    }
  }
}
