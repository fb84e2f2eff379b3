import SeaCore
import SeaStore

extension Records {
  /// Calls `body` with records in ascending order of IDs, without their content, until `body` returns false.
  package func forEachRow(_ filter: RecordFilter, _ body: (RecordRow) throws -> Bool) throws {
    try store.records.forEachRecord(filter, body)
  }

  package func rows(prefix: String, limit: Int) throws -> [RecordRow] {
    try store.records.ids(prefix: prefix, limit: limit).compactMap { try store.records.record($0) }
  }

  /// Returns the types of existing records, sorted by name, and the number of records of each type.
  package func types() throws -> [(type: String?, count: Int)] { try store.records.types() }

  /// Returns the record that a string names: an ID, the beginning of a generated ID, or `TYPE:PROP=VALUE`.
  /// - Throws: `recordNotFound`, `ambiguousRecord`.
  package func find(_ text: String, literal: Bool = false) throws -> RecordRow {
    try find(text, literal: literal) { try matching($0) }
  }

  /// Returns the ID of the record that a string names. If existing references use the string as an ID, returns the
  /// string.
  /// - Throws: `recordNotFound`, `ambiguousRecord`.
  package func findTarget(_ text: String, literal: Bool = false) throws -> String {
    do {
      return try find(text, literal: literal).id
    } catch KitError.recordNotFound {
      guard try store.records.isTarget(text) else { throw KitError.recordNotFound(text) }
      return text
    }
  }

  func find(
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

  // MARK: - At a point in time

  /// Returns the record that a string names at a point in time. `TYPE:PROP=VALUE` matches values as of that time.
  /// - Throws: `recordNotFound`, even if the record was created later.
  package func find(_ text: String, at moment: Moment, literal: Bool = false) throws -> PastRecord {
    let row = try find(text, literal: literal) { match in
      let filter = RecordFilter(type: match.type)
      var rows: [RecordRow] = []
      try store.records.forEachRecord(filter, at: moment) { past in
        if let leaf = past.winner, try has(leaf, match) { rows.append(past.row) }
        return rows.count < 2
      }
      return rows
    }
    guard let past = try store.records.past(row, at: moment) else { throw KitError.recordNotFound(text) }
    return past
  }

  package func findRevision(_ text: String, at moment: Moment, literal: Bool = false) throws -> Found {
    guard let found = Found(try find(text, at: moment, literal: literal)) else { throw KitError.recordNotFound(text) }
    return found
  }

  /// Returns nil if the record was unknown at the time.
  package func past(_ row: RecordRow, at moment: Moment) throws -> PastRecord? {
    try store.records.past(row, at: moment)
  }

  /// Returns the revision that `RECORD` or `RECORD@REVISION` names; a record alone names its winner.
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

  /// Returns the revision for `winner`, `base`, `ours`, `theirs`, `~N`, or the first digits of a revision.
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
      guard let steps = Int(text.dropFirst()), steps >= 0 else { throw KitError.invalidRevisionSpecifier(text) }
      guard var leaf = try store.records.winner(of: row) else { throw missing }
      for _ in 0..<steps {
        guard let parent = leaf.parentRevision, let next = try store.records.revision(parent, of: row) else {
          throw missing
        }
        leaf = next
      }
      return leaf
    }
    // A complete name is found without the others.
    if let whole = RevisionID(text), let leaf = try store.records.revision(whole, of: row) { return leaf }
    guard RevisionText.isRevision(text) else { throw KitError.badName(.revision(id: row.id, text)) }
    let found = try store.records.revisions(of: row).filter { RevisionText.matches($0.revision, text) }
    guard found.count < 2 else { throw KitError.ambiguousRevision(id: row.id, revision: text) }
    guard let only = found.first else { throw missing }
    return only
  }
}
