import SeaCore
import SeaEngine

enum RevParseCommand: Command {
  static var title: Title {
    Title("rev-parse", .plumbing, .plumbing, needs: .database, "print the full form of names, and database ids")
  }
  static var synopsis: [String] {
    ["[--verify [-q]] [--short[=N]] SPEC...", "--sea-dir | --database-id | --instance-id | --content-type"]
  }
  static let verify = Option("verify", help: "require exactly one SPEC; with -q, print no error if it is unknown")
  static let short = Option("short", nil, .integer, "N", "print N digits, or more if needed", valueIsOptional: true)
  static let seaDir = Option(
    "sea-dir", nil, .directory, "DIR", "print the path of the '.sea' directory (default: the current one)",
    valueIsOptional: true)
  static let databaseID = Option("database-id", help: "print the id of the database")
  static let instanceID = Option("instance-id", help: "print the id of this instance")
  static let contentType = Option("content-type", help: "print the content type of the database")
  static var options: [Option] { [verify, short, seaDir, databaseID, instanceID, contentType] }
  static var operands: [Operand] { [.any("SPEC", .revision)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with --verify -q: SPEC is unknown or ambiguous"),
      Exit(.notFound, "a SPEC is unknown or ambiguous"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if let directory = arguments.text(seaDir) { session.options.seaDirectory = directory }
    var facts = [seaDir, databaseID, instanceID, contentType].filter(arguments.has)
    if arguments.text(seaDir) != nil, facts.count > 1 || !arguments.operands.isEmpty {
      facts.removeFirst()
    }
    if let fact = facts.first {
      if facts.count > 1 { throw UsageFault.excluded(facts.map(\.dashed)) }
      if let word = arguments.operand(0) { throw UsageFault.extraOperand(word) }
      return try printFact(fact, session)
    }
    let isOne = arguments.has(verify)
    if isOne, arguments.operands.count > 1 { throw UsageFault.extraOperand(arguments.operands[1]) }
    if arguments.operands.isEmpty { throw UsageFault.missingOperand("SPEC") }
    let database = try session.reading()
    let digits = arguments.has(short) ? arguments.integer(short) ?? session.terminal.abbrev : nil
    for text in arguments.operands {
      do {
        try FullName(try session.named(text, in: database), database, digits).print(
          text, session)
      } catch let error as KitError where error.isAboutNames && isOne && session.options.quiet {
        return .no
      }
    }
    return .success
  }

  private static func printFact(_ fact: Option, _ session: Session) throws -> ExitStatus {
    let value: String
    if fact.key == seaDir.key {
      value = try session.seaDirectory()
    } else {
      let database = try session.reading()
      switch fact.key {
      case databaseID.key: value = database.databaseID.description
      case instanceID.key: value = database.instance.description
      default: value = try database.contentType()
      }
    }
    guard session.options.json else {
      try session.terminal.item(value)
      return .success
    }
    try session.terminal.object([fact.key.split(separator: "-").joined(separator: "_"): .text(value)])
    return .success
  }
}

struct FullName {
  private let kind: String
  private let full: String
  private let short: String?
  /// The id of the record, if the name names a revision.
  private var id: String?

  init(_ named: Named, _ database: Database, _ digits: Int?) throws {
    switch named {
    case .record(let row): (kind, full) = ("record", row.id)
    case .revision(let found): (kind, full, id) = ("revision", found.leaf.revision.description, found.row.id)
    case .block(let row): (kind, full) = ("block", row.place)
    case .instance(let instance): (kind, full) = ("instance", instance.description)
    }
    short = try digits.map { try named.abbreviated(in: database.records, digits: $0) }
  }

  func print(_ spec: String, _ session: Session) throws {
    guard session.options.json else { return try session.terminal.item(short ?? full) }
    try session.terminal.object([
      "spec": .text(spec), "kind": .text(kind), "name": .id(full), "short": .text(short), "id": .text(id),
    ])
  }
}
