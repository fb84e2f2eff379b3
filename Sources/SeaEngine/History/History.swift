import SeaCore
import SeaStore

/// The revisions of a record and their states, the values of a property over time, and the differences between
/// revisions. Also the operations of this instance that can be undone.
package final class History {
  let conflicts: Conflicts
  var author: Author { conflicts.author }
  var store: Store { author.store }

  package init(_ conflicts: Conflicts) { self.conflicts = conflicts }

  /// Visits the blocks of one instance (nil: of all instances) in descending order of Lamport time, until `body`
  /// returns false. If a moment is given, visits only blocks that had arrived by then.
  package func forEachTransaction(
    of instance: UUID?, until moment: Moment? = nil, _ body: (BlockRow) throws -> Bool
  ) throws {
    try store.branches.forEachTransaction(of: instance, until: moment, body)
  }

  // MARK: - One record

  /// Returns a revision and the one to compare it with: the winner or, if the revision is itself the winner, its
  /// parent. Returns nil if the record has no winner yet.
  package func pair(of found: Found) throws -> (old: Found?, new: Found)? {
    guard let winner = try store.records.winner(of: found.row) else { return nil }
    if found.leaf.revision != winner.revision { return (found, Found(row: found.row, leaf: winner)) }
    let parent = try winner.parentRevision.flatMap { try store.records.revision($0, of: found.row) }
    return (parent.map { Found(row: found.row, leaf: $0) }, found)
  }

  /// Visits the revisions of a record until `body` returns false. Children come before parents. At the same depth, the
  /// revision on the winning branch comes first, and then greater revision IDs.
  package func forEachEvent(
    of row: RecordRow, in past: PastRecord? = nil, _ body: (Event) throws -> Bool
  ) throws {
    let events = try past.map { RecordEvents(of: $0, store) } ?? RecordEvents(of: row, store)
    let all = events.all
    // The revisions are already sorted by depth, so only the winning branch has to be moved forward.
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

  package func merged(by event: Event) throws -> [RevisionID] { try store.records.merged(by: event.leaf) }

  /// Visits the values that a property has had, newest first, until `body` returns false. Visits only revisions that
  /// changed the value; nil means that the property was removed.
  package func forEachValue(
    of row: RecordRow, _ path: PropertyPath, in past: PastRecord? = nil, _ body: (Event, PropertyValue?) throws -> Bool
  ) throws {
    var known: [RevisionID: PropertyValue?] = [:]
    func value(_ leaf: Leaf) throws -> PropertyValue? {
      try store.records.body(of: leaf).flatMap { try PropertyValue(path, in: $0) }
    }
    try forEachNewest(of: row, in: past) { event in
      // A tombstone that ends a merged branch did not change the property.
      guard event.leaf.kind != .resolved else { return true }
      let mine = try known.removeValue(forKey: event.revision) ?? value(event.leaf)
      var before: PropertyValue?
      if let parent = event.leaf.parentRevision, let leaf = try store.records.revision(parent, of: row) {
        before = try known[parent] ?? value(leaf)
        known[parent] = .some(before)
      }
      guard !PropertyValue.same(mine, before) else { return true }
      return try body(event, mine)
    }
  }

  /// Visits a record's revisions, newest first by Lamport time, until `body` returns false. Skips revisions with
  /// missing ancestors. A revision is always visited after all of its children, whatever time its author claims.
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

  /// Returns the difference between two revisions. If `old` is nil, the record did not exist before. The record's type
  /// is compared as the property `_type`.
  package func difference(from old: Leaf?, to new: Leaf) throws -> Difference {
    try Difference(from: old.map { try content(of: $0) } ?? .deleted, to: content(of: new))
  }

  func content(of leaf: Leaf) throws -> StoredContent {
    let change = try store.records.change(of: leaf)
    return StoredContent(type: change.type, body: change.body)
  }
}

package struct PropertyValue: Sendable {
  package let stored: StoredValue
  /// The kind of the value, as named in sea-record(5).
  package let type: String
  private let semanticType: String?

  fileprivate init?(_ path: PropertyPath, in body: [UInt8]) throws {
    guard let range = try body.withUnsafeBufferPointer({ try path.find(in: $0) }) else { return nil }
    stored = StoredValue(body[range])
    let value = try Value.decode(packing: stored)
    (type, semanticType) = (value.typeName, value.semanticType)
  }

  /// Returns the value as readable text: strings without quotes, and the semantic type in brackets.
  package func text() throws -> String {
    var text = ByteWriter()
    try stored.bytes.withUnsafeBufferPointer { try JSONWriter.writePlain(value: $0, into: &text) }
    if let semanticType { text.append(" [\(semanticType)]") }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  fileprivate static func same(_ one: PropertyValue?, _ other: PropertyValue?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): one.stored.hasSameContent(other.stored)
    default: false
    }
  }
}

