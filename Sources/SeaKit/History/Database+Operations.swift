import SeaCore
import SeaStore

extension Database {
  /// The operations of this instance, newest first, until `body` returns false. What an instance did that this one
  /// was before it took another name is not among them.
  package func forEachOperation(_ body: (Operation) throws -> Bool) throws {
    // By key, what later ones that are in effect have taken back.
    var taken: [String: Operation.State] = [:]
    var number = 0
    var below: UInt32?
    var page = 16
    while true {
      let rows = try store.blocks.operations(of: instance, below: below, limit: page)
      for block in rows {
        let state = taken.removeValue(forKey: Operation.key(block)) ?? .done
        if let undo = UndoLabel(block.label), state != .undone, taken[undo.target] != .undone {
          taken[undo.target] = undo.isPart || state == .partly ? .partly : .undone
        }
        guard try body(Operation(block: block, number: number, state: state)) else { return }
        number += 1
      }
      guard rows.count == page, let last = rows.last else { return }
      below = last.index
      page = min(page * 2, 1024)
    }
  }

  /// - Parameter name: nil for the newest one that is in effect and did more than to take another one back.
  /// - Throws: `KitError.operation`
  package func operation(_ name: OperationName?) throws -> Operation {
    try operation(name, from: 0, OperationIndex(self))
  }

  /// - Parameter newest: the number of the first one that may be meant without a name.
  func operation(_ name: OperationName?, from newest: Int, _ index: OperationIndex) throws -> Operation {
    var found: Operation?
    var text = ""
    switch name {
    case nil:
      try forEachOperation { one in
        if one.number >= newest, one.state != .undone, try !index.isUndo(one.block) { found = one }
        return found == nil
      }
      guard let found else { throw KitError.operation(.nothing) }
      return found
    case .number(let number):
      text = "@{\(number)}"
      try forEachOperation { one in
        if one.number == number { found = one }
        return found == nil
      }
    case .time(let time, let said):
      text = said
      try forEachOperation { one in
        if one.block.time <= time { found = one }
        return found == nil
      }
    case .digest(let digits):
      text = "op:\(digits)"
      guard let block = try operationBlock(digits) else { break }
      try forEachOperation { one in
        if one.block.sequence == block.sequence { found = one }
        return found == nil
      }
    }
    guard let found else { throw KitError.operation(.notFound(text)) }
    return found
  }

  private func operationBlock(_ digits: String) throws -> BlockRow? {
    func digest(filledWith digit: Character) -> Digest? {
      Digest(hex: digits + String(repeating: digit, count: max(0, 64 - digits.utf8.count)))
    }
    guard let first = digest(filledWith: "0"), let last = digest(filledWith: "f") else { return nil }
    let rows = try store.blocks.operations(of: instance, from: first, through: last, limit: 2)
    if rows.count > 1 { throw KitError.operation(.ambiguous("op:\(digits)")) }
    return rows.first
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
}

/// Operations by their keys, read from the newest on as far as it takes.
final class OperationIndex {
  private let database: Database
  private var known: [String: BlockRow] = [:]
  private var below: UInt32?
  private var isComplete = false

  init(_ database: Database) { self.database = database }

  func block(_ key: String) throws -> BlockRow? {
    while known[key] == nil, !isComplete {
      let rows = try database.store.blocks.operations(of: database.instance, below: below, limit: 256)
      for row in rows { known[Operation.key(row)] = row }
      below = rows.last?.index
      isComplete = rows.count < 256
    }
    return known[key]
  }

  /// Whether a block took back another one, which was no such block itself: that would be a redo.
  func isUndo(_ block: BlockRow) throws -> Bool {
    var isUndo = false
    var next: BlockRow? = block
    while let label = UndoLabel(next?.label) {
      isUndo.toggle()
      next = try self.block(label.target)
    }
    return isUndo
  }
}
