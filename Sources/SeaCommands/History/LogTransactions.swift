import SeaCore
import SeaEngine

/// `sea log`: blocks, with what they changed if that is asked for.
struct LogTransactions {
  private static let fields = [
    "block", "instance", "name", "index", "lamport", "time", "label", "changes", "size", "hash", "standing",
  ]
  let log: LogOutput
  /// Only those that changed records of this type.
  let type: String?

  func print(_ database: Database) throws {
    guard let detail = log.detail else { return try list(database) }
    let output = TransactionOutput(log: log, text: ChangeText(terminal: log.session.terminal, detail: detail))
    var isFirst = true
    try each(database) { block in
      try log.session.terminal.painter.show(
        item(block),
        lines: {
          defer { isFirst = false }
          if detail == .values { return (isFirst ? [] : [""]) + output.lines(block) }
          var line: Painted = "\(log.shownPlace(block), .revision)  \(log.time(block))"
          if let label = block.label, !label.isEmpty { line += "  \(label)" }
          if let state = log.state(of: block) { line += "  \(state, .problem)" }
          return [line]
        })
      try output.changes(of: block, type: type, database)
    }
  }

  private func list(_ database: Database) throws {
    let list = try log.list(
      [
        Column("BLOCK", "shown", slot: { _ in .revision }), Column("TIME", "time", isWhole: true),
        Column("CHANGES", "changes", right: true),
        Column("LABEL", "label", none: ""),
      ], LogTransactions.fields)
    let isTable = list.isTable
    try each(database) { block in try isTable ? list.add(cells: cells(block)) : list.add(item(block)) }
    try list.end()
  }

  private func each(_ database: Database, _ show: @escaping (BlockRow) throws -> Void) throws {
    var isSilent = true
    try log.each { offer in
      try database.history.forEachTransaction(of: log.only, until: log.moment) { block in
        // The content of a block is looked at last.
        if let type, try !log.isWanted(block) || !database.history.touches(block, type: type) { return true }
        isSilent = false
        return try offer(block) { try show(block) }
      }
    }
    // A type that is gone has a history, too.
    if isSilent, let type { try log.session.check(type: type, in: database) }
  }

  /// What stands in the columns of the table.
  private func cells(_ block: BlockRow) -> [String] {
    [log.shownPlace(block), log.session.terminal.text(block.time), String(block.changes), block.label ?? ""]
  }

  private func item(_ block: BlockRow) -> Item {
    var item: Item = ["block": .id(block.place)]
    item.add(log.author(block))
    item.add([
      "index": .integer(block.index), "lamport": .integer(block.lamport), "changes": .integer(block.changes),
      "size": .integer(block.size), "hash": .text(block.digest), "standing": .text(log.state(of: block)),
      "shown": .aside(log.shownPlace(block)),
    ])
    return item
  }
}
