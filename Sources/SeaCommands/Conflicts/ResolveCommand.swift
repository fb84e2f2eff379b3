import SeaCore
import SeaEngine

enum ResolveCommand: Command {
  static var title: Title {
    Title("resolve", .conflicts, .porcelain, needs: [.database, .lock], "resolve conflicts of records")
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
  static let take = Option("take", nil, .revision, "REV", "use the content of this conflicting revision")
  static let winner = Option("winner", help: "use the content of the winning revision")
  static let ours = Option("ours", help: "use the content of the revision that this instance wrote last")
  static let theirs = Option("theirs", help: "use the content of the only other conflicting revision")
  static let merge = Option("merge", help: "merge property by property (default)")
  static let prefer = Option(
    "prefer", nil, .offered(ValueKind.choices), "CHOICE",
    "settle conflicting properties: a policy, ours, theirs, base or driver:NAME")
  static let pick = Option(
    "pick", nil, .pick, "PATH=CHOICE", "settle one property: like --prefer, or a revision", repeatable: true)
  static let driver = Option("driver", nil, .text, "NAME", "use the result of the merge program driver.NAME.command")
  static let tool = Option(
    "tool", nil, .text, "NAME", "use the result of tool.NAME.command (default: merge.tool)", valueIsOptional: true)
  static let edit = Option("edit", help: "edit the merged record in an editor")
  static let with = Option("with", nil, .file, "FILE", "use the record in FILE ('-': standard input)")
  static let set = Option(
    "set", nil, .assignment, "KEY=VALUE", "change a property of the result, like 'sea set'", repeatable: true)
  static let partial = Option("partial", help: "resolve what can be resolved, and list the rest")
  static let all = Option("all", help: "resolve all records in conflict")
  static var options: [Option] {
    [
      take, winner, ours, theirs, merge, prefer, pick, driver, tool, edit, with, set, partial, .type, all, .stdin,
      .dryRun,
    ]
  }
  static var operands: [Operand] { [.any("RECORD", .contested)] }
  static var exits: [Exit] {
    [
      Exit(.success, "resolved, or there was no conflict"),
      Exit(.conflict, "a choice is missing, or the record has changed meanwhile; nothing was written"),
      Exit(.notFound, "no such record, revision, property or program, or the name is ambiguous; nothing was written"),
      Exit(.partial, "some conflicts remain and are listed: with --partial, or with too many revisions to merge"),
      Exit(
        .badData,
        "FILE or the edited text is invalid, a value cannot be stored, or a record would break a rule"
      ),
      Exit(.refused, "a hook refused, or a program failed; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    // An invalid value is reported first, even if operands are missing too.
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
    // The lock prevents other processes from changing the chosen records. The lock must not be held while programs run.
    return try run.runsPrograms ? resolve() : database.locked(resolve)
  }
}
