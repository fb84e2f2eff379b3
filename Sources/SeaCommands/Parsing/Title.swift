/// What the command list says of a command.
package struct Title: Sendable {
  let name: String
  let group: Group
  let kind: Kind
  let needs: Needs
  /// One line without a full stop, as in the NAME section of its page.
  let summary: String

  package init(_ name: String, _ group: Group, _ kind: Kind, needs: Needs = [], _ summary: String) {
    (self.name, self.group, self.kind, self.needs, self.summary) = (name, group, kind, needs, summary)
  }
}

/// The headings of the command list, in their order.
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

/// What of the output scripts may rely on, besides `--json`.
package enum Kind: Sendable {
  /// The text may change in any release.
  case porcelain
  /// The text may change; the lines of `--porcelain=v1` do not.
  case frozenPorcelain
  /// The line format is frozen.
  case plumbing
}

/// What a command needs; each brings its exit statuses.
package struct Needs: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A `.sea`: status 10 without one, 7 when it belongs to another user.
  package static let database = Needs(rawValue: 1)
  /// The writer lock: status 6 when it is not free in time.
  package static let lock = Needs(rawValue: 2)
}
