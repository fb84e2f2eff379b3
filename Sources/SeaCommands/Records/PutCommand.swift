import SeaCore
import SeaEngine

enum PutCommand: Command {
  static var title: Title { Title("put", .records, .plumbing, needs: [.database, .lock], "write whole records") }
  static var synopsis: [String] {
    ["[-t TYPE] [--id=ID] [--if-rev=REV | --ignore-rev] [--merge-patch] [--create] [--chunk=N] [-n] FILE|-|JSON..."]
  }
  static let id = Option("id", nil, .record, "ID", "set the id of a record without _id")
  static let patch = Option("merge-patch", help: "apply each document to its record as a JSON Merge Patch")
  static let ignoreRevision = Option(
    "ignore-rev", help: "ignore the _rev of documents, for example from another database")
  static let create = Option("create", help: "create records that references such as person:name=Eva name")
  static let chunk = Option("chunk", nil, .integer, "N", "start a new transaction after every N records")
  static var options: [Option] { [.type, id, .ifRevision, ignoreRevision, patch, create, chunk, .dryRun] }
  static var operands: [Operand] { [.several("FILE|-|JSON", .file)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "a record is not at the required revision; nothing was written"),
      Exit(.notFound, "the record to patch or delete does not exist, or a reference matches several records"),
      Exit(.badData, "invalid JSON, a value that cannot be stored, or a broken rule; nothing was written"),
      Exit(.refused, "a hook refused; nothing of the transaction was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    var options = WriteBatch.Options()
    options.type = arguments.text(.type)
    options.id = arguments.text(id)
    options.isForOneRecord = options.id != nil
    options.precondition = try Preconditions.parse(arguments.text(.ifRevision))
    _ = try arguments.only(of: [.ifRevision, ignoreRevision])
    options.ignoresRevision = arguments.has(ignoreRevision)
    options.isPatch = arguments.has(patch)
    if let type = options.type { try Name.check(type) }
    if let id = options.id { try Name.check(id) }
    options.limits = try session.recordLimits()
    _ = try chunkSize(arguments)
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: Self.self)
    if !session.literalIDs { options.find(NamedTargets(database.records, creates: arguments.has(create))) }
    if arguments.has(create) {
      // The lock prevents other programs from creating the same records in the meantime.
      return try database.locked { try put(session, arguments, options, database) }
    }
    return try put(session, arguments, options, database)
  }

  private static func put(
    _ session: Session, _ arguments: Arguments, _ options: WriteBatch.Options, _ database: Database
  ) throws -> ExitStatus {
    let dryRun = arguments.has(.dryRun)
    let size = try chunkSize(arguments)
    var report = WriteReport(session)
    let chunks = Chunks(size: size, { WriteBatch(label: "put") }) { batches in
      if dryRun {
        for batch in batches {
          try report.add(database.records.write(batch, dryRun: true), of: batch, tellsTypes: true)
        }
      } else {
        try database.records.write(batches) { try report.add($1, of: $0, tellsTypes: true) }
      }
      try session.terminal.output.flush()
    }
    let inputs = arguments.operands.filter { $0 == "-" }
    if inputs.count > 1 { throw UsageFault.oneInput(inputs) }
    var count = 0
    for (k, operand) in arguments.operands.enumerated() {
      let reader = try DocumentReader.of(operand, "argument \(k + 1)", session)
      // The sender may be waiting for the report before it sends more.
      reader.willRead = { try chunks.write() }
      do {
        while try reader.next({ tape, bytes in
          count += 1
          if count > 1, options.id != nil { throw UsageFault.severalDocuments(id.dashed) }
          try chunks.batch.add(tape, bytes, options)
        }) { try chunks.added() }
      } catch {
        // Write the complete chunks, because they do not depend on later input.
        try chunks.write()
        if count == 0, let error = error as? CommandError, case .input = error, DocumentReader.isForeign(operand) {
          throw CommandError.foreignForm(error, file: operand)
        }
        throw error
      }
    }
    try chunks.end()
    if let targets = options.targets { session.noticeSimilar(targets) }
    report.sumUp()
    return .success
  }

  static func chunkSize(_ arguments: Arguments) throws -> Int {
    let size = arguments.integer(chunk) ?? .max
    if size == 0 { throw UsageFault.badValue(option: chunk.dashed, value: "0", expected: .choice(["1 or more"])) }
    return size
  }
}
