import SeaCore
import SeaStore

extension UndoPlan {
  /// Undoes the operation for one record.
  /// - Returns: false if something that the operation changed has been changed again since.
  mutating func undo(_ graph: UndoGraph) throws -> Bool {
    let changes = try graph.changes(in: undone.operation.block)
    let first = builder.changes.count
    var effect = Operation.Effect.restored
    // If the operation created the record, any conflicts and resolutions in its block are part of the creation.
    let makes = changes.contains { $0.parentRevision == nil }
    if !makes, let merge = try graph.merge(in: changes) {
      guard try undoResolution(changes, merge, graph) else { return false }
      effect = .reopened
    } else if !makes, let end = changes.first(where: { $0.kind == .resolved }) {
      guard try redoResolution(changes, end, graph) else { return false }
      effect = .resolved
    } else {
      guard try restore(changes, graph) else { return false }
      if !builder.changes[first...].contains(where: { $0.kind == .put }) { effect = .deleted }
    }
    let revisions = builder.changes[first...].map(\.revision)
    undone.records.append(
      Undone.Record(id: graph.row.id, effect: revisions.isEmpty ? nil : effect, revisions: revisions))
    return true
  }

  /// If the operation created the record, deletes it. Otherwise, restores the previous content in every leaf that
  /// descends from the operation.
  private mutating func restore(_ changes: [Leaf], _ graph: UndoGraph) throws -> Bool {
    let branches = graph.branches(of: changes)
    let counters = CounterHistory(graph.row, undone.operation.block, branches.map(\.end), folder)
    var contents: [RevisionID: Content] = [:]
    var leaves: [Leaf] = []
    for branch in branches {
      let heirs = try graph.heirs(of: branch.end)
      if heirs.isEmpty { return false }
      let together = try graph.joinWithOtherLeaves(with: branch.start, but: heirs)
      for heir in heirs {
        // Subtract the counts of all branches from the first leaf only.
        let isFirst = contents[heir.leaf.revision] == nil
        if isFirst { leaves.append(heir.leaf) }
        let now = try contents[heir.leaf.revision] ?? content(of: heir.leaf, graph)
        let before = try branch.start.map { try content(of: $0, graph) } ?? .deleted
        let after = try heir.isUnchanged ? now : content(of: heir.origin, graph)
        var tags = try graph.tags(in: [before, after, now], takingBack: undone.operation)
        tags.joinOfOtherLeaves = together
        let back = try UndoMerge(
          before: before, after: after, made: content(of: branch.end, graph), now: now, atomic: atomic(graph),
          tags: tags,
          count: { isFirst ? try counters.without($0, $1, $2, $3, $4) : $2 })
        guard back.clashes.isEmpty, try !isDecided(back.restored, heir, graph) else { return false }
        contents[heir.leaf.revision] = back.content
      }
    }
    for leaf in leaves {
      guard let content = contents[leaf.revision] else { continue }
      let now = try self.content(of: leaf, graph)
      if content.body == nil {
        if leaf.kind == .put { try add(graph, now.type, upon: leaf.revision, .delete, nil) }
      } else if content != now {
        try add(graph, content.type, upon: leaf.revision, .put, content.body)
      }
    }
    return true
  }

  /// Whether a later merge has chosen a value at one of the paths. Restoring an older value would undo this choice.
  private func isDecided(_ paths: [PropertyPath], _ heir: UndoGraph.Descendant, _ graph: UndoGraph) throws -> Bool {
    if paths.isEmpty { return false }
    return try heir.merges.contains { merge in
      try graph.decided(by: merge, atomic(graph)).contains { path in paths.contains { $0.overlaps(path) } }
    }
  }

  /// Undoes a resolution or a merge: reopens each leaf that it ended, with the leaf's old content plus all later
  /// changes. The new leaves have the same nearest common ancestor as the old ones.
  private mutating func undoResolution(_ changes: [Leaf], _ merge: Leaf, _ graph: UndoGraph) throws -> Bool {
    let heirs = try graph.heirs(of: merge)
    guard heirs.count == 1, let heir = heirs.first else { return false }
    // Find the merge that is in effect, because the merge may have been undone and redone.
    var last = heir.origin
    while try !graph.isMerge(last) {
      guard case .revision(let before) = try graph.previous(of: last) else { return false }
      last = before
    }
    let ends = try (last.revision == merge.revision ? changes : graph.changes(with: last)).filter {
      $0.kind == .resolved
    }
    guard ends.allSatisfy(\.isLeaf), let winner = graph[last.parentRevision] else { return false }
    let now = try content(of: heir.leaf, graph)
    try add(graph, now.type, upon: heir.leaf.revision, .resolved, nil)
    for side in [winner] + ends.compactMap({ graph[$0.parentRevision] }) {
      let old = try content(of: side, graph)
      var new = old
      if !heir.isUnchanged {
        let back = try UndoMerge(
          before: old, after: content(of: heir.origin, graph), now: now, atomic: atomic(graph),
          count: { before, _, now, _, _ in before.joined(now) })
        guard back.clashes.isEmpty, try !isDecided(back.restored, heir, graph) else { return false }
        new = back.content
      }
      let made = try add(graph, new.type, upon: side.revision, new.body == nil ? .delete : .put, new.body)
      // A revision that repeats its parent is not merged automatically, so changed content needs a second revision.
      if new != old, let body = new.body {
        try add(graph, new.type, upon: made, .put, body.inherited(from: made.digest))
      }
    }
    return true
  }

