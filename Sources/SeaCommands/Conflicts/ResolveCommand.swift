import SeaCore
import SeaKit

/// `sea resolve`: ends conflicts.
enum ResolveCommand: Command {
  static var name: String { "resolve" }
  static var group: Group { .conflicts }
  static var kind: Kind { .porcelain }
  static var summary: String { "end the conflicts of records" }
  static var synopsis: [String] {
    [
      "[--take=REV | --winner | --ours | --theirs | --with=FILE|-] [--set=KEY=VALUE]... [-n] RECORD...",
      "[--winner | --ours | --theirs] [--set=KEY=VALUE]... [-n] -t TYPE | --all | --stdin",
    ]
  }
  static let take = Option("take", nil, .revision, "REV", "the content of this leaf")
  static let winner = Option("winner", help: "the content that wins anyway")
  static let ours = Option("ours", help: "the content of the leaf that this instance wrote last")
  static let theirs = Option("theirs", help: "the content of the only other leaf")
  static let with = Option("with", nil, .file, "FILE", "the record in FILE, - for standard input")
  static let set = Option(
    "set", nil, .text, "KEY=VALUE", "change a property of what was chosen, as 'sea set' does", repeatable: true)
  static let all = Option("all", help: "every record in conflict")
  static var options: [Option] { [take, winner, ours, theirs, with, set, .type, all, .stdin, .dryRun] }
  static var operands: [Operand] { [.any("RECORD", .record)] }
  static var exits: [Exit] {
    [
      Exit(.success, "done; also if there was no conflict"),
      Exit(.conflict, "a choice is missing, or FILE was made from an older revision; nothing was written"),
      Exit(.notFound, "there is no such record or leaf, or the name means several; nothing was written"),
      Exit(.badData, "FILE is not a record, or a value cannot be read or stored"),
    ]
  }
  static var needs: Needs { [.database, .lock] }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    let choice = try arguments.only(of: [take, winner, ours, theirs, with])
    let selection = try arguments.only(of: [.type, all, .stdin])
    if let selection, !arguments.operands.isEmpty { throw UsageFault.excluded([selection.dashed, "RECORD"]) }
    if selection == nil, arguments.operands.isEmpty { throw UsageFault.missingOperand("RECORD") }
    if let choice, [take.key, with.key].contains(choice.key), selection != nil || arguments.operands.count > 1 {
      throw UsageFault.excluded([choice.dashed, "several records"])
    }
    let assignments = try arguments.texts(set).map { try Assignment($0, context) }
    let names = arguments.has(.stdin) ? try context.input.lines(zero: context.options.zero) : arguments.operands
    let document = try arguments.text(with).map { try ResolvedDocument($0, context) }
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try context.reading() : try context.writing(as: Self.self)
    defer { database.close() }
    // The records are looked up under the lock: what is chosen is what is written upon.
    if !dryRun { try database.store.takeLock() }
    var ids = try selection == nil || arguments.has(.stdin) ? [] : database.conflictIDs(type: arguments.text(.type))
    var seen: Set<[UInt8]> = []
    for name in names {
      let id = try database.find(name, literal: context.literalIDs).id
      if seen.insert(Array(id.utf8)).inserted { ids.append(id) }
    }
    try document?.check(ids)
    let results = try database.resolve(
      ids, resolution(choice, arguments, document), label: label(choice, assignments),
      Database.ResolveOptions(
        edit: ResolutionEdit(assignments, database.instance, context.host.now()), dryRun: dryRun))
    try ResolveReport(context, dryRun: dryRun).print(results)
    return .success
  }

  /// What was chosen, for the log.
  private static func label(_ choice: Option?, _ assignments: [Assignment]) -> String {
    let words = ["resolve"] + [choice].compactMap { $0?.dashed } + assignments.map { "--set=\($0.path)" }
    let label = words.joined(separator: " ")
    return label.utf8.count > Payload.longestLabel ? words[0] : label
  }

  private static func resolution(
    _ choice: Option?, _ arguments: Arguments, _ document: ResolvedDocument?
  ) throws -> Resolution {
    switch choice?.key {
    case take.key: .take(arguments.text(take) ?? "")
    case winner.key: .winner
    case ours.key: .ours
    case theirs.key: .theirs
    case with.key: document!.resolution
    default: .merge(MergeChoices())
    }
  }
}
