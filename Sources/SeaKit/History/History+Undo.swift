import SeaCore
import SeaStore

/// What an undo did.
package struct Undone: Sendable {
  package struct Record: Sendable {
    package var id: String
    /// Nil if there was nothing to take back.
    package var effect: Operation.Effect?
    /// What was written.
    package var revisions: [RevisionID] = []
  }

  package var operation: Operation
  package var records: [Record] = []
}

extension History {
  private var operations: OperationLog { OperationLog(store, author.folder.instance) }

  /// The operations of this instance, newest first, until `body` returns false. What an instance did that this one
  /// was before it took another name is not among them.
  package func forEachOperation(_ body: (Operation) throws -> Bool) throws { try operations.forEach(body) }

  /// - Parameter name: nil for the newest one that is in effect and did more than to take another one back.
  /// - Throws: `KitError.operation`
  package func operation(_ name: OperationName?) throws -> Operation { try operations.operation(name) }

  package func changes(of operation: Operation) throws -> OperationChanges {
    try OperationChanges(operation.block, store)
  }

  /// How many records it did what to.
  package func effects(of operation: Operation) throws -> [Operation.Effect: Int] {
    var counts: [Operation.Effect: Int] = [:]
    try changes(of: operation).forEach { counts[$0.effect, default: 0] += 1 }
    return counts
  }

  /// Appends, in one block, revisions that bring back what was before an operation. Either all records that are asked
  /// for are taken back or nothing is written.
  /// - Parameters:
  ///   - name: the newest operation in effect if nil.
  ///   - only: the ids of the records that are meant; nil for all.
  /// - Throws: `KitError.operation`
  @discardableResult
  package func undo(_ name: OperationName?, only: [String]? = nil, dryRun: Bool = false) throws -> Undone {
    if dryRun {
      return try store.snapshot { try plan(name, only).undone }
    }
    var count = 0
    do {
      return try author.write {
        var plan = try plan(name, only)
        count = plan.undone.records.count
        guard !plan.builder.isEmpty else { return plan.undone }
        plan.builder.putReferencesFirst()
        try author.append(&plan.builder, label: plan.label)
        return plan.undone
      }
    } catch CoreError.badBlock(.badSize) {
      throw KitError.transactionTooLarge(records: count)
    }
  }

  private func plan(_ name: OperationName?, _ only: [String]?) throws -> UndoPlan {
    var newest = 0
    let log = operations
    while true {
      let operation = try log.operation(name, from: newest)
      // The longer label, as it is not known yet whether that will be it.
      let label = UndoLabel(target: operation.key, isPart: true).text
      var plan = UndoPlan(operation, only, author.folder, log, try author.builder(label: label))
      try plan.make()
      // What left everything as it was is not what anybody wants to take back.
      if name != nil || only != nil || !plan.builder.isEmpty { return plan }
      newest = operation.number + 1
    }
  }
}

/// Turns the records of an operation into the changes that take it back.
struct UndoPlan: ~Copyable {
  private let folder: SeaFolder
  private var store: Store { folder.store }
  private let contents: BlockContents
  private let only: Set<[UInt8]>?
  /// Whether records were left out that are still as the operation left them.
  private var isPart = false
  var builder: BlockBuilder
  private(set) var undone: Undone

  init(
    _ operation: Operation, _ only: [String]?, _ folder: SeaFolder, _ log: OperationLog,
    _ builder: consuming BlockBuilder
  ) {
    self.folder = folder
    contents = BlockContents(folder.store, log)
    self.only = only.map { Set($0.map { Array($0.utf8) }) }
    undone = Undone(operation: operation)
    self.builder = builder
  }

  var label: String { UndoLabel(target: undone.operation.key, isPart: isPart).text }

  mutating func make() throws {
    let operation = undone.operation
    if operation.state == .undone, only == nil { return }
    var missing = only ?? []
    var changed: [String] = []
    try OperationChanges(operation.block, store).forEach { record in
      guard let row = try store.records.record(record.id) else { throw KitError.recordNotFound(record.id) }
      let graph = try UndoGraph(row, store, author: operation.block.instance, contents)
      if let only, !only.contains(Array(record.id.utf8)) {
        if !isPart, try operation.state == .done || !graph.isTakenBack(operation) { isPart = true }
        return
      }
      missing.remove(Array(record.id.utf8))
      if operation.state != .done, try graph.isTakenBack(operation) {
        undone.records.append(Undone.Record(id: record.id))
      } else if try !takeBack(graph) {
        changed.append(record.id)
      }
    }
    if let id = missing.min(by: { $0.lexicographicallyPrecedes($1) }) {
      throw KitError.operation(.untouched(id: String(decoding: id, as: UTF8.self), operation: operation.name))
    }
    if !changed.isEmpty { throw KitError.operation(.changedSince(operation: operation.name, ids: changed)) }
  }

