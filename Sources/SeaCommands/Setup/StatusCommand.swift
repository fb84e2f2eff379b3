import SeaEngine
import SeaSystem

/// `sea status`: how this instance stands.
enum StatusCommand: Command {
  static var title: Title {
    Title("status", .setup, .frozenPorcelain, needs: [.database, .lock], "show conflicts and what is to be synced")
  }
  static var synopsis: [String] { ["[--exit-code] [--locks] [--probe]", "--dismiss"] }
  static let locks = Option("locks", help: "show which process is writing")
  static let dismiss = Option("dismiss", help: "hide what is quarantined now, until it changes")
  static var options: [Option] { [.exitCode, locks, ContainersCommand.probe, dismiss] }
  static var exits: [Exit] {
    [
      Exit(.no, "there is something to sync or to fetch, with --exit-code"),
      Exit(.conflict, "records are in conflict, with --exit-code"),
      Exit(.corrupt, "something in a container does not verify or is missing, with --exit-code"),
      Exit(.unreachable, "a container is away, with --exit-code and --probe"),
      Exit(.incompatible, "a container is of another database or type of content, with --exit-code"),
      Exit(.system, "a container could not be read, with --exit-code"),
      Exit(.partial, "not all that others have seen has arrived, or a key is not here, with --exit-code"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(dismiss) {
      for other in [.exitCode, locks, ContainersCommand.probe] where arguments.has(other) {
        throw UsageFault.excluded([dismiss.dashed, other.dashed])
      }
      let count = try session.writing(as: self).members.uncounted.dismiss()
      let rest = count == 1 ? "is hidden until it changes" : "are hidden until they change"
      try session.terminal.remark("\(Count(count, "quarantined item")) \(rest)")
      return .success
    }
    let database = try session.reading()
    let report = try database.status(probe: arguments.has(ContainersCommand.probe))
    let writer = arguments.has(locks) ? try database.writer() : nil
    let hooks = try Hooks(session, database, self)?.faults() ?? [Hooks.folderFault(database)].compactMap { $0 }
    let overfull = try database.sharedSettings.overfull()
    let lines = StatusLines(session: session, database: database, report: report, hooks: hooks, overfull: overfull)
    if session.options.json {
      try lines.events(writer, asked: arguments.has(locks))
    } else if session.options.porcelain {
      try lines.porcelain()
    } else if !session.options.quiet {
      try lines.text()
      if arguments.has(locks) {
        try session.terminal.line(session.terminal.shown(writer.map { "writer: pid \($0.text)" } ?? "no writer"))
      }
    }
    guard arguments.has(.exitCode) else { return .success }
    var status = ExitStatus.success
    if report.hasToSync || report.hasToFetch { status = .no }
    if !report.withheld.isEmpty || !report.left.isEmpty || report.unapplied.contains(where: { $0.code == .noKey }) {
      status = status.and(.partial)
    }
    for container in report.containers where container.setting.isAutomatic {
      status = status.and(container.state.status)
    }
    return report.conflicts > 0 ? status.and(.conflict) : status
  }
}
