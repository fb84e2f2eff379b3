import SeaEngine
import SeaSystem

enum StatusCommand: Command {
  static var title: Title {
    Title("status", .setup, .frozenPorcelain, needs: [.database, .lock], "show conflicts and pending changes")
  }
  static var synopsis: [String] { ["[--exit-code] [--locks] [--probe]", "--dismiss"] }
  static let locks = Option("locks", help: "show which process is writing")
  static let dismiss = Option("dismiss", help: "hide current quarantined items until they change")
  static var options: [Option] { [.exitCode, locks, ContainersCommand.probe, dismiss] }
  static var exits: [Exit] {
    [
      Exit(.no, "with --exit-code: there are changes to sync or assets to fetch"),
      Exit(.conflict, "with --exit-code: records are in conflict"),
      Exit(.corrupt, "with --exit-code: data in a container is damaged or missing"),
      Exit(.unreachable, "with --exit-code and --probe: a container is unavailable"),
      Exit(.incompatible, "with --exit-code: a container has another database or content type"),
      Exit(.system, "with --exit-code: a container cannot be read"),
      Exit(.partial, "with --exit-code: changes known to other instances, or a key, are missing"),
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
