import SeaCore
import SeaKit

/// `sea undo`: takes back what was done here.
enum UndoCommand: Command {
  static var name: String { "undo" }
  static var group: Group { .history }
  static var kind: Kind { .porcelain }
  static var summary: String { "take back what was done here" }
  static var synopsis: [String] { ["[--only=RECORD]... [-n] [OP]"] }
  static let only = Option("only", nil, .record, "RECORD", "take back what was done to this record", repeatable: true)
  static var options: [Option] { [only, .dryRun] }
  static var operands: [Operand] { [.optional("OP", .operation)] }
  static var exits: [Exit] {
    [
      Exit(.success, "done; also if it was undone already"),
      Exit(.conflict, "records have changed since; nothing was written"),
      Exit(.notFound, "there is no such operation or record, or the name means several"),
    ]
  }
  static var needs: Needs { [.database, .lock] }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    let name = try arguments.operand(0).map { try context.operation($0) }
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try context.reading() : try context.writing(as: Self.self)
    defer { database.close() }
    if !dryRun { try database.store.takeLock() }
    let names = arguments.texts(only)
    let ids = try names.map { try database.records.find($0, literal: context.literalIDs).id }
    let undone = try database.undo(name, only: names.isEmpty ? nil : ids, dryRun: dryRun)
    try UndoReport(context, dryRun: dryRun).print(undone)
    return .success
  }
}

/// Tells what became of each record: `RESULT TAB ID TAB REV...`.
private struct UndoReport {
  private let context: Context
  private let dryRun: Bool

  init(_ context: Context, dryRun: Bool) {
    self.context = context
    self.dryRun = dryRun
  }

  func print(_ undone: Undone) throws {
    let operation = undone.operation
    let isNew = undone.records.contains { $0.effect != nil }
    let label = operation.block.label.map { ": \($0)" } ?? ""
    let what = !isNew ? "nothing is left to undo of" : dryRun ? "would undo" : "undid"
    context.notice("\(what) \(context.short(operation))\(label)")
    if context.options.quiet { return }
    for one in undone.records {
      let result = one.effect?.rawValue ?? "unchanged"
      let revisions = one.revisions.map(\.description)
      if context.options.json {
        try context.object {
          $0.text("event", result)
          $0.text("id", one.id)
          $0.texts("revs", revisions)
          $0.text("op", operation.name)
          if dryRun { $0.flag("dry_run", true) }
        }
      } else {
        try context.item(([result, one.id] + revisions).joined(separator: "\t"))
      }
    }
    guard context.options.json else { return }
    try context.object {
      $0.text("event", "summary")
      $0.flag("ok", true)
      $0.text("op", operation.name)
      $0.integer("undone", undone.records.count { $0.effect != nil })
      $0.integer("exit", 0)
    }
  }
}
