/// What people type who know other programs.
package enum Habits {
  /// What is done in place of an option that other programs have: by the command and the option.
  package static let options = [
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

  /// Sides of a conflict by other names.
  static let words = [
    "mine": "ours", "local": "ours", "me": "ours", "left": "ours", "yours": "theirs", "other": "theirs",
    "remote": "theirs", "right": "theirs", "ancestor": "base", "original": "base",
  ]
}
