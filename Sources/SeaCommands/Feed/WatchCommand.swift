import SeaCore
import SeaEngine

enum WatchCommand: Command {
  static var title: Title {
    Title("watch", .sync, .porcelain, needs: .database, "print changes as they happen, and sync automatically")
  }
  static var synopsis: [String] {
    [
      "[--since=POSITION] [--state=FILE] [-t TYPE]... [--where=SQL [-p NAME=VALUE]...] [--exec=COMMAND] [--once] "
        + "[--timeout=TIME] [--sync[=CONTAINER]]... [--interval=TIME]"
    ]
  }
  static let since = Option("since", nil, .text, "POSITION", "start after POSITION (default: 'now')")
  static let state = Option("state", nil, .file, "FILE", "keep the position in FILE, and continue from there")
  static let command = Option("exec", nil, .text, "COMMAND", "pass changes to a shell command instead of printing them")
  static let once = Option("once", help: "exit after the first changes")
  static let timeout = Option("timeout", nil, .duration, "TIME", "exit after TIME")
  static let sync = Option(
    "sync", nil, .container, "CONTAINER", "sync with this container (default: all automatic containers)",
    repeatable: true,
    valueIsOptional: true)
  static let interval = Option(
    "interval", nil, .duration, "TIME", "with --sync: check for changes at least every TIME (default: watch.interval)")
  static var options: [Option] {
    [
      since, state, ChangesCommand.type, ChangesCommand.condition, QueryParameter.option, command, once, timeout, sync,
      interval,
    ]
  }
  static var exits: [Exit] {
    [
      Exit(.success, "the time has passed, or with --once there were changes"),
      Exit(.no, "with --once: the time has passed without a change"),
      Exit(.notFound, "unknown position, or no container of that name"),
      Exit(.locked, "the time has passed, and another sea watch uses the FILE of --state"),
      Exit(.badData, "invalid condition, or unknown type or property"),
      Exit(.refused, "the time has passed, and the last run of COMMAND failed"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(interval), !arguments.has(sync) {
      throw UsageFault.needs(option: interval.dashed, with: sync.dashed)
    }
    return try WatchRun(session, arguments).run()
  }
}
