import SeaCore
import SeaEngine

enum UndoCommand: Command {
  static var title: Title {
    Title("undo", .history, .porcelain, needs: [.database, .lock], "undo operations of this instance")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] { ["[--only=RECORD]... [-n] [OP]"] }
  static let only = Option("only", nil, .record, "RECORD", "undo only the changes to this record", repeatable: true)
  static var options: [Option] { [only, .dryRun] }
  static var operands: [Operand] { [.optional("OP", .operation)] }
  static var exits: [Exit] {
    [
      Exit(.success, "undone, now or before"),
      Exit(.conflict, "records have changed since; nothing was written"),
      Exit(.notFound, "no such operation or record, or the name is ambiguous"),
      Exit(.badData, "a record would break a rule; nothing was written"),
      Exit(.refused, "a hook refused; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let name = try arguments.operand(0).map { try session.operation($0) }
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: Self.self)
    let undone = try database.locked {
      let names = arguments.texts(only)
      let ids = try names.map { try database.records.find($0, literal: session.literalIDs).id }
      return try database.history.undo(name, only: names.isEmpty ? nil : ids, dryRun: dryRun)
    }
    try report(undone, session)
    let isNew = undone.records.contains { $0.effect != nil }
    if isNew, !dryRun { Advice.give("to revert this, run: sea undo @{0}", session) }
    return .success
  }

  private static let mostShown = 10

  private static func isShort(_ session: Session) -> Bool {
    let options = session.options
    return session.host.isTerminal(1) && !(options.isForPrograms || options.zero || options.verbose)
  }

  /// Returns text with the number of records that are not listed, grouped by result.
  private static func remainder(of records: [Undone.Record], behind shown: Int) -> String {
    var counts: [(result: String, count: Int)] = []
    for one in records {
      let result = one.effect?.rawValue ?? "unchanged"
      if let at = counts.firstIndex(where: { $0.result == result }) {
        counts[at].count += 1
      } else {
        counts.append((result, 1))
      }
    }
    let sum = counts.map { "\($0.count) \($0.result)" }.joined(separator: ", ")
    return "and \(records.count - shown) more, in total \(sum); to list all, use -v"
  }

  private static func report(_ undone: Undone, _ session: Session) throws {
    let operation = undone.operation
    let isNew = undone.records.contains { $0.effect != nil }
    let label = operation.block.label.map { ": \($0)" } ?? ""
    let what = !isNew ? "nothing left to undo in" : session.terminal.isDryRun ? "would undo" : "undid"
    session.terminal.notice("\(what) \(session.terminal.short(operation))\(label)")
    if let next = undone.next {
      session.terminal.notice("to undo the previous operation, run: sea undo \(session.terminal.short(next))")
    }
    let most = isShort(session) && undone.records.count > 2 * mostShown ? mostShown : undone.records.count
    for one in undone.records.prefix(most) {
      let result = one.effect?.rawValue ?? "unchanged"
      if session.options.json {
        let item: Item = ["id": .id(one.id), "revs": .texts(one.revisions), "op": .text(operation.name)]
        try session.terminal.report(result, item) { [] }
      } else if !session.options.quiet {
        try session.terminal.item(
          ([result, one.id] + one.revisions.map { $0.seen(at: session.terminal) }).joined(separator: "\t"))
      }
    }
    if most < undone.records.count { try session.terminal.remark(remainder(of: undone.records, behind: most)) }
    session.terminal.summarize([
      "op": .text(operation.name), "undone": .integer(undone.records.count { $0.effect != nil }),
    ])
  }
}
