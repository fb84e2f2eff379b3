import SeaCore
import SeaEngine

enum LogCommand: Command {
  static var title: Title {
    Title(
      "log", .history, .porcelain, needs: .database,
      "show transactions, the revisions of a record or the values of a property")
  }
  static func isPaged(_ arguments: Arguments) -> Bool { true }
  static var synopsis: [String] {
    [
      "[-NUMBER] [--instance=I] [--since=WHEN] [--until=WHEN] [--at=WHEN] [-p | --changes | --format=FORMAT [--shell]] "
        + "[-t TYPE | RECORD [PATH]]", "--graph [-NUMBER] [--at=WHEN] RECORD",
    ]
  }
  static let limit = Option(
    "limit", nil, .integer, "NUMBER", "show only the newest NUMBER (-5 is short for --limit=5)", digits: true)
  static let instance = Option("instance", nil, .instance, "I", "show only transactions of this instance")
  static let since = Option(
    "since", nil, .text, "WHEN", "show only transactions written at WHEN or later, by their author's clock")
  static let until = Option(
    "until", nil, .text, "WHEN", "show only transactions written at WHEN or earlier, by their author's clock")
  static let type = Option("type", "t", .type, "TYPE", "show only transactions that changed records of this type")
  static let patch = Option("patch", "p", help: "show the changes of each transaction")
  static let changes = Option("changes", help: "list the changed records and properties of each transaction")
  static let graph = Option("graph", help: "draw the revision tree")
  static var options: [Option] { [limit, instance, since, until, .at, type, patch, changes, graph, .format, .shell] }
  static var operands: [Operand] { [.optional("RECORD", .record), .optional("PATH", .path)] }
  static var exits: [Exit] {
    [Exit(.notFound, "no such record, instance or operation, or the name is ambiguous")]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    try check(arguments)
    let database = try session.reading()
    let log = try LogOutput(session, arguments, database)
    return try database.atOneState {
      guard let text = arguments.operand(0) else {
        try LogTransactions(log: log, type: arguments.text(type)).print(database)
        return .success
      }
      let past = try log.moment.map { try database.records.find(text, at: $0, literal: session.literalIDs) }
      let row = try past?.row ?? database.records.find(text, literal: session.literalIDs)
      if let path = arguments.operand(1) {
        try LogValues(log: log, id: row.id, path: try PropertyPath(path)).print(row, in: past, database)
      } else if arguments.has(graph), !session.options.json {
        try LogGraph(log: log).print(row, in: past, database)
      } else {
        try LogRevisions(log: log, id: row.id).print(row, in: past, database)
      }
      return .success
    }
  }

  private static func check(_ arguments: Arguments) throws {
    _ = try arguments.only(of: [patch, changes, .format])
    if arguments.has(type), arguments.operand(0) != nil { throw UsageFault.excluded([type.dashed, "RECORD"]) }
    let detail = try arguments.only(of: [patch, changes, graph])
    if let detail, arguments.operand(1) != nil { throw UsageFault.excluded([detail.dashed, "PATH"]) }
    guard arguments.has(graph) else { return }
    _ = try [type, instance, since, until, .format].map { try arguments.only(of: [graph, $0]) }
    if arguments.operand(0) == nil { throw UsageFault.missingOperand("RECORD") }
  }
}

/// Prints the past values of a property, for `sea log RECORD PATH`.
struct LogValues {
  private static let fields = [
    "id", "path", "value", "type", "rev", "kind", "branch", "block", "instance", "name", "time", "label",
  ]
  let log: LogOutput
  let id: String
  let path: PropertyPath

  func print(_ row: RecordRow, in past: PastRecord?, _ database: Database) throws {
    var list: Listing?
    try log.each { offer in
      try database.history.forEachValue(of: row, path, in: past) { event, value in
        return try offer(event.author) {
          var item = try item(event, value)
          item.add(try LogRevisions.words(event, database, log))
          if list == nil { list = try self.list(value) }
          try list?.add(item)
        }
      }
    }
    guard list != nil else { throw KitError.propertyNotFound(id: id, path: path.description) }
    try list?.end()
  }

  /// - Parameter first: one of the values. Numbers are right-aligned, and other values are left-aligned.
  private func list(_ first: PropertyValue?) throws -> Listing {
    let isNumber = first.map { ["integer", "double", "decimal", "counter"].contains($0.type) } ?? false
    return try log.list(
      [Column("", "text", right: isNumber), Column("", "type", none: "")] + LogRevisions.columns
        + [Column { item, _ in item["branch"].plain == "winner" ? "" : "(other branch)" }], LogValues.fields)
  }

  private func item(_ event: Event, _ value: PropertyValue?) throws -> Item {
    var item: Item = [
      "id": .id(id), "path": .text(path.pointer), "value": Field.value(value?.stored),
      "text": try value.map { .aside(try $0.text()) } ?? .absent, "type": .text(value?.type),
      "rev": .id(event.revision),
      "kind": .text(event.leaf.kind.rawValue), "branch": .text(event.isOnWinningBranch ? "winner" : "other"),
      "block": .id(event.author?.place),
    ]
    item.add(log.author(event.author))
    return item
  }
}

/// Prints blocks, optionally with their changes, for `sea log` without a record.
struct LogTransactions {
  private static let fields = [
    "block", "instance", "name", "index", "lamport", "time", "label", "changes", "size", "hash", "standing",
  ]
  let log: LogOutput
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
        // Check the content of the block last, because reading it is slow.
        if let type, try !log.isWanted(block) || !database.history.touches(block, type: type) { return true }
        isSilent = false
        return try offer(block) { try show(block) }
      }
    }
    // A type that no longer exists may still have a history, so check the type only if nothing was found.
    if isSilent, let type { try log.session.check(type: type, in: database) }
  }

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
