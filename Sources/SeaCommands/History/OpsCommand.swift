import SeaCore
import SeaKit

/// `sea ops`: what this instance has done, newest first.
enum OpsCommand: Command {
  static var name: String { "ops" }
  static var group: Group { .history }
  static var kind: Kind { .porcelain }
  static var summary: String { "list what was done here, to undo it" }
  static var synopsis: [String] { ["[-N] [--show=OP] [--format=FORMAT [--shell]]"] }
  static let limit = Option("limit", nil, .integer, "N", "show the newest N only; -N is the same", digits: true)
  static let show = Option("show", nil, .operation, "OP", "list the records and revisions of one")
  static var options: [Option] { [limit, show, .format, .shell] }
  static var exits: [Exit] { [Exit(.notFound, "there is no such operation, or the name means several")] }
  static var needs: Needs { .database }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(.shell), !arguments.has(.format) { throw UsageFault.needs(option: "--shell", with: "--format") }
    _ = try arguments.only(of: [limit, show])
    let name = try arguments.text(show).map { try context.operation($0) }
    let database = try context.reading()
    defer { database.close() }
    let log = try LogOutput(context, arguments, database)
    return try database.atOneState {
      if let name {
        try OperationRecords(log, context).print(database.operation(name), database)
      } else {
        try list(log, context, database)
      }
      return .success
    }
  }

  private static func list(_ log: LogOutput, _ context: Context, _ database: Database) throws {
    let effects = Operation.Effect.allCases
    let fields = ["op", "n", "block", "hash", "time", "label", "state", "records"] + effects.map(\.rawValue)
    let template = try log.template(fields)
    var table = log.table((0..<6).map { _ in .init("") })
    try log.each { offer in
      try database.forEachOperation { one in
        try offer(one.block) {
          let counts = try database.effects(of: one)
          var item = FieldTable()
          log.author(one.block, into: &item)
          item["op"] = .text(one.name)
          item["n"] = .integer(Int64(one.number))
          item["block"] = .name(one.block.place)
          item["hash"] = .text(one.block.digest.description)
          item["state"] = .text(one.state.rawValue)
          item["records"] = .integer(Int64(counts.values.reduce(0, +)))
          for effect in effects { item[effect.rawValue] = counts[effect].map { .integer(Int64($0)) } }
          let text = [
            "@{\(one.number)}", context.short(one), log.time(one.block), one.block.label ?? "",
            Operation.Effect.words(counts), words(one.state),
          ]
          try log.print(item, fields, template) { try table.row(text) }
        }
      }
    }
    try table.end()
  }

  private static func words(_ state: Operation.State) -> String {
    switch state {
    case .done: ""
    case .partly: "(partly undone)"
    case .undone: "(undone)"
    }
  }
}
