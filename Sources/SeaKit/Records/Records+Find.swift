import SeaCore
import SeaStore

extension Records {
  /// Records by rising id without their content, until `body` returns false.
  package func forEachRow(_ filter: RecordFilter, _ body: (RecordRow) throws -> Bool) throws {
    try store.records.forEachRecord(filter, body)
  }

  /// The first records whose ids begin so.
  package func rows(prefix: String, limit: Int) throws -> [RecordRow] {
    try store.records.ids(prefix: prefix, limit: limit).compactMap { try store.records.record($0) }
  }

  /// The types of live records by name, and how many there are of each.
  package func types() throws -> [(type: String?, count: Int)] { try store.records.types() }

  /// The record that a text names: its id, the first characters of a generated id, or `TYPE:PROP=VALUE`.
  /// - Throws: `recordNotFound`, `ambiguousRecord`.
  package func find(_ text: String, literal: Bool = false) throws -> RecordRow {
    try find(text, literal: literal) { try self.matching($0) }
  }

  /// The id of what others refer to: of a record that a text names, or the text itself if a record refers to that.
  /// - Throws: `recordNotFound`, `ambiguousRecord`.
  package func findTarget(_ text: String, literal: Bool = false) throws -> String {
    do {
      return try find(text, literal: literal).id
    } catch KitError.recordNotFound {
      guard try store.records.isTarget(text) else { throw KitError.recordNotFound(text) }
      return text
    }
  }

  private func find(
    _ text: String, literal: Bool, _ matching: (RecordText.Match) throws -> [RecordRow]
  ) throws -> RecordRow {
    if let exact = try store.records.record(text), exact.leaves > 0 { return exact }
    if !literal {
      if RecordText.couldBeGenerated(text) {
        let ids = try store.records.ids(prefix: text, limit: 20).filter { UUID($0) != nil }
        if ids.count > 1 { throw KitError.ambiguousRecord(text, candidates: ids) }
        if let only = ids.first, let row = try store.records.record(only) { return row }
      }
      if let match = try RecordText.Match(text) {
        let rows = try matching(match)
        if rows.count > 1 { throw KitError.ambiguousRecord(text, candidates: rows.map { $0.id }) }
        if let only = rows.first { return only }
      }
    }
    throw KitError.recordNotFound(text)
  }

  /// The live records of a type whose property has a value, at most two.
  private func matching(_ match: RecordText.Match) throws -> [RecordRow] {
    var filter = RecordFilter()
    filter.type = match.type
    var rows: [RecordRow] = []
    try store.records.forEachRecord(filter) { row in
      if let leaf = try store.records.winner(of: row), try does(leaf, match) { rows.append(row) }
      return rows.count < 2
    }
    return rows
  }

