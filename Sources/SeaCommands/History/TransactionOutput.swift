import SeaCore
import SeaEngine

/// Prints a transaction and its changes for `sea show`, and for `sea log` with `--patch` or `--changes`.
struct TransactionOutput {
  let log: LogOutput
  let text: ChangeText

  func head(_ block: BlockRow, _ operation: Operation? = nil) throws {
    var item: Item = ["block": .id(block.place), "op": .text(operation?.name)]
    item.add(log.author(block))
    item.add([
      "arrived": .time(block.arrived), "changes": .integer(block.changes), "size": .integer(block.size),
      "hash": .text(block.digest), "standing": .text(log.state(of: block)),
      "undone": .mark(operation?.state == .undone),
    ])
    try log.session.terminal.painter.show(item, lines: { lines(block, operation) })
  }

  func lines(_ block: BlockRow, _ operation: Operation? = nil) -> [Painted] {
    var lines: [Painted] = ["block    \(log.shownPlace(block), .revision)"]
    if let operation {
      lines.append("op       \(operation.name, .revision)\(operation.state == .undone ? " (undone)" : "")")
    }
    lines.append("by       \(log.shownName(block)) \(block.instance)")
    lines.append("time     \(log.time(block))")
    if block.arrived != block.time { lines.append("arrived  \(log.session.terminal.text(block.arrived))") }
    if let label = block.label { lines.append("label    \(label)") }
    if let state = log.state(of: block) { lines.append("state    \(state, .problem)") }
    lines.append("changes  \(block.changes)")
    guard let width = log.session.terminal.width else { return lines }
    return lines.flatMap { $0.wrapped(to: width, indent: 9) }
  }

  /// - Returns: whether the transaction changed any record of the type.
  @discardableResult
  func changes(of block: BlockRow, type: String?, _ database: Database) throws -> Bool {
    var isAny = false
    try database.history.forEachChange(of: block, type: type, withValues: text.detail != .none) { change in
      isAny = true
      try print(change, of: block)
    }
    return isAny
  }

  func print(_ change: RevisionChange, of block: BlockRow) throws {
    var item: Item = ["block": .id(block.place)]
    item.add(try text.item(change))
    try log.session.terminal.painter.show(
      item,
      lines: {
        switch text.detail {
        case .values: [""] + text.lines(change)
        case .names: []
        case .none: text.lines(change)
        }
      })
    if text.detail == .names { try text.printLine(change) }
    try text.printValues(change)
  }
}
