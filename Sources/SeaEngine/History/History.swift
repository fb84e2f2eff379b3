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

extension History {
  /// Of the properties for which a record has a date in another one, a dictionary: those that have been given another value since, by a
  /// revision that left the date as it was, and the time of that by its author's clock. What was purged says nothing.
  ///
  /// It takes time in proportion to the revisions back to the one where the last of them was decided.
  /// - Parameters:
  ///   - dates: the property that has the dates.
  ///   - revision: what the record says.
  package func outdated(
    _ dates: String, of id: String, at revision: RevisionID
  ) throws -> [(name: String, time: Int64)] {
    guard let row = try store.records.record(id), var leaf = try store.records.revision(revision, of: row),
      var now = try members(of: leaf), let said = now[dates]?.members
    else { return [] }
    var open = said.keys.filter { now[$0] != nil && !UTF8Text.equal($0, dates) }
    var outdated: [(name: String, time: Int64)] = []
    while !open.isEmpty, let parent = leaf.parentRevision, let before = try store.records.revision(parent, of: row),
      let then = try members(of: before)
    {
      for name in open {
        let hasItsDate = then[dates]?.members?[name] == now[dates]?.members?[name]
        // As it is shown: the state of a set or counter names revisions.
        let isSame = try then[name]?.json() == now[name]?.json()
        guard !hasItsDate || !isSame else { continue }
        open.removeAll { UTF8Text.equal($0, name) }
        if hasItsDate, let block = try store.blocks.block(sequence: leaf.sequence) {
          outdated.append((name, block.time))
        }
      }
      (leaf, now) = (before, then)
    }
    return outdated
  }

  /// Nil of what was purged.
  private func members(of leaf: Leaf) throws -> Members? {
    leaf.isPurged ? nil : try store.content(of: leaf).body?.members ?? Members()
  }
}

extension History {
  /// The moment that a name means: after an operation, or at a time by the clock of this device.
  package func moment(_ name: OperationName) throws -> Moment {
    if case .time(let time, _) = name { return Moment(after: try store.blocks.sequence(arrivedBy: time)) }
    return Moment(after: try operations.block(name).sequence)
  }

  /// The moment of everything that is known.
  package func now() throws -> Moment { Moment(after: try store.blocks.lastSequence()) }

  /// The records of which something arrived between two moments, by rising id, as they were at both. It takes what arrived, not what is there.
  package func forEachRecord(
    from first: Moment, to last: Moment, among ids: [String]? = nil, _ body: (PastRecord?, PastRecord?) throws -> Void
  ) throws {
    if first > last { return try forEachRecord(from: last, to: first, among: ids) { try body($1, $0) } }
    var touched: Set<[UInt8]> = []
    if let ids {
      touched = Set(ids.map { Array($0.utf8) })
    } else {
      try store.blocks.forEachBlock(after: first, through: last) { block in
        if block.changes > 0 {
          try OperationChanges(block, store).forEach { touched.insert(Array($0.id.utf8)) }
        }
        return true
      }
    }
    for id in touched.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let row = try id.withUnsafeBufferPointer({ try store.records.record(id: $0) }) else { continue }
      try body(store.records.past(row, at: first), store.records.past(row, at: last))
    }
  }

  /// What is different of a record as it was shown at two moments; nil where it was not there, or deleted.
  package func difference(from old: PastRecord?, to new: PastRecord?) throws -> Difference {
    func content(_ past: PastRecord?) throws -> StoredContent {
      guard let past, let shown = past.winner, shown.kind == .put else { return .deleted }
      guard past.row.live > 1 else { return try self.content(of: shown) }
      let view = try conflicts.records.view(past)
      return StoredContent(type: view.type, body: view.body)
    }
    return try Difference(from: content(old), to: content(new))
  }
}

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
  /// Where nobody named the operation, and nothing is left to undo of it: the one before it that is in effect.
  package var next: Operation?
}

extension History {
  var operations: OperationLog { OperationLog(store, author.folder.instance) }

  /// The operations of this instance, newest first, until `body` returns false. What an instance did that this one
  /// was before it took another name is not among them.
  package func forEachOperation(_ body: (Operation) throws -> Bool) throws { try operations.forEach(body) }

  /// - Parameter name: nil for the newest one that is in effect and that a person did, other than to take one back.
  /// - Throws: `KitError.operation`
  package func operation(_ name: OperationName?) throws -> Operation { try operations.operation(name) }

  /// The operation that a block is; nil if it is another instance's, or changed no record.
  package func operation(of block: BlockRow) throws -> Operation? {
    do { return try operations.operation(.digest(block.digest.description)) } catch KitError.operation { return nil }
  }

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
      return try author.write { transaction in
        var plan = try plan(name, only)
        count = plan.undone.records.count
        guard !plan.builder.isEmpty else { return plan.undone }
        plan.builder.putReferencesFirst()
        try transaction.append(&plan.builder, label: plan.label)
        return plan.undone
      }
    } catch CoreError.badBlock(.badSize) {
      throw KitError.transactionTooLarge(records: max(count, (try? operation(name))?.block.changes ?? 0))
    }
  }

  private func plan(_ name: OperationName?, _ only: [String]?) throws -> UndoPlan {
    let log = operations
    let operation = try log.operation(name)
    // The longer label, as it is not known yet whether that will be it.
    let label = UndoLabel(target: operation.key, isPart: true).text
    var plan = UndoPlan(operation, only, author.folder, log, try conflicts.settings(), try author.builder(label: label))
    try plan.make()
    // Another one than the newest is taken back by its name alone: it may be long ago.
    if name == nil, only == nil, plan.builder.isEmpty {
      plan.undone.next = try? log.operation(nil, from: operation.number + 1)
    }
    return plan
  }
}

/// Turns the records of an operation into the changes that take it back.
struct UndoPlan: ~Copyable {
  let folder: SeaFolder
  var store: Store { folder.store }
  private let contents: BlockContents
  let settings: MergeSettings
  private let only: Set<[UInt8]>?
  /// Whether records were left out that are still as the operation left them.
  private var isPart = false
  var builder: BlockBuilder
  var undone: Undone

  init(
    _ operation: Operation, _ only: [String]?, _ folder: SeaFolder, _ log: OperationLog, _ settings: MergeSettings,
    _ builder: consuming BlockBuilder
  ) {
    self.folder = folder
    self.settings = settings
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
    let meter = WorkMeter(folder.settings.report, .undoing, "", items: { Int(operation.block.changes) })
    try OperationChanges(operation.block, store).forEach { record in
      defer { meter?.add() }
      try folder.settings.checkStopOfAll()
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
}