  // MARK: One record

  /// - Returns: false if the record is no longer as the operation left it.
  private mutating func takeBack(_ graph: UndoGraph) throws -> Bool {
    let changes = try graph.changes(in: undone.operation.block)
    let first = builder.changes.count
    var effect = Operation.Effect.restored
    if let merge = try graph.merge(in: changes) {
      guard try divide(changes, merge, graph) else { return false }
      effect = .reopened
    } else if let end = changes.first(where: { $0.kind == .resolved }) {
      guard try unite(changes, end, graph) else { return false }
      effect = .resolved
    } else {
      let counters = CounterHistory(graph.row, undone.operation.block, folder)
      for branch in graph.branches(of: changes) {
        guard let carrier = try graph.carrier(of: branch.end) else { return false }
        try restore(branch, upon: carrier, counters)
      }
      if !builder.changes[first...].contains(where: { $0.kind == .put }) { effect = .deleted }
    }
    let revisions = builder.changes[first...].map(\.revision)
    undone.records.append(
      Undone.Record(id: graph.row.id, effect: revisions.isEmpty ? nil : effect, revisions: revisions))
    return true
  }

  /// What was created is deleted, and what was changed or deleted says again what it said before.
  private mutating func restore(_ branch: UndoGraph.Branch, upon leaf: Leaf, _ counters: CounterHistory) throws {
    let id = counters.row.id
    let now = try store.content(of: leaf)
    let old = try branch.start.map { try content(of: $0, id) }
    guard let old, let body = old.body else {
      // An empty branch stays one.
      if leaf.kind == .put { try add(id, now.type, upon: leaf, .delete, nil) }
      return
    }
    var restored = body
    if let current = now.body, let written = try store.content(of: branch.end).body {
      restored = try counters.restored(body, from: current, written: written)
      if restored == current, UTF8Text.equal(now.type ?? "", old.type ?? "") { return }
    }
    try add(id, old.type, upon: leaf, .put, restored)
  }

  /// Takes a resolution or merge back: it ends, and under each of the leaves that it ended there is one that says the
  /// same again. Their nearest common ancestor is that of the old ones.
  private mutating func divide(_ changes: [Leaf], _ merge: Leaf, _ graph: UndoGraph) throws -> Bool {
    guard let carrier = try graph.carrier(of: merge) else { return false }
    // The last one that made what the carrier says: it was perhaps undone and done again.
    var last = carrier
    while try !graph.isMerge(last) {
      guard case .revision(let before) = try graph.previous(of: last) else { return false }
      last = before
    }
    let ends = try (last.revision == merge.revision ? changes : graph.changes(with: last)).filter {
      $0.kind == .resolved
    }
    guard ends.allSatisfy(\.isLeaf), let winner = graph[last.parentRevision] else { return false }
    let id = graph.row.id
    try add(id, store.content(of: carrier).type, upon: carrier, .resolved, nil)
    for side in [winner] + ends.compactMap({ graph[$0.parentRevision] }) {
      let content = try content(of: side, id)
      try add(id, content.type, upon: side, content.body == nil ? .delete : .put, content.body)
    }
    return true
  }

  /// Resolves again what an undo has opened: with what the resolution said that it ended.
  private mutating func unite(_ changes: [Leaf], _ end: Leaf, _ graph: UndoGraph) throws -> Bool {
    guard end.isLeaf, let resolution = graph[end.parentRevision] else { return false }
    var sides: [Leaf] = []
    for change in changes where change.revision != end.revision {
      guard let carrier = try graph.carrier(of: change) else { return false }
      sides.append(carrier)
    }
    sides.sort { a, b in (a.kind == .put) != (b.kind == .put) ? a.kind == .put : a.revision > b.revision }
    guard let winner = sides.first else { return false }
    let id = graph.row.id
    let content = try content(of: resolution, id)
    try add(
      id, content.type, upon: winner, content.body == nil ? .delete : .put, content.body,
      merged: sides.dropFirst().map(\.revision))
    for other in sides.dropFirst() { try add(id, store.content(of: other).type, upon: other, .resolved, nil) }
    return true
  }

  /// What is to be said again.
  private func content(of leaf: Leaf, _ id: String) throws -> Content {
    if leaf.isPurged { throw KitError.contentPurged(id: id, leaf.revision) }
    return try store.content(of: leaf)
  }

  private mutating func add(
    _ id: String, _ type: String?, upon parent: Leaf, _ kind: RevisionKind, _ body: Value?,
    merged: [RevisionID] = []
  ) throws {
    try builder.add(id, type, parent: parent.revision, merged: merged, kind: kind, body: body)
  }
}
