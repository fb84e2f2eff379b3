import SeaKit
import SeaSystem

/// `sea status`: how this instance stands.
enum StatusCommand: Command {
  static var name: String { "status" }
  static var group: Group { .setup }
  static var kind: Kind { .frozenPorcelain }
  static var summary: String { "show conflicts and what is to be synced" }
  static var synopsis: [String] { ["[--exit-code] [--locks]"] }
  static let locks = Option("locks", help: "show which process is writing")
  static var options: [Option] { [.exitCode, locks] }
  static var exits: [Exit] {
    [
      Exit(.no, "there is something to sync or to fetch, with --exit-code"),
      Exit(.conflict, "records are in conflict, with --exit-code"),
    ]
  }
  static var needs: Needs { .database }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    let database = try context.reading()
    defer { database.close() }
    let report = try database.status()
    let writer = arguments.has(locks) ? try database.writer() : nil
    if context.options.json {
      try StatusLines(context, database, report).events(writer, asked: arguments.has(locks))
    } else if context.options.porcelain {
      try StatusLines(context, database, report).porcelain()
    } else if !context.options.quiet {
      try StatusLines(context, database, report).text()
      if arguments.has(locks) {
        try context.line(context.shown(writer.map { "writer: pid \($0.text)" } ?? "no writer"))
      }
    }
    guard arguments.has(.exitCode) else { return .success }
    return report.conflicts > 0 ? .conflict : report.hasToSync || report.hasToFetch ? .no : .success
  }
}
