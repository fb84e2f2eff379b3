import SeaCore
import SeaStore

/// A value as it is told of.
package struct ToldValue: Sendable {
  package var json: String
  /// For people: strings bare.
  package var text: String
  /// What kind of value it is, in the words of sea-record(5).
  package var type: String

  /// Nil if the path leads nowhere.
  fileprivate init?(_ path: PropertyPath, in body: [UInt8]) throws {
    guard let range = try body.withUnsafeBufferPointer({ try path.find(in: $0) }) else { return nil }
    var json = ByteWriter()
    var text = ByteWriter()
    type = try body[range].withUnsafeBufferPointer { bytes in
      try JSONWriter.write(value: bytes, into: &json)
      try JSONWriter.writePlain(value: bytes, into: &text)
      return try Value.decode(value: bytes).typeName
    }
    self.json = String(decoding: json.bytes, as: UTF8.self)
    self.text = String(decoding: text.bytes, as: UTF8.self)
  }
}

extension Database {
  /// The values that a property had, newest first, until `body` returns false: each revision that gave it another one
  /// than its parent had. The value is nil where the property was taken away.
  package func forEachValue(
    of row: RecordRow, _ path: PropertyPath, _ body: (Event, ToldValue?) throws -> Bool
  ) throws {
    // Of revisions that are parents of what was read; taken out when they are read themselves.
    var known: [RevisionID: ToldValue?] = [:]
    func value(_ leaf: Leaf) throws -> ToldValue? {
      try store.records.body(of: leaf).flatMap { try ToldValue(path, in: $0) }
    }
    try forEachNewest(of: row) { event in
      // The end of a branch that was taken in is nothing that happened to the property.
      guard event.leaf.kind != .resolved else { return true }
      let mine = try known.removeValue(forKey: event.revision) ?? value(event.leaf)
      var before: ToldValue?
      if let parent = event.leaf.parentRevision, let leaf = try store.records.revision(parent, of: row) {
        before = try known[parent] ?? value(leaf)
        known[parent] = .some(before)
      }
      guard mine?.json != before?.json else { return true }
      return try body(event, mine)
    }
  }

  /// The revisions of a record that are in its tree, newest first, until `body` returns false: by falling Lamport time
  /// of those whose children have all been told, of equal ones the greater. So a child comes before its parent whatever
  /// time its author claims.
  package func forEachNewest(of row: RecordRow, _ body: (Event) throws -> Bool) throws {
    let history = try History(of: row, self)
    var leaves: [RevisionID: Leaf] = [:]
    var children: [RevisionID: Int] = [:]
    for one in history.all where one.isAttached {
      leaves[one.revision] = one
      if let parent = one.parentRevision { children[parent, default: 0] += 1 }
    }
    // Rising, so that the next one is the last.
    var ready: [(leaf: Leaf, author: BlockRow?)] = []
    func make(ready leaf: Leaf) throws {
      let one = (leaf: leaf, author: try store.blocks.block(sequence: leaf.sequence))
      var (low, high) = (0, ready.count)
      while low < high {
        let middle = (low + high) / 2
        let (a, b) = (ready[middle].author?.lamport ?? 0, one.author?.lamport ?? 0)
        if a != b ? a < b : ready[middle].leaf.revision < leaf.revision { low = middle + 1 } else { high = middle }
      }
      ready.insert(one, at: low)
    }
    for one in history.all where one.isAttached && children[one.revision] == nil { try make(ready: one) }
    while let (leaf, author) = ready.popLast() {
      guard try body(history.event(leaf, author)) else { return }
      guard let parent = leaf.parentRevision, let left = children[parent] else { continue }
      children[parent] = left - 1
      if left == 1, let next = leaves[parent] { try make(ready: next) }
    }
  }
}