  /// Resolves a conflict again that an undo had reopened. The result is the former resolution plus all later changes.
  private mutating func redoResolution(_ changes: [Leaf], _ end: Leaf, _ graph: UndoGraph) throws -> Bool {
    guard end.isLeaf, let resolution = graph[end.parentRevision] else { return false }
    var result = try content(of: resolution, graph)
    var sides: [Leaf] = []
    for branch in graph.branches(of: changes.filter { $0.kind != .resolved }) {
      let heirs = try graph.heirs(of: branch.end)
      guard heirs.count == 1, let heir = heirs.first, !sides.contains(where: { $0.revision == heir.leaf.revision })
      else { return false }
      sides.append(heir.leaf)
      if heir.isUnchanged { continue }
      let back = try UndoMerge(
        before: result, after: content(of: heir.origin, graph), now: content(of: heir.leaf, graph),
        atomic: atomic(graph), count: { before, _, now, _, _ in before.joined(now) })
      guard back.clashes.isEmpty, try !isDecided(back.restored, heir, graph) else { return false }
      result = back.content
    }
    sides.sort { a, b in (a.kind == .put) != (b.kind == .put) ? a.kind == .put : a.revision > b.revision }
    guard let winner = sides.first else { return false }
    try add(
      graph, result.type, upon: winner.revision, result.body == nil ? .delete : .put, result.body,
      merged: sides.dropFirst().map(\.revision))
    for other in sides.dropFirst() {
      try add(graph, store.content(of: other).type, upon: other.revision, .resolved, nil)
    }
    return true
  }

  private func atomic(_ graph: UndoGraph) -> [[PropertyPath]] { settings.rules(type: graph.row.type).atomic }

  private func content(of leaf: Leaf, _ graph: UndoGraph) throws -> Content {
    if leaf.isPurged { throw KitError.contentPurged(id: graph.row.id, leaf.revision) }
    return try store.content(of: leaf)
  }

  @discardableResult
  private mutating func add(
    _ graph: UndoGraph, _ type: String?, upon parent: RevisionID, _ kind: RevisionKind, _ body: Value?,
    merged: [RevisionID] = []
  ) throws -> RevisionID {
    try builder.add(graph.row.id, type, parent: parent, merged: merged, kind: kind, body: body)
  }
}

/// Computes how to undo the counts that a block added to a record's counters without affecting those of other blocks. A
/// counter only grows, and its value is the sum over all live leaves.
final class CounterHistory {
  private let row: RecordRow
  private let block: BlockRow
  private let folder: SeaFolder
  private let ends: [Leaf]
  private lazy var before = Result { try counters(known(before: block)) }
  private lazy var made = Result { try counters(ends) }
  private lazy var now = Result { try counters(folder.store.records.leaves(of: row)) }

  init(_ row: RecordRow, _ block: BlockRow, _ ends: [Leaf], _ folder: SeaFolder) {
    self.row = row
    self.block = block
    self.ends = ends
    self.folder = folder
  }

  func without(
    _ before: Counter, _ after: Counter, _ now: Counter, _ names: [String], _ isJoined: Bool
  ) throws -> Counter {
    let key = isJoined ? Array(PropertyPath(names: names).pointer.utf8) : []
    let known = try self.before.get()[key].map { $0.joined(before) } ?? before
    // The equivalent revision may include counts other than those of the block's revision.
    let made = try self.made.get()[key] ?? after
    // If the block removed the counter and created it again, the counter does not include earlier counts.
    let counted =
      after.joined(before) == after ? made.counted(by: block.instance, since: known) : after.value - before.value
    guard counted != 0 else { return now }
    var result = try self.now.get()[key].map { $0.joined(now) } ?? now
    try KitError.naming(row.id) { try result.add(-counted, by: folder.instance, at: names) }
    return result
  }

  private func known(before block: BlockRow) throws -> [Leaf] {
    let all = try folder.store.records.revisions(of: row).filter { $0.isAttached && $0.sequence < block.sequence }
    let parents = Set(all.compactMap(\.parentRevision))
    return all.filter { !parents.contains($0.revision) }
  }

  private func counters(_ leaves: [Leaf]) throws -> [[UInt8]: Counter] {
    var all: [[UInt8]: [Counter]] = [:]
    func collect(_ value: Value, _ names: [String]) {
      switch value {
      case .counter(let counter): all[Array(PropertyPath(names: names).pointer.utf8), default: []].append(counter)
      case .dictionary(let members): for (name, value) in members.entries { collect(value, names + [name]) }
      default: break
      }
    }
    for leaf in leaves { if let body = try folder.store.content(of: leaf).body { collect(body, []) } }
    return all.mapValues { Counter.joined($0) }
  }
}

extension Counter {
  fileprivate func counted(by instance: UUID, since old: Counter) -> Int128 {
    func sums(_ counter: Counter) -> (up: UInt64, down: UInt64) {
      counter.entries.first { $0.instance == instance }.map { ($0.increments, $0.decrements) } ?? (0, 0)
    }
    let (here, there) = (sums(self), sums(old))
    return Int128(here.up - min(here.up, there.up)) - Int128(here.down - min(here.down, there.down))
  }
}
