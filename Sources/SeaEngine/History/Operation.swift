import SeaCore
import SeaStore

/// A block of this instance that changed records and can be undone.
package struct Operation: Sendable {
  package enum State: String, Sendable {
    case done
    case partly
    case undone
  }

  package enum Effect: String, CaseIterable, Sendable {
    case created, updated
    case restored
    case deleted
    case resolved
    case merged
    case reopened
  }

  package var block: BlockRow
  package var number: Int
  package var state: State

  /// `op:` and the first digits of the block's digest. The name is unique within the instance.
  package var name: String { "op:\(Operation.key(block))" }

  static let keyLength = 16

  static func key(_ block: BlockRow) -> String { String(block.digest.description.prefix(keyLength)) }
  var key: String { Operation.key(block) }
}

package enum OperationName: Sendable {
  /// The first hexadecimal digits of the block's digest, at least four.
  case digest(String)
  case number(Int)
  /// The last operation at or before a time. The string is the time as the user typed it.
  case time(Int64, String)

  var text: String {
    switch self {
    case .digest(let digits): "op:\(digits)"
    case .number(let number): "@{\(number)}"
    case .time(_, let said): said
    }
  }
}

struct UndoLabel {
  static let start = "undo op:"
  private static let end = " --only"
  var target: String
  var isPart: Bool

  init(target: String, isPart: Bool) {
    self.target = target
    self.isPart = isPart
  }

  init?(_ label: String?) {
    guard let label, label.hasPrefix(UndoLabel.start) else { return nil }
    isPart = label.hasSuffix(UndoLabel.end)
    target = String(label.dropFirst(UndoLabel.start.count).dropLast(isPart ? UndoLabel.end.count : 0))
    guard target.utf8.count == Operation.keyLength, Hex.bytes(target) != nil else { return nil }
  }

  var text: String { UndoLabel.start + target + (isPart ? UndoLabel.end : "") }
}

package struct OperationChanges {
  package struct Record {
    package var id: String
    package var changes: [Change]
    package var types: [String?]
    package var effect: Operation.Effect
  }

  private var bytes: [UInt8]
  private let changes: [Change]
  private var records: [Record]?
  private let isUndo: Bool
  private let isMerge: Bool

  init(_ block: BlockRow, _ store: Store) throws {
    if block.isRemoved {
      bytes = try store.content.remains(of: block)
      changes = try bytes.withUnsafeBytes { try PurgedBlockData(ofKept: $0).changes }
    } else {
      guard let bytes = try store.content.clearBytes(of: block) else { throw KitError.damaged("block \(block.index)") }
      self.bytes = bytes
      changes = try bytes.withUnsafeBytes { try BlockReader.payload(ofKept: $0).changes }
    }
    isUndo = UndoLabel(block.label) != nil
    isMerge = block.label == Conflicts.label
    // If the block has few but large changes, keep the records and release the bytes.
    if bytes.count / OperationChanges.largeRecord > changes.count {
      var records: [Record] = []
      try forEach { records.append($0) }
      (self.records, bytes) = (records, [])
    }
  }

  private static let largeRecord = 64 << 10

  func haveType(_ type: String) -> Bool {
    if let records { return records.contains { $0.types.contains { $0.map { UTF8Text.equal($0, type) } ?? false } } }
    return bytes.withUnsafeBufferPointer { bytes in
      let bytes = UnsafeBufferPointer(rebasing: bytes[BlockHeader.size...])
      return changes.contains { $0.type.map { bytes[$0].elementsEqual(type.utf8) } ?? false }
    }
  }

  package func forEach(_ body: (Record) throws -> Void) throws {
    if let records { return try records.forEach(body) }
    try bytes.withUnsafeBufferPointer { bytes in
      let bytes = UnsafeBufferPointer(rebasing: bytes[BlockHeader.size...])
      var ids = IDOrder(capacity: changes.count)
      for change in changes { ids.add(UnsafeBufferPointer(rebasing: bytes[change.id])) }
      let order = ids.sorted()
      var from = 0
      while from < order.count {
        let id = UnsafeBufferPointer(rebasing: bytes[changes[Int(order[from])].id])
        var mine: [Change] = []
        while from < order.count {
          let next = changes[Int(order[from])]
          guard UTF8Text.compare(id, UnsafeBufferPointer(rebasing: bytes[next.id])) == 0 else { break }
          mine.append(next)
          from += 1
        }
        let types = mine.map { $0.type.map { String(decoding: bytes[$0], as: UTF8.self) } }
        try body(Record(id: String(decoding: id, as: UTF8.self), changes: mine, types: types, effect: effect(mine)))
      }
    }
  }

  private func effect(_ changes: [Change]) -> Operation.Effect {
    // The block imported a complete history, which may have several branches.
    if changes.count > 1, changes.contains(where: { $0.parent == nil }),
      changes.contains(where: { $0.mergedCount > 0 || $0.kind == .resolved })
    {
      return changes.contains { $0.kind == .put } ? .created : .deleted
    }
    if changes.contains(where: { $0.mergedCount > 0 }) { return isMerge ? .merged : .resolved }
    if changes.contains(where: { $0.kind == .resolved }) { return .reopened }
    if changes.last?.kind != .put { return .deleted }
    return isUndo ? .restored : changes.contains { $0.parent == nil } ? .created : .updated
  }
}
