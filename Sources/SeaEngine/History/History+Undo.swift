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
      return try author.write {
        var plan = try plan(name, only)
        count = plan.undone.records.count
        guard !plan.builder.isEmpty else { return plan.undone }
        plan.builder.putReferencesFirst()
        try author.append(&plan.builder, label: plan.label)
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
