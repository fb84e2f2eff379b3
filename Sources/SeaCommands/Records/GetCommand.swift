import SeaCore
import SeaEngine
import SeaWords

/// `sea get`: a record, or values of it.
enum GetCommand: Command {
  static var title: Title { Title("get", .records, .plumbing, needs: .database, "print a record, or properties of it") }
  static var synopsis: [String] {
    [
      "[--rev=REV | --at=WHEN] [--meta] [--strict] [-e] [--raw | --path | --expand] [--fetch] RECORD|REVISION [PATH]...",
      "[--at=WHEN] [--meta] [--strict] [--expand] --stdin",
    ]
  }
  static let rev = Option("rev", nil, .revision, "REV", "the revision to print instead of the winner")
  static let meta = Option("meta", help: "also print who wrote it, when, and in which block")
  static let strict = Option("strict", help: "fail when the record is in conflict")
  static let exists = Option("exists", "e", help: "print nothing; tell by the exit status whether it is there")
  static let raw = Option("raw", help: "print the bytes of one property, of an asset its content, and no newline")
  static let path = Option("path", help: "print where the files of assets lie, instead of the values")
  static let expand = Option("expand", help: "in the place of references print the records that they name")
  static let fetch = Option("fetch", help: "get the content of assets that is not here from containers first")
  static var options: [Option] { [rev, .at, meta, strict, exists, raw, path, expand, fetch, .stdin] }
  static var operands: [Operand] { [.optional("RECORD", .record), .any("PATH", .path)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with -e: there is no such record or property"),
      Exit(.conflict, "with --strict: the record is in conflict"),
      Exit(
        .notFound, "there is no such record, revision or property, the name means several, or --at names no operation"),
      Exit(.corrupt, "with --raw: the content of an asset is not what the record says; do not use what was printed"),
      Exit(.unreachable, "with --raw, --path: the content of an asset is not here, or with --fetch nowhere in reach"),
      Exit(.badData, "with --expand: the records that it refers to have more than 64 MiB together"),
      Exit(.partial, "with --stdin: some of the records are not there"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(.stdin) {
      if !arguments.operands.isEmpty { throw UsageFault.excluded(["--stdin", "RECORD"]) }
    } else if arguments.operands.isEmpty {
      throw UsageFault.missingOperand("RECORD")
    }
    _ = try arguments.only(of: [rev, .at])
    _ = try arguments.only(of: [raw, path, expand])
    let database = try arguments.has(fetch) ? session.writing(as: self) : session.reading()
    let moment = try session.moment(arguments, database)
    if !arguments.has(.stdin) {
      func printOne() throws -> ExitStatus {
        try print(arguments.operands[0], at: moment, database, session, arguments)
      }
      return try arguments.has(fetch) ? printOne() : database.atOneState(printOne)
    }
    var status = ExitStatus.success
    while let line = try session.terminal.input.line(terminator: session.options.zero ? 0 : 0x0A) {
      let text = String(decoding: line, as: UTF8.self)
      do {
        status = status.and(try print(text, at: moment, database, session, arguments))
      } catch KitError.recordNotFound(let id) {
        session.terminal.warning("not-found", "there is no record '\(id)'")
        status = status.and(.partial)
      }
    }
    return status
  }
}
