import SeaCore
import SeaEngine

/// `sea set`: only the properties that are named, of one record or of many.
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
  static let create = Option("create", help: "make the record if there is none")
  static let initial = Option(
    "initial", nil, .assignment, "KEY=VALUE", "set it if the record is made", repeatable: true)
  static let new = Option("new", help: "make a record with a new id")
  static let unset = Option("unset", nil, .path, "PATH", "remove a property", repeatable: true)
  static let rename = Option("rename", nil, .assignment, "PATH=PATH", "move a property", repeatable: true)
  static let replaceType = Option("replace-type", help: "allow a property to become of another type")
  static let max = Option("max", nil, .integer, "N", "fail when there are more than N records to change")
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
      Exit(.conflict, "the record is not at the revision that was asked for; nothing was written"),
      Exit(.notFound, "there is no such record or property, or the name means several"),
      Exit(.system, "a file for an asset cannot be read, or there is no room for its content"),
      Exit(
        .badData, "a value or SQL cannot be read, a value cannot be stored, or is of another type than the property has"
      ),
      Exit(.refused, "more than --max records, or a hook refused; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    var run = try SetRun(session, arguments)
    try run.run()
    return .success
  }
}
