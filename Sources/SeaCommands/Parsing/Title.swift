/// The entry of a command in the command list.
package struct Title: Sendable {
  let name: String
  let group: Group
  let kind: Kind
  let needs: Needs
  /// A one-line description without a final period, as in the NAME section of the man page.
  let summary: String

  package init(_ name: String, _ group: Group, _ kind: Kind, needs: Needs = [], _ summary: String) {
    (self.name, self.group, self.kind, self.needs, self.summary) = (name, group, kind, needs, summary)
  }
}

/// The headings of the command list, in order of appearance.
package enum Group: String, CaseIterable, Sendable {
  case setup = "Setup"
  case records = "Records"
  case history = "History"
  case conflicts = "Conflicts"
  case assets = "Assets"
  case sync = "Sync"
  case transfer = "Transfer"
  case security = "Security"
  case care = "Care"
  case plumbing = "Plumbing"
  case help = "Help"
}

/// The stability of the output without `--json`.
package enum Kind: Sendable {
  /// The text may change in any release.
  case porcelain
  /// The text may change, but the lines of `--porcelain=v1` do not change.
  case frozenPorcelain
  /// The line format does not change.
  case plumbing
}

/// The preconditions of a command. Each precondition adds exit statuses.
package struct Needs: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A `.sea` folder is needed. The exit status is 10 if the folder is missing, and 7 if it belongs to another user.
  package static let database = Needs(rawValue: 1)
  /// The writer lock is needed. The exit status is 6 if the lock does not become free in time.
  package static let lock = Needs(rawValue: 2)
}
