/// Hints for users of other programs.
package enum Habits {
  /// Hints for options that only other programs have. The keys are commands and options.
  package static let options = [
    "query --order-by": "to sort, use --sort=PATHS",
    "query -n": "to limit the number of records, use --limit=N",
    "query --where": "give the condition as an argument: sea query 'CONDITION'",
    "log -n": "to limit the output, use --limit=3 or -3",
    "log --oneline": "sea log prints one line per entry by default",
    "log --stat": "to show the changes of each entry, use --changes",
    "status -s": "for scripts, use --porcelain",
    "status --short": "for scripts, use --porcelain",
    "config --list": "to list settings, run: sea config list",
    "config -l": "to list settings, run: sea config list",
    "config --get": "to show a setting, run: sea config get KEY",
    "config --unset": "to remove a setting, run: sea config unset KEY",
    "config --edit": "to edit settings, run: sea config edit",
    "config -e": "to edit settings, run: sea config edit",
    "delete -r": "to delete several records, use --where=SQL",
  ]

  /// The commands that correspond to commands of other programs.
  package static let names = [
    "remote": "containers", "remotes": "containers", "add": "put", "rm": "delete", "remove": "delete",
    "insert": "put", "update": "set", "select": "sql", "find": "query", "search": "query", "ls": "query",
    "history": "log", "annotate": "log", "whatchanged": "log", "reflog": "ops", "snapshots": "ops",
    "blame": "log", "commit": "put", "fetch": "pull", "reset": "undo", "checkout": "get", "cat": "get",
    "merge": "resolve", "mergetool": "resolve", "grep": "query", "count": "query", "new": "put", "create": "put",
    "save": "put", "edit": "set", "modify": "set", "patch": "set", "rename": "set", "mv": "set", "drop": "delete",
    "forget": "backup", "archive": "backup", "snapshot": "backup", "bundle": "export",
    "prune": "gc", "clean": "gc", "copy": "mirror", "key": "passwd", "password": "passwd", "users": "instances",
    "members": "instances", "invite": "authorize", "attach": "add-container", "detach": "remove-container",
    "unlock": "doctor", "rebuild-index": "reindex", "repair": "doctor", "man": "help", "commands": "help",
  ]

  /// Hints for commands of other programs that have no single counterpart in Sea.
  package static let commands = [
    "redo": "to redo the operation that you undid, run: sea undo '@{0}'",
    "rename-container":
      "to rename a container, run: sea remove-container NAME; then run: sea add-container NEW LOCATION",
    "move-container": "to copy a container, run: sea mirror NAME NEW; for all steps, run: sea help workflows",
  ]

  /// Hints for operands that a command does not accept. The keys are commands.
  package static let operands = [
    "query": "to set the type, use --type=TYPE; quote the SQL condition as one argument",
    "sql": "quote the statement as one argument: sea sql 'SELECT * FROM person'",
    "dump": "to set the output file, use --output=FILE",
  ]

  /// Hints for option values that only other programs accept. The keys are options.
  static let values = [
    "--delimiter tab": "for tab-separated columns, use --format=tsv",
    "--delimiter \\t": "for tab-separated columns, use --format=tsv",
  ]

  static let words = [
    "mine": "ours", "local": "ours", "me": "ours", "left": "ours", "yours": "theirs", "other": "theirs",
    "remote": "theirs", "right": "theirs", "ancestor": "base", "original": "base",
  ]
}
