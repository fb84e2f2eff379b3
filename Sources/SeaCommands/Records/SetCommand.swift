import SeaCore
import SeaEngine

enum SetCommand: Command {
  static var title: Title {
    Title("set", .records, .porcelain, needs: [.database, .lock], "change properties of records")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[--create [--initial=KEY=VALUE]...] [-t TYPE] [--if-rev=REV] [--unset=PATH]... [--rename=PATH=PATH]... "
        + "[--replace-type] [-n] RECORD [KEY=VALUE]...",
      "--new [-t TYPE] [-n] [KEY=VALUE]...",
      "--where=SQL [-t TYPE] [-p NAME=VALUE]... [--max=N] [--unset=PATH]... [--rename=PATH=PATH]... [--replace-type] [-n] "
        + "[KEY=VALUE]...",
      "--stdin [-t TYPE] [--max=N] [--unset=PATH]... [--rename=PATH=PATH]... [--replace-type] [-n] [KEY=VALUE]...",
    ]
  }
  static let create = Option("create", help: "create the record if it does not exist")
  static let initial = Option(
    "initial", nil, .assignment, "KEY=VALUE", "set the property only if the record is created", repeatable: true)
  static let new = Option("new", help: "create a record with a new id")
  static let unset = Option("unset", nil, .path, "PATH", "remove a property", repeatable: true)
  static let rename = Option("rename", nil, .assignment, "PATH=PATH", "rename a property", repeatable: true)
  static let replaceType = Option("replace-type", help: "allow a property to change its type")
  static let max = Option("max", nil, .integer, "N", "fail if more than N records would be changed")
  static var options: [Option] {
    [
      create, initial, new, Selected.condition, .stdin, .type, QueryParameter.option, max, .ifRevision, unset, rename,
      replaceType,
      .dryRun,
    ]
  }
  static var operands: [Operand] { [.optional("RECORD", .record), .any("KEY=VALUE", .assignment)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "the record is not at the required revision; nothing was written"),
      Exit(.notFound, "no such record or property, or the name is ambiguous"),
      Exit(.system, "the file of an asset cannot be read or stored"),
      Exit(.badData, "invalid value or condition, another type of the property, or a broken rule"),
      Exit(.refused, "more than --max records, or a hook refused; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    var run = try SetRun(session, arguments)
    try run.run()
    return .success
  }
}
