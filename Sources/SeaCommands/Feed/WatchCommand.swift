import SeaCore
import SeaEngine

/// `sea watch`: tells what changes, as it changes.
enum WatchCommand: Command {
  static var title: Title {
    Title("watch", .sync, .porcelain, needs: .database, "tell what changes, and sync by itself")
  }
  static var synopsis: [String] {
    [
      "[--since=POSITION] [--state=FILE] [-t TYPE] [--where=SQL [-p NAME=VALUE]...] [--exec=COMMAND] [--once] "
        + "[--timeout=TIME] [--sync[=CONTAINER]]... [--interval=TIME]"
    ]
  }
  static let since = Option("since", nil, .text, "POSITION", "begin behind POSITION; 'now' is where it begins without")
  static let state = Option("state", nil, .file, "FILE", "keep the position in FILE, and go on from there")
  static let command = Option("exec", nil, .text, "COMMAND", "hand what changes to a shell command, and print nothing")
  static let once = Option("once", help: "end after the first changes")
  static let timeout = Option("timeout", nil, .duration, "TIME", "end when that time has passed")
  static let sync = Option(
    "sync", nil, .container, "CONTAINER", "exchange changes with it, or with all that are automatic", repeatable: true,
    valueIsOptional: true)
  static let interval = Option(
    "interval", nil, .duration, "TIME", "with --sync: look again after that time at the latest (watch.interval)")
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
      Exit(.notFound, "this database knows no such position, or a container named is not attached"),
      Exit(.locked, "the time has passed, and another sea watch has the FILE of --state"),
      Exit(.badData, "the condition cannot be understood, or a type or property is mistyped"),
      Exit(.refused, "the time has passed, and COMMAND has failed last"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(interval), !arguments.has(sync) {
      throw UsageFault.needs(option: interval.dashed, with: sync.dashed)
    }
    return try WatchRun(session, arguments).run()
  }
}
