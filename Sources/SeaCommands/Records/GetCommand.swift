import SeaCore
import SeaKit

/// `sea get`: a record, or values of it.
enum GetCommand: Command {
  static var name: String { "get" }
  static var group: Group { .records }
  static var kind: Kind { .plumbing }
  static var summary: String { "print a record, or properties of it" }
  static var synopsis: [String] {
    ["[--rev=REV] [--meta] [--strict] [-e] [--raw] RECORD|REVISION [PATH]...", "[--meta] [--strict] --stdin"]
  }
  static let rev = Option("rev", nil, .revision, "REV", "the revision to print instead of the winner")
  static let meta = Option("meta", help: "also print who wrote it, when, and in which block")
  static let strict = Option("strict", help: "fail when the record is in conflict")
  static let exists = Option("exists", "e", help: "print nothing; tell by the exit status whether it is there")
  static let raw = Option("raw", help: "print the bytes of one property, and no newline")
  static var options: [Option] { [rev, meta, strict, exists, raw, .stdin] }
  static var operands: [Operand] { [.optional("RECORD", .record), .any("PATH", .path)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with -e: there is no such record or property"),
      Exit(.conflict, "with --strict: the record is in conflict"),
      Exit(.notFound, "there is no such record, revision or property, or the name means several"),
      Exit(.partial, "with --stdin: some of the records are not there"),
    ]
  }
  static var needs: Needs { .database }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(.stdin) {
      if !arguments.operands.isEmpty { throw UsageFault.excluded(["--stdin", "RECORD"]) }
    } else if arguments.operands.isEmpty {
      throw UsageFault.missingOperand("RECORD")
    }
    let database = try context.reading()
    defer { database.close() }
    if !arguments.has(.stdin) { return try print(arguments.operands[0], database, context, arguments) }
    var status = ExitStatus.success
    while let line = try context.input.line(terminator: context.options.zero ? 0 : 0x0A) {
      let text = String(decoding: line, as: UTF8.self)
      do {
        status = status.and(try print(text, database, context, arguments))
      } catch KitError.recordNotFound(let id) {
        context.warning("not-found", "there is no record '\(id)'")
        status = status.and(.partial)
      }
    }
    return status
  }

  private static func print(
    _ text: String, _ database: Database, _ context: Context, _ arguments: Arguments
  ) throws -> ExitStatus {
    let paths = try arguments.operands.dropFirst().map { try PropertyPath($0) }
    let found: Found
    do {
      found = try revision(text, database, context, arguments)
      let isPlain = !arguments.has(rev) && found.leaf.kind != .put && found.leaf.revision.description != text
      if found.row.isDeleted, isPlain, !text.contains("@") { throw KitError.recordNotFound(text) }
    } catch KitError.recordNotFound where arguments.has(exists) {
      return .no
    }
    let view = try database.view(found.row, found.leaf)
    if arguments.has(strict), found.row.conflict != .none { throw CommandError.inConflict(found.row.id) }
    if arguments.has(exists) { return try paths.allSatisfy { try view.value($0) != nil } ? .success : .no }
    var writer = ByteWriter()
    if paths.isEmpty {
      if arguments.has(raw) { throw UsageFault.missingOperand("PATH") }
      let meta = arguments.has(meta) ? try database.meta(of: view, in: found.row) : []
      try view.writeJSON(context.options.json || arguments.has(.stdin) ? .compact : .pretty, meta: meta, into: &writer)
      writer.byte(0x0A)
    }
    for path in paths {
      guard let value = try view.value(path) else {
        throw KitError.propertyNotFound(id: found.row.id, path: path.description)
      }
      try value.withUnsafeBufferPointer {
        if context.options.json {
          try JSONWriter.write(value: $0, into: &writer)
        } else {
          try JSONWriter.writePlain(value: $0, raw: arguments.has(raw), into: &writer)
        }
      }
      if !arguments.has(raw) { writer.byte(context.options.zero ? 0 : 0x0A) }
    }
    try context.output.write(UnsafeRawBufferPointer(writer.bytes))
    return .success
  }

  private static func revision(
    _ text: String, _ database: Database, _ context: Context, _ arguments: Arguments
  ) throws -> Found {
    guard let revision = arguments.text(rev) else { return try context.find(text, in: database) }
    let row = try database.find(text, literal: context.literalIDs)
    return Found(row: row, leaf: try database.revision(revision, of: row))
  }
}
