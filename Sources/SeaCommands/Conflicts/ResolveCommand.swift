import SeaCore
import SeaEngine

/// `sea resolve`: ends conflicts.
enum ResolveCommand: Command {
  static var title: Title {
    Title("resolve", .conflicts, .porcelain, needs: [.database, .lock], "end the conflicts of records")
  }
  static var synopsis: [String] {
    [
      "[--take=REV | --winner | --ours | --theirs | --with=FILE|-] [--set=KEY=VALUE]... [-n] RECORD...",
      "[--merge | --edit] [--prefer=CHOICE] [--pick=PATH=CHOICE]... [--set=KEY=VALUE]... [--partial] [-n] RECORD...",
      "[--driver=NAME | --tool[=NAME]] [--set=KEY=VALUE]... [--partial] [-n] RECORD...",
      "[--winner | --ours | --theirs | --merge | --driver=NAME | --tool[=NAME] | --edit] [--prefer=CHOICE] "
        + "[--pick=PATH=CHOICE]... [--set=KEY=VALUE]... [--partial] [-n] -t TYPE | --all | --stdin",
    ]
  }
  static let take = Option("take", nil, .revision, "REV", "the content of this leaf")
  static let winner = Option("winner", help: "the content that wins anyway")
  static let ours = Option("ours", help: "the content of the leaf that this instance wrote last")
  static let theirs = Option("theirs", help: "the content of the only other leaf")
  static let merge = Option("merge", help: "property by property; so it is without another choice")
  static let prefer = Option(
    "prefer", nil, .offered(ValueKind.choices), "CHOICE",
    "for properties that clash: a policy, ours, theirs, base or driver:NAME")
  static let pick = Option(
    "pick", nil, .pick, "PATH=CHOICE", "the same for one property; also a revision", repeatable: true)
  static let driver = Option("driver", nil, .text, "NAME", "what the merge program driver.NAME.command makes of it")
  static let tool = Option(
    "tool", nil, .text, "NAME", "what is made with tool.NAME.command; without NAME it is merge.tool",
    valueIsOptional: true)
  static let edit = Option("edit", help: "what is made of the merge in an editor")
  static let with = Option("with", nil, .file, "FILE", "the record in FILE, - for standard input")
  static let set = Option(
    "set", nil, .assignment, "KEY=VALUE", "change a property of what was chosen, as 'sea set' does", repeatable: true)
  static let partial = Option("partial", help: "end the conflicts that can end, and list the others")
  static let all = Option("all", help: "every record in conflict")
  static var options: [Option] {
    [
      take, winner, ours, theirs, merge, prefer, pick, driver, tool, edit, with, set, partial, .type, all, .stdin,
      .dryRun,
    ]
  }
  static var operands: [Operand] { [.any("RECORD", .contested)] }
  static var exits: [Exit] {
    [
      Exit(.success, "done; also if there was no conflict"),
      Exit(
        .conflict, "a choice is missing, or what was chosen was made from an older state; nothing was written"),
      Exit(
        .notFound, "no such record, leaf, property or program, or the name means several; nothing was written"),
      Exit(
        .partial, "some conflicts stay, and are listed: with --partial, or of more leaves than a revision can take in"),
      Exit(.badData, "FILE or what was edited is not a record, or a value cannot be read or stored"),
      Exit(.refused, "a hook refused, or a program failed; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    // What is misspelt is said before what is missing.
    _ = try arguments.text(prefer).map(ResolveChoice.preference)
    let selection = try arguments.only(of: [.type, all, .stdin])
    if let selection, !arguments.operands.isEmpty { throw UsageFault.excluded([selection.dashed, "RECORD"]) }
    if selection == nil, arguments.operands.isEmpty { throw UsageFault.missingOperand("RECORD") }
    let choice = try ResolveChoice(session, arguments, isSeveral: selection != nil || arguments.operands.count > 1)
    let names =
      arguments.has(.stdin) ? try session.terminal.input.lines(zero: session.options.zero) : arguments.operands
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: self)
    var run = try ResolveRun(session, database, choice, dryRun: dryRun, isPartial: arguments.has(partial))
    func resolve() throws -> ExitStatus {
      var ids = try selection == nil || arguments.has(.stdin) ? [] : database.conflicts.ids(type: arguments.text(.type))
      var seen: Set<[UInt8]> = []
      for name in names {
        let id = try database.records.find(name, literal: session.literalIDs).id
        if seen.insert(Array(id.utf8)).inserted { ids.append(id) }
      }
      return try run.run(ids)
    }
    // The records are looked up under the lock: what is chosen is what is written upon. But no program runs under it.
    return try run.runsPrograms ? resolve() : database.locked(resolve)
  }
}
