import SeaCore
import SeaStore

/// What has happened: the revisions of a record and what became of each, the values that a property had, what changed
/// from one revision to another, and what this instance did, which it can take back.
package final class History {
  let conflicts: Conflicts
  var author: Author { conflicts.author }
  var store: Store { author.store }

  package init(_ conflicts: Conflicts) { self.conflicts = conflicts }

  /// Blocks, newest first, until `body` returns false: by falling Lamport time, of one instance or of all; with a moment
  /// those that were here then.
  package func forEachTransaction(
    of instance: UUID?, until moment: Moment? = nil, _ body: (BlockRow) throws -> Bool
  ) throws {
    try store.branches.forEachTransaction(of: instance, until: moment, body)
  }

  // MARK: - One record

  /// What a revision is looked at beside: the winner, or of the winner its parent. Nil if the record has no winner yet.
  package func pair(of found: Found) throws -> (old: Found?, new: Found)? {
    guard let winner = try store.records.winner(of: found.row) else { return nil }
    if found.leaf.revision != winner.revision { return (found, Found(row: found.row, leaf: winner)) }
    let parent = try winner.parentRevision.flatMap { try store.records.revision($0, of: found.row) }
    return (parent.map { Found(row: found.row, leaf: $0) }, found)
  }

  /// The revisions of a record until `body` returns false: children before parents, of equals those on the winning
  /// branch first, then the greater.
  /// - Parameter past: the record as it was, if that is asked for.
  package func forEachEvent(
    of row: RecordRow, in past: PastRecord? = nil, _ body: (Event) throws -> Bool
  ) throws {
    let events = try past.map { RecordEvents(of: $0, store) } ?? RecordEvents(of: row, store)
    let all = events.all
    // Greatest first already: only the winning branch has to be brought to the front of its depth.
    var from = 0
    while from < all.count {
      let depth = all[from].revision.depth
      let to = all[from...].firstIndex { $0.revision.depth != depth } ?? all.count
      let first = all[from..<to].filter { events.branch.contains($0.revision) }
      for leaf in first + all[from..<to].filter({ !events.branch.contains($0.revision) }) {
        guard try body(events.event(leaf, store.blocks.block(sequence: leaf.sequence))) else { return }
      }
      from = to
    }
  }

  /// What a revision has taken in.
  package func merged(by event: Event) throws -> [RevisionID] { try store.records.merged(by: event.leaf) }

  /// The values that a property had, newest first, until `body` returns false: each revision that gave it another one
  /// than its parent had. The value is nil where the property was taken away.
  package func forEachValue(
    of row: RecordRow, _ path: PropertyPath, in past: PastRecord? = nil, _ body: (Event, ToldValue?) throws -> Bool
  ) throws {
    // Of revisions that are parents of what was read; taken out when they are read themselves.
    var known: [RevisionID: ToldValue?] = [:]
    func value(_ leaf: Leaf) throws -> ToldValue? {
      try store.records.body(of: leaf).flatMap { try ToldValue(path, in: $0) }
    }
    try forEachNewest(of: row, in: past) { event in
      // The end of a branch that was taken in is nothing that happened to the property.
      guard event.leaf.kind != .resolved else { return true }
      let mine = try known.removeValue(forKey: event.revision) ?? value(event.leaf)
      var before: ToldValue?
      if let parent = event.leaf.parentRevision, let leaf = try store.records.revision(parent, of: row) {
        before = try known[parent] ?? value(leaf)
        known[parent] = .some(before)
      }
      guard !ToldValue.same(mine, before) else { return true }
      return try body(event, mine)
    }
  }

  /// The revisions of a record that are in its tree, newest first, until `body` returns false: by falling Lamport time
  /// of those whose children have all been told, of equal ones the greater. So a child comes before its parent whatever
  /// time its author claims.
  package func forEachNewest(
    of row: RecordRow, in past: PastRecord? = nil, _ body: (Event) throws -> Bool
  ) throws {
    let events = try past.map { RecordEvents(of: $0, store) } ?? RecordEvents(of: row, store)
    var leaves: [RevisionID: Leaf] = [:]
    var children: [RevisionID: Int] = [:]
    for one in events.all where one.isAttached {
      leaves[one.revision] = one
      if let parent = one.parentRevision { children[parent, default: 0] += 1 }
    }
    var ready = Heap<(leaf: Leaf, author: BlockRow?)> { x, y in
      let (a, b) = (x.author?.lamport ?? 0, y.author?.lamport ?? 0)
      return a != b ? a > b : x.leaf.revision > y.leaf.revision
    }
    func make(ready leaf: Leaf) throws {
      ready.push((leaf: leaf, author: try store.blocks.block(sequence: leaf.sequence)))
    }
    for one in events.all where one.isAttached && children[one.revision] == nil { try make(ready: one) }
    while let (leaf, author) = ready.pop() {
      guard try body(events.event(leaf, author)) else { return }
      guard let parent = leaf.parentRevision, let left = children[parent] else { continue }
      children[parent] = left - 1
      if left == 1, let next = leaves[parent] { try make(ready: next) }
    }
  }

  /// What changed from one revision to another; nil stands for what was before the first. A type counts as the
  /// property `_type`.
  package func difference(from old: Leaf?, to new: Leaf) throws -> Difference {
    try Difference(from: old.map { try content(of: $0) } ?? .deleted, to: content(of: new))
  }

  func content(of leaf: Leaf) throws -> StoredContent {
    let change = try store.records.change(of: leaf)
    return StoredContent(type: change.type, body: change.body)
  }
}

/// A value as it is told of, where it lies.
package struct ToldValue: Sendable {
  package let stored: StoredValue
  /// What kind of value it is, in the words of sea-record(5).
  package let type: String
  private let semanticType: String?

  /// Nil if the path leads nowhere.
  fileprivate init?(_ path: PropertyPath, in body: [UInt8]) throws {
    guard let range = try body.withUnsafeBufferPointer({ try path.find(in: $0) }) else { return nil }
    stored = StoredValue(body[range])
    let value = try Value.decode(packing: stored)
    (type, semanticType) = (value.typeName, value.semanticType)
  }

  /// For people: strings bare, a semantic type in brackets behind the value.
  package func text() throws -> String {
    var text = ByteWriter()
    try stored.bytes.withUnsafeBufferPointer { try JSONWriter.writePlain(value: $0, into: &text) }
    if let semanticType { text.append(" [\(semanticType)]") }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  fileprivate static func same(_ one: ToldValue?, _ other: ToldValue?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): one.stored.says(other.stored)
    default: false
    }
  }
}
