import SeaCore
import SeaStore

/// The operations of an instance, newest first. Reads only as many blocks as needed. Operations that the instance
/// signed under a previous identity are not included.
final class OperationLog {
  private let store: Store
  private let instance: UUID
  private var known: [String: BlockRow] = [:]
  private var unread: Pages

  init(_ store: Store, _ instance: UUID) {
    self.store = store
    self.instance = instance
    unread = Pages()
  }

  private struct Pages {
    private var rows: ArraySlice<BlockRow> = []
    private var below: UInt32?
    private var size = 16
    private var isComplete = false

    mutating func next(_ log: OperationLog) throws -> BlockRow? {
      if rows.isEmpty, !isComplete {
        rows = try log.store.blocks.operations(of: log.instance, below: below, limit: size)[...]
        isComplete = rows.count < size
        below = rows.last?.index
        size = min(size * 2, 1024)
      }
      return rows.popFirst()
    }
  }

  func forEach(_ body: (Operation) throws -> Bool) throws {
    var effects = Effects()
    var pages = Pages()
    var number = 0
    while let block = try pages.next(self) {
      guard try body(Operation(block: block, number: number, state: effects.state(of: block))) else { return }
      number += 1
    }
  }

  /// - Parameters:
  ///   - name: nil for the newest operation that is in effect, was made by a user, and is not itself an undo.
  ///   - newest: the number of the first operation to consider if `name` is nil.
  func operation(_ name: OperationName?, from newest: Int = 0) throws -> Operation {
    let missing = KitError.operation(name.map { .notFound($0.text) } ?? .nothing)
    let isMeant: (Operation) throws -> Bool
    switch name {
    case nil:
      isMeant = { one in
        try one.number >= newest && one.state != .undone && one.block.label != Conflicts.label
          && !self.isUndo(one.block)
      }
    case .time(let time, _): isMeant = { $0.block.time <= time }
    case .number?, .digest?: return try operation(of: block(name!))
    }
    var found: Operation?
    try forEach { one in
      if try isMeant(one) { found = one }
      return found == nil
    }
    guard let found else { throw missing }
    return found
  }

  private func operation(of block: BlockRow) throws -> Operation {
    let newer = try store.blocks.operations(of: instance, above: block.index, labeled: UndoLabel.start)
    var effects = Effects()
    for one in newer.labeled { _ = effects.state(of: one) }
    return Operation(block: block, number: newer.count, state: effects.state(of: block))
  }

  /// Tracks which undos are in effect. Blocks must be passed in order, from the newest to the oldest.
  private struct Effects {
    private var taken: [String: Operation.State] = [:]

    mutating func state(of block: BlockRow) -> Operation.State {
      let state = taken.removeValue(forKey: Operation.key(block)) ?? .done
      if let undo = UndoLabel(block.label), state != .undone, taken[undo.target] != .undone {
        taken[undo.target] = undo.isPart || state == .partly ? .partly : .undone
      }
      return state
    }
  }

  func block(_ name: OperationName) throws -> BlockRow {
    let found: BlockRow? =
      switch name {
      case .digest(let digits): try block(digits: digits)
      case .number(let number): try store.blocks.operation(of: instance, number: number)
      case .time: try operation(name).block
      }
    guard let found else { throw KitError.operation(.notFound(name.text)) }
    return found
  }

  private func block(digits: String) throws -> BlockRow? {
    func digest(filledWith digit: Character) -> Digest? {
      Digest(hex: digits + String(repeating: digit, count: max(0, 64 - digits.utf8.count)))
    }
    guard let first = digest(filledWith: "0"), let last = digest(filledWith: "f") else { return nil }
    // A complete key is unique, so there is no need to look for a second match.
    let isWhole = digits.utf8.count >= Operation.keyLength
    let rows = try store.blocks.operations(of: instance, from: first, through: last, limit: isWhole ? 1 : 2)
    if rows.count > 1 { throw KitError.operation(.ambiguous("op:\(digits)")) }
    return rows.first
  }

  func block(_ key: String) throws -> BlockRow? {
    while known[key] == nil, let row = try unread.next(self) { known[Operation.key(row)] = row }
    return known[key]
  }

  /// Whether a block is an undo. A block that undid another undo is a redo and does not count.
  private func isUndo(_ block: BlockRow) throws -> Bool {
    var isUndo = false
    var next: BlockRow? = block
    while let label = UndoLabel(next?.label) {
      isUndo.toggle()
      next = try self.block(label.target)
    }
    return isUndo
  }
}
