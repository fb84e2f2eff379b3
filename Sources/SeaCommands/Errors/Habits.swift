/// Hints for users of other programs.
package enum Habits {
  /// The hints for options of other programs, by command and option.
  package static let options = [
    "query --order-by": "in the order of properties: --sort=PATHS",
    "query -n": "so many: --limit=N",
    "query --where": "the condition stands by itself: sea query 'CONDITION'",
    "log -n": "so many: --limit=N, or as short as: sea log -3",
    "log --oneline": "each is one line as it is: sea log",
    "log --stat": "with what each has changed: --changes",
    "status -s": "for scripts: --porcelain",
    "status --short": "for scripts: --porcelain",
    "config --list": "all of them: sea config list",
    "config -l": "all of them: sea config list",
    "config --get": "one of them: sea config get KEY",
    "config --unset": "without it: sea config unset KEY",
    "config --edit": "in an editor: sea config edit",
    "config -e": "in an editor: sea config edit",
    "delete -r": "several are chosen by: --where=SQL",
  ]

  /// The commands that correspond to commands of other programs.
  package static let names = [
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

  /// The hints for unknown commands that do not correspond to a single command.
  package static let commands = [
    "redo": "what was taken back is done again by: sea undo '@{0}'",
    "rename-container":
      "the same place by another name: sea remove-container NAME; then: sea add-container NEW LOCATION",
    "move-container": "copy it first: sea mirror NAME NEW; all of it: sea help workflows",
  ]

  /// The hints for surplus operands, by command.
  package static let operands = [
    "query": "a type is said by: --type=TYPE; and what stands behind it, a condition of SQL, is one word",
    "sql": "for a shell all of a statement is one word, in quotes: sea sql 'SELECT * FROM person'",
    "dump": "the file is said by: --output=FILE",
  ]

  /// The hints for values of other programs, by option.
  static let values = [
    "--delimiter tab": "columns with tabs between: --format=tsv",
    "--delimiter \\t": "columns with tabs between: --format=tsv",
  ]

  /// The sides of a conflict, by their names in other programs.
  static let words = [
    "mine": "ours", "local": "ours", "me": "ours", "left": "ours", "yours": "theirs", "other": "theirs",
    "remote": "theirs", "right": "theirs", "ancestor": "base", "original": "base",
  ]
}
