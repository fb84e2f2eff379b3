import SeaCore
import SeaKit

/// `sea show`: what a transaction or a revision changed.
enum ShowCommand: Command {
  static var title: Title {
    Title(
      "show", .history, .porcelain, needs: .database,
      "show what transactions or revisions changed, who wrote them, and when")
  }
  static var synopsis: [String] { ["[-t TYPE] [--stat] [OP | BLOCK | REVISION]..."] }
  static let stat = Option("stat", help: "list the records only, without their properties")
  static var options: [Option] { [.type, stat] }
  static var operands: [Operand] { [.any("REVISION", .operation)] }
  static var exits: [Exit] {
    [Exit(.notFound, "there is no such operation, block, record or revision, or the name means several")]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let database = try session.reading()
    let names = arguments.operands.isEmpty ? ["@{0}"] : arguments.operands
    return try database.atOneState {
      let log = try LogOutput(session, arguments, database)
      var isFirst = true
      for name in names {
        if !isFirst, !session.options.json { try session.terminal.line("") }
        isFirst = false
        try show(name, arguments, log, database)
      }
      return .success
    }
  }

  private static func show(_ name: String, _ arguments: Arguments, _ log: LogOutput, _ database: Database) throws {
    let session = log.session
    let text = ChangeText(terminal: session.terminal, counts: arguments.has(stat))
    if !session.literalIDs, name.hasPrefix("op:") || name.hasPrefix("@{") {
      let operation = try database.history.operation(session.operation(name))
      try head(operation.block, operation, log)
      return try changes(of: operation.block, arguments, text, log, database)
    }
    switch try session.named(name, in: database) {
    case .block(let block):
      try head(block, nil, log)
      try changes(of: block, arguments, text, log, database)
    case .record, .instance: try revision(session.find(name, in: database), text, log, database)
    case .revision(let found): try revision(found, text, log, database)
    }
  }

  private static func revision(_ found: Found, _ text: ChangeText, _ log: LogOutput, _ database: Database) throws {
    if let block = try database.records.block(of: found.leaf) {
      try head(block, nil, log)
      let all = try database.history.effect(of: block, on: found.row.id)
      let effect = all ?? (found.leaf.parent == nil ? .created : found.leaf.kind == .put ? .updated : .deleted)
      try print(database.history.change(found.leaf, of: found.row, effect), of: block, text, log)
    }
  }

  private static func changes(
    of block: BlockRow, _ arguments: Arguments, _ text: ChangeText, _ log: LogOutput, _ database: Database
  ) throws {
    try database.history.forEachChange(of: block, type: arguments.text(.type), withValues: !text.counts) { change in
      try print(change, of: block, text, log)
    }
  }

  private static func print(
    _ change: RevisionChange, of block: BlockRow, _ text: ChangeText, _ log: LogOutput
  ) throws {
    var item: Item = ["block": .id(block.place)]
    item.add(try text.item(change))
    try log.session.terminal.show(item) { try (text.counts ? [] : [""]) + text.lines(change) }
  }

  /// Who wrote it, and when.
  private static func head(_ block: BlockRow, _ operation: Operation?, _ log: LogOutput) throws {
    var item: Item = ["block": .id(block.place), "op": .text(operation?.name)]
    item.add(log.author(block))
    item.add([
      "arrived": .time(block.arrived), "changes": .integer(block.changes), "size": .integer(block.size),
      "hash": .text(block.digest), "standing": .text(log.standing(block)),
      "undone": .mark(operation?.state == .undone),
    ])
    try log.session.terminal.show(item) {
      var lines = ["block    \(log.shownName(block))\(block.place.dropFirst(36))"]
      if let operation { lines.append("op       \(operation.name)\(operation.state == .undone ? " (undone)" : "")") }
      lines.append("by       \(log.shownName(block)) \(block.instance)")
      lines.append("time     \(log.time(block))")
      if block.arrived != block.time { lines.append("arrived  \(log.session.terminal.text(block.arrived))") }
      if let label = block.label { lines.append("label    \(label)") }
      if let standing = log.standing(block) { lines.append("state    \(standing)") }
      lines.append("changes  \(block.changes)")
      return lines
    }
  }
}
