import SeaCore
import SeaEngine

enum OpsCommand: Command {
  static var title: Title {
    Title("ops", .history, .porcelain, needs: .database, "list the operations of this instance, to undo them")
  }
  static func isPaged(_ arguments: Arguments) -> Bool { true }
  static var synopsis: [String] { ["[-NUMBER] [--show=OP] [--format=FORMAT [--shell]]"] }
  static let limit = Option(
    "limit", nil, .integer, "NUMBER", "show only the newest NUMBER (-5 is short for --limit=5)", digits: true)
  static let show = Option("show", nil, .operation, "OP", "list the records and revisions of one operation")
  static var options: [Option] { [limit, show, .format, .shell] }
  static var exits: [Exit] { [Exit(.notFound, "no such operation, or the name is ambiguous")] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    _ = try arguments.only(of: [limit, show])
    let name = try arguments.text(show).map { try session.operation($0) }
    let database = try session.reading()
    let log = try LogOutput(session, arguments, database)
    return try database.atOneState {
      if let name {
        try OperationRecords(log: log).print(database.history.operation(name), database)
      } else {
        try list(log, database)
      }
      return .success
    }
  }

  private static func list(_ log: LogOutput, _ database: Database) throws {
    let effects = Operation.Effect.allCases
    let list = try log.list(
      [
        Column { item, _ in "@{\(item["n"].plain)}" },
        Column { item, terminal in String(item["op"].plain.prefix(3 + max(4, terminal.abbrev))) },
        Column("", "time", isWhole: true), Column("", "label", none: ""), Column("", "effects"), Column("", "standing"),
      ], ["op", "n", "block", "hash", "time", "label", "state", "records"] + effects.map(\.rawValue))
    try log.each { offer in
      try database.history.forEachOperation { one in
        try offer(one.block) {
          let counts = try database.history.effects(of: one)
          var item: Item = [
            "op": .text(one.name), "n": .integer(one.number), "block": .id(one.block.place),
            "hash": .text(one.block.digest), "time": .time(one.block.time), "label": .text(one.block.label),
            "state": .text(one.state.rawValue), "records": .integer(counts.values.reduce(0, +)),
            "effects": .aside(Operation.Effect.words(counts)), "standing": .aside(words(one.state)),
          ]
          for effect in effects { item.add([effect.rawValue: .integer(counts[effect])]) }
          try list.add(item)
        }
      }
    }
    try list.end()
  }

  private static func words(_ state: Operation.State) -> String {
    switch state {
    case .done: ""
    case .partly: "(partly undone)"
    case .undone: "(undone)"
    }
  }
}

struct OperationRecords {
  private static let fields = ["op", "effect", "id", "rev", "parent", "kind"]
  let log: LogOutput

  func print(_ operation: Operation, _ database: Database) throws {
    let list = try log.list(
      [
        Column("", "effect"), Column("", "id"), Column("", "rev"),
        Column { item, _ in
          switch item["kind"].plain {
          case RevisionKind.resolved.rawValue: "(branch resolved)"
          case RevisionKind.delete.rawValue: "(deleted)"
          default: ""
          }
        },
      ], OperationRecords.fields)
    try database.history.changes(of: operation).forEach { record in
      for change in record.changes {
        try list.add([
          "op": .text(operation.name), "effect": .text(record.effect.rawValue), "id": .text(record.id),
          "rev": .id(change.revision), "parent": .id(change.parent), "kind": .text(change.kind.rawValue),
        ])
      }
    }
    try list.end()
  }
}
