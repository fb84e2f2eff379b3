import SeaCore
import SeaEngine
import SeaSystem

enum MergeRecordCommand: Command {
  static var title: Title {
    Title("merge-record", .plumbing, .plumbing, "merge two versions of a record property by property")
  }
  static var synopsis: [String] { ["[--base=FILE] [--policy=POLICY] [--atomic=PATHS]... [-o FILE] OURS THEIRS"] }
  static let base = Option("base", nil, .file, "FILE", "set the common base (default: none)")
  static let policy = Option(
    "policy", nil, .choice(MergeSettings.policies), "POLICY",
    "settle conflicting properties: winner, newest, max, min, text, ours or theirs")
  static let atomic = Option(
    "atomic", nil, .paths, "PATHS", "treat these properties, separated by commas, as one", repeatable: true)
  static var options: [Option] { [base, policy, atomic, .output] }
  static var operands: [Operand] { [.one("OURS", .file), .one("THEIRS", .file)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "conflicting properties; nothing was written"),
      Exit(.badData, "a file does not contain exactly one record, or the records differ in _id"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let names = arguments.operands + [arguments.text(base)].compactMap { $0 }
    let inputs = names.filter { $0 == "-" }
    if inputs.count > 1 { throw UsageFault.oneInput(inputs) }
    let policy = arguments.text(policy).flatMap(Policy.init)
    let rules = MergeRules(atomic: try arguments.texts(atomic).map(paths), policy: { _ in policy })
    let (ours, theirs) = (try RecordFile(names[0], session), try RecordFile(names[1], session))
    let before = try arguments.text(base).map { try RecordFile($0, session) }
    let id = try RecordFile.id([ours, theirs, before].compactMap { $0 })
    let merge = Merge(
      base: before.map { Base($0.content) } ?? .nothing, ours: ours.content, theirs: theirs.content, rules: rules
    ) { _ in (ours.provenance(isOwn: true), theirs.provenance(isOwn: false)) }
    guard merge.isClean else {
      if session.options.json { try merge.clashes.forEach { try report($0, session) } }
      throw CommandError.clashes(merge.clashes.map(\.path.pointer))
    }
    let record = try RecordFile.text(id, merge.content)
    if let file = arguments.outputFile {
      try Location.checkWritable(session.path(file))
      try AtomicFile.write(session.path(file), record, replace: true)
    } else {
      try session.terminal.output.write(record)
    }
    return .success
  }

  private static func paths(_ text: String) throws -> [PropertyPath] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { try PropertyPath(String($0)) }
  }

  private static func report(_ clash: Merge.Path, _ session: Session) throws {
    let item: Item = [
      "path": .text(clash.path.pointer), "base": try .value(clash.base), "ours": try .value(clash.ours),
      "theirs": try .value(clash.theirs),
    ]
    session.terminal.say(Item(event: "clash", item))
  }
}
