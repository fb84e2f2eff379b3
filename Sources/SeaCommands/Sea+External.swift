import SeaEngine
import SeaSystem
import SeaWords

extension External {
  /// What other programs call a command that does the same.
  package static let elsewhere = [
    "remote": "containers", "remotes": "containers", "add": "put", "rm": "delete", "remove": "delete",
    "insert": "put", "update": "set", "select": "sql", "find": "query", "search": "query", "ls": "query",
    "history": "log", "annotate": "log", "whatchanged": "log", "reflog": "ops", "snapshots": "ops",
    "blame": "log", "commit": "put", "fetch": "pull", "reset": "undo", "checkout": "get", "cat": "get",
    "merge": "resolve", "mergetool": "resolve", "grep": "query", "count": "query", "new": "put", "create": "put",
    "save": "put", "edit": "set", "modify": "set", "patch": "set", "rename": "set", "mv": "set", "drop": "delete",
    "forget": "backup", "archive": "backup", "snapshot": "backup", "bundle": "export", "check": "verify",
    "prune": "gc", "clean": "gc", "copy": "mirror", "key": "passwd", "password": "passwd", "users": "instances",
    "members": "instances", "invite": "authorize", "attach": "add-container", "detach": "remove-container",
    "unlock": "doctor", "rebuild-index": "reindex", "repair": "doctor", "man": "help", "commands": "help",
  ]

  /// Becomes the program; it finds the options that stood before its name in its environment.
  static func run(_ name: String, _ parser: Parser, _ session: Session) throws -> ExitStatus {
    guard let path = find(name, session) else {
      let similar = elsewhere[name] ?? Similarity.nearest(to: name, among: Commands.names)
      throw UsageFault.unknownCommand(name, similar: similar)
    }
    var program = Program(path: path, arguments: [path] + parser.rest)
    program.variables = variables(session)
    if !session.options.directories.isEmpty { program.directory = session.path(".") }
    try become(program, "sea-\(name)", session)
    return .success
  }
}
