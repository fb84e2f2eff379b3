import SeaCore
import SeaStore

/// One revision in the history of its record.
package struct Event: Sendable {
  package enum Standing: String, Sendable {
    case winner
    /// A live leaf that lost.
    case loser
    /// The end of a branch that was deleted, or whose content another one took in.
    case tombstone
    /// Others follow it.
    case inner
    /// An ancestor of it has not arrived.
    case waiting
  }

  package var leaf: Leaf
  package var standing: Standing
  /// Whether the winner comes from it through parents.
  package var isOnWinningBranch: Bool
  package var author: BlockRow?
  /// Of a tombstone of kind `resolved`: the revisions that came with it, one of which has its content.
  var companions: [Leaf] = []

  package var revision: RevisionID { leaf.revision }
}

extension Database {
  /// The names of all instances.
  package func instanceNames() throws -> [UUID: String] {
    var names: [UUID: String] = [:]
    for chain in try store.chains() { names[chain.instance] = chain.name }
    return names
  }

  /// The revisions of a record until `body` returns false: children before parents, of equals those on the winning
  /// branch first, then the greater.
  package func forEachEvent(of row: RecordRow, _ body: (Event) throws -> Bool) throws {
    let all = try store.revisions(of: row)
    let winner = try store.winner(of: row)?.revision
    let branch = Database.branch(of: winner, all)
    let blocks = Set(all.lazy.filter { $0.kind == .resolved }.map(\.sequence))
    var companions: [Int64: [Leaf]] = [:]
    for one in all where one.kind != .resolved && blocks.contains(one.sequence) {
      companions[one.sequence, default: []].append(one)
    }
    // Greatest first already: only the winning branch has to be brought to the front of its depth.
    var from = 0
    while from < all.count {
      var to = from
      while to < all.count, all[to].revision.depth == all[from].revision.depth { to += 1 }
      let first = all[from..<to].filter { branch.contains($0.revision) }
      for leaf in first + all[from..<to].filter({ !branch.contains($0.revision) }) {
        let standing: Event.Standing =
          !leaf.isAttached
          ? .waiting
          : !leaf.isLeaf ? .inner : leaf.kind != .put ? .tombstone : leaf.revision == winner ? .winner : .loser
        var event = Event(
          leaf: leaf, standing: standing, isOnWinningBranch: branch.contains(leaf.revision),
          author: try store.block(sequence: leaf.sequence))
        if leaf.kind == .resolved { event.companions = companions[leaf.sequence] ?? [] }
        guard try body(event) else { return }
      }
      from = to
    }
  }

  /// A leaf and its parents, through revisions that are sorted greatest first.
  private static func branch(of leaf: RevisionID?, _ all: [Leaf]) -> Set<RevisionID> {
    var branch: Set<RevisionID> = []
    var next = leaf
    for one in all where one.revision == next {
      branch.insert(one.revision)
      next = one.parentRevision
    }
    return branch
  }

  /// The revision that a tombstone of kind `resolved` left its content to, if it came with the same block.
  package func successor(of event: Event) throws -> RevisionID? {
    guard let branch = event.leaf.parentRevision else { return nil }
    return try event.companions.first { try store.change(of: $0).merged.contains(branch) }?.revision
  }

  /// One value that a property had.
  package struct PastValue: Sendable {
    package var event: Event
    /// JSON; nil where the property was taken away.
    package var json: String?
    /// For people: strings bare.
    package var text: String
  }

  /// The values that a property had, newest first, until `body` returns false: each revision that gave it another one
  /// than its parent had.
  package func forEachValue(
    of row: RecordRow, _ path: PropertyPath, _ body: (PastValue) throws -> Bool
  ) throws {
    // Of revisions that are parents of what was read; taken out when they are read themselves.
    var known: [RevisionID: (json: String, text: String)?] = [:]
    func value(_ leaf: Leaf) throws -> (json: String, text: String)? {
      try store.body(of: leaf).flatMap { try Database.value(path, $0) }
    }
    try forEachEvent(of: row) { event in
      // The end of a branch that was taken in is nothing that happened to the property.
      guard event.standing != .waiting, event.leaf.kind != .resolved else { return true }
      let mine = try known.removeValue(forKey: event.revision) ?? value(event.leaf)
      var before: (json: String, text: String)?
      if let parent = event.leaf.parentRevision, let leaf = try store.revision(parent, of: row) {
        before = try known[parent] ?? value(leaf)
        known[parent] = .some(before)
      }
      guard mine?.json != before?.json else { return true }
      return try body(PastValue(event: event, json: mine?.json, text: mine?.text ?? "-"))
    }
  }

  private static func value(_ path: PropertyPath, _ body: [UInt8]) throws -> (json: String, text: String)? {
    try body.withUnsafeBufferPointer { body in
      guard let range = try path.find(in: body) else { return nil }
      let bytes = UnsafeBufferPointer(rebasing: body[range])
      var json = ByteWriter()
      var text = ByteWriter()
      try JSONWriter.write(value: bytes, into: &json)
      try JSONWriter.writePlain(value: bytes, into: &text)
      return (String(decoding: json.bytes, as: UTF8.self), String(decoding: text.bytes, as: UTF8.self))
    }
  }
}
