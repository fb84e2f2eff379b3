/// The entry of a command in the command list.
package struct Title: Sendable {
  let name: String
  let group: Group
  let kind: Kind
  let needs: Needs
  /// A line without a period, as in the NAME section of the man page.
  let summary: String

  package init(_ name: String, _ group: Group, _ kind: Kind, needs: Needs = [], _ summary: String) {
    (self.name, self.group, self.kind, self.needs, self.summary) = (name, group, kind, needs, summary)
  }
}

/// The headings of the command list, in order.
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

/// The stability of the output, besides `--json`.
package enum Kind: Sendable {
  /// The text may change in any release.
  case porcelain
  /// The text may change; the lines of `--porcelain=v1` do not.
  case frozenPorcelain
  /// The line format is frozen.
  case plumbing
}

/// The needs of a command, each with its exit statuses.
package struct Needs: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A `.sea`: status 10 if it is missing, 7 if it belongs to another user.
  package static let database = Needs(rawValue: 1)
  /// The writer lock: status 6 if it is not free in time.
  package static let lock = Needs(rawValue: 2)
}