extension History {
  /// Returns the properties that have changed after their recorded date, with the time of each change by its author's
  /// clock. The property named by `dates` maps property names to dates. The search stops at a purged revision and takes
  /// time proportional to the number of revisions.
  /// - Parameters:
  ///   - dates: the name of the property that contains the dates.
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
        // Compare values as JSON, because encoded sets and counters contain revision IDs.
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

  private func members(of leaf: Leaf) throws -> Members? {
    leaf.isPurged ? nil : try store.content(of: leaf).body?.members ?? Members()
  }
}

extension History {
  package func moment(_ name: OperationName) throws -> Moment {
    if case .time(let time, _) = name { return Moment(after: try store.blocks.sequence(arrivedBy: time)) }
    return Moment(after: try operations.block(name).sequence)
  }

  package func now() throws -> Moment { Moment(after: try store.blocks.lastSequence()) }

  /// Visits the records that changed between two moments in ascending order of IDs, with their states at both moments.
  /// The time needed depends on the number of changes and not on the size of the database.
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

package struct Undone: Sendable {
  package struct Record: Sendable {
    package var id: String
    package var effect: Operation.Effect?
    package var revisions: [RevisionID] = []
  }

  package var operation: Operation
  package var records: [Record] = []
  /// The operation to undo next. Set if the user did not name an operation and the newest one has nothing left to undo.
  package var next: Operation?
}

extension History {
  var operations: OperationLog { OperationLog(store, author.folder.instance) }

  /// Visits the operations of this instance, newest first, until `body` returns false. Operations that this instance
  /// signed under a previous identity are not included.
  package func forEachOperation(_ body: (Operation) throws -> Bool) throws { try operations.forEach(body) }

  /// - Parameter name: nil for the newest operation that is in effect, was made by a user, and is not itself an undo.
  /// - Throws: `KitError.operation`
  package func operation(_ name: OperationName?) throws -> Operation { try operations.operation(name) }

  /// Returns the operation of a block; nil if the block belongs to another instance or changed no record.
  package func operation(of block: BlockRow) throws -> Operation? {
    do { return try operations.operation(.digest(block.digest.description)) } catch KitError.operation { return nil }
  }

  package func changes(of operation: Operation) throws -> OperationChanges {
    try OperationChanges(operation.block, store)
  }

  package func effects(of operation: Operation) throws -> [Operation.Effect: Int] {
    var counts: [Operation.Effect: Int] = [:]
    try changes(of: operation).forEach { counts[$0.effect, default: 0] += 1 }
    return counts
  }

  /// Appends a block with revisions that restore the state before an operation. Either all requested records are undone
  /// or nothing is written.
  /// - Parameters:
  ///   - name: nil for the newest operation in effect.
  ///   - only: the IDs of the records to undo; nil for all.
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
    // Assume the longer of the two possible labels, because the plan determines only later which one is used.
    let label = UndoLabel(target: operation.key, isPart: true).text
    var plan = UndoPlan(operation, only, author.folder, log, try conflicts.settings(), try author.builder(label: label))
    try plan.make()
    try conflicts.records.check(plan.builder)
    // An older operation can be undone only by naming it, because it may have been made long ago.
    if name == nil, only == nil, plan.builder.isEmpty {
      plan.undone.next = try? log.operation(nil, from: operation.number + 1)
    }
    return plan
  }
}

struct UndoPlan: ~Copyable {
  let folder: SeaFolder
  var store: Store { folder.store }
  private let contents: BlockContents
  let settings: MergeSettings
  private let only: Set<[UInt8]>?
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
        if !isPart, try operation.state == .done || !graph.isUndone(operation) { isPart = true }
        return
      }
      missing.remove(Array(record.id.utf8))
      if operation.state != .done, try graph.isUndone(operation) {
        undone.records.append(Undone.Record(id: record.id))
      } else if try !undo(graph) {
        changed.append(record.id)
      }
    }
    if let id = missing.min(by: { $0.lexicographicallyPrecedes($1) }) {
      throw KitError.operation(.untouched(id: String(decoding: id, as: UTF8.self), operation: operation.name))
    }
    if !changed.isEmpty { throw KitError.operation(.changedSince(operation: operation.name, ids: changed)) }
  }
}

extension History {
  /// Writes a record as an entity of Datastore, with the datestamps of the properties that have changed.
  package func write(
    _ entities: EntityWriter, id: String, type: String?, _ revision: RevisionID, _ body: UnsafeBufferPointer<UInt8>?,
    into writer: inout ByteWriter
  ) throws {
    var times: [(name: String, time: Int64)] = []
    if let body, revision.depth > 1, try PropertyPath(EntityWriter.datestamps).find(in: body) != nil {
      times = try outdated(EntityWriter.datestamps, of: id, at: revision)
    }
    try entities.write(id: id, type: type, body: body, times: times, into: &writer)
  }
}