  /// What a record that is made has there: what was said, of the kind that all others have there if they have one, else a text.
  /// - Throws: `badValue` of what is none of that kind.
  package func value(of match: RecordText.Match) throws -> Value {
    if let json = match.json { return json }
    var kinds: Set<PropertyKind> = []
    try store.records.forEachShape { _, shape in
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

  /// Whether the property of a revision has the value.
  private func does(_ leaf: Leaf, _ match: RecordText.Match) throws -> Bool {
    guard let body = try store.records.body(of: leaf) else { return false }
    return try body.withUnsafeBufferPointer { body in
      guard let range = try match.path.find(in: body) else { return false }
      let found = UnsafeBufferPointer(rebasing: body[range])
      var writer = ByteWriter()
      try JSONWriter.writePlain(value: found, into: &writer)
      return try writer.array().elementsEqual(match.value.utf8) || match.means(Value.decode(value: found).unlabelled)
    }
  }

  // MARK: - At a moment

  /// The record that a text names, as it was at a moment: `TYPE:PROP=VALUE` by what it said then.
  /// - Throws: `recordNotFound` also of one of which nothing was known then.
  package func find(_ text: String, at moment: Moment, literal: Bool = false) throws -> PastRecord {
    let row = try find(text, literal: literal) { match in
      var filter = RecordFilter()
      filter.type = match.type
      var rows: [RecordRow] = []
      try store.records.forEachRecord(filter, at: moment) { past in
        if let leaf = past.winner, try does(leaf, match) { rows.append(past.row) }
        return rows.count < 2
      }
      return rows
    }
    guard let past = try store.records.past(row, at: moment) else { throw KitError.recordNotFound(text) }
    return past
  }

  /// The winner of then of the record that a text names.
  /// - Throws: as `find`.
  package func findRevision(_ text: String, at moment: Moment, literal: Bool = false) throws -> Found {
    guard let found = Found(try find(text, at: moment, literal: literal)) else { throw KitError.recordNotFound(text) }
    return found
  }

  /// A record as it was at a moment; nil if nothing of it was known.
  package func past(_ row: RecordRow, at moment: Moment) throws -> PastRecord? {
    try store.records.past(row, at: moment)
  }

  /// The revision that `RECORD` or `RECORD@REVISION` names; of a record alone its winner.
  package func findRevision(_ text: String, literal: Bool = false) throws -> Found {
    do {
      let row = try find(text, literal: literal)
      guard let winner = try store.records.winner(of: row) else { throw KitError.recordNotFound(text) }
      return Found(row: row, leaf: winner)
    } catch {
      guard !literal, let at = text.utf8.lastIndex(of: UInt8(ascii: "@")), at != text.utf8.startIndex else {
        throw error
      }
      let row = try find(String(text[..<at]))
      return Found(row: row, leaf: try revision(String(text[text.index(after: at)...]), of: row))
    }
  }

  /// `winner`, `base`, `ours`, `theirs`, `~N`, or a revision of the record by its first digits.
  package func revision(_ text: String, of row: RecordRow) throws -> Leaf {
    let missing = KitError.revisionNotFound(id: row.id, revision: text)
    switch text {
    case "winner":
      guard let winner = try store.records.winner(of: row) else { throw missing }
      return winner
    case "base":
      let graph = try RecordGraph(store, row)
      guard let base = try graph.base(of: graph.contenders) else { throw missing }
      return base
    case "ours", "theirs":
      let sides = try sides(of: row)
      if text == "ours" {
        guard let ours = sides.ours else { throw missing }
        return ours
      }
      guard sides.theirs.count < 2 else { throw KitError.ambiguousRevision(id: row.id, revision: "@theirs") }
      guard let theirs = sides.theirs.first else { throw missing }
      return theirs
    default: break
    }
    if text.utf8.first == UInt8(ascii: "~") {
      guard let steps = Int(text.dropFirst()), steps >= 0 else { throw KitError.badSpec(text) }
      guard var leaf = try store.records.winner(of: row) else { throw missing }
      for _ in 0..<steps {
        guard let parent = leaf.parentRevision, let next = try store.records.revision(parent, of: row) else {
          throw missing
        }
        leaf = next
      }
      return leaf
    }
    guard RevisionText.isRevision(text) else { throw KitError.badSpec(text) }
    let found = try store.records.revisions(of: row).filter { RevisionText.matches($0.revision, text) }
    guard found.count < 2 else { throw KitError.ambiguousRevision(id: row.id, revision: text) }
    guard let only = found.first else { throw missing }
    return only
  }
}

extension Value {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .bigInteger, .double, .decimal: true
    default: false
    }
  }

  /// As it is printed alone.
  fileprivate func plain() throws(CoreError) -> String {
    var encoded = ByteWriter()
    var printed = ByteWriter()
    encode(into: &encoded)
    try JSONWriter.writePlain(value: encoded.bytes, into: &printed)
    return String(decoding: printed.bytes, as: UTF8.self)
  }
}

/// The forms in which a record may be named.
package enum RecordText {
  /// Four or more characters of a UUID from its beginning.
  static func couldBeGenerated(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= 4, bytes.count <= 36 else { return false }
    return bytes.enumerated().allSatisfy { k, byte in
      [8, 13, 18, 23].contains(k) ? byte == 0x2D : Hex.value(byte) != nil
    }
  }

  /// `TYPE:PROP=VALUE`
  package struct Match: Sendable {
    package var type: String
    package var path: PropertyPath
    /// As it is printed.
    package var value: String
    /// What it is, if that was said.
    package var json: Value?
    /// The number that it is, if it is one, and what that is compared by.
    let number: Value?
    private let size: SortKey?

    /// `TYPE:PROP:=JSON` says of what kind the value is.
    package init?(_ text: String) throws {
      guard let colon = text.firstIndex(of: ":"),
        let equals = text[text.index(after: colon)...].firstIndex(of: "="), colon != text.startIndex
      else { return nil }
      type = String(text[..<colon])
      value = String(text[text.index(after: equals)...])
      let path = text[text.index(after: colon)..<equals]
      let parsed = try? Value.json(value)
      number = parsed.flatMap { $0.isNumber ? $0 : nil }
      size = try number.map { try SortKey($0.encoding) }
      guard path.hasSuffix(":"), let json = parsed else {
        self.path = try PropertyPath(String(path))
        return
      }
      self.path = try PropertyPath(String(path.dropLast()))
      self.json = json
      value = try json.plain()
    }

    /// Whether a value that is printed in another way is the same: a number of other digits, a date that is written in another form.
    fileprivate func means(_ found: Value) throws -> Bool {
      if case .date(let time) = found { return date == time }
      return try found.isNumber && size != nil && SortKey(found.encoding) == size
    }

    private var date: Int64? { Array(value.utf8).withUnsafeBufferPointer { Instant.parse($0) } }

    /// The text as a value of another kind than text and number.
    fileprivate func other(_ kind: PropertyKind) throws -> Value? {
      switch kind {
      case .date: return date.map { .date($0) }
      case .boolean: return value == "true" ? .bool(true) : value == "false" ? .bool(false) : nil
      case .reference:
        try Name.check(value)
        return .reference(id: value, kind: nil)
      default: return nil
      }
    }
  }
}
