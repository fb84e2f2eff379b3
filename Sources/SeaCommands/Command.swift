/// One command of `sea`: what it is, what it takes, what it does.
///
/// The declarations are the only source of the parser, the help texts, the generated sections of the man pages, the
/// completions and the tests that hold them together. They are computed, or lazy constants, so that starting one
/// command does not build the tables of the others.
package protocol Command: SendableMetatype {
  static var name: String { get }
  static var group: Group { get }
  static var kind: Kind { get }
  /// One line without a full stop, as in the NAME section of its page.
  static var summary: String { get }
  /// The forms of the command line, without `sea NAME`.
  static var synopsis: [String] { get }
  static var options: [Option] { get }
  static var operands: [Operand] { get }
  /// Which statuses it ends with, besides those that follow from `needs` and those that any command has.
  static var exits: [Exit] { get }
  static var needs: Needs { get }
  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus
}

extension Command {
  package static var options: [Option] { [] }
  package static var operands: [Operand] { [] }
  package static var exits: [Exit] { [] }
  package static var needs: Needs { [] }
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

/// One status a command can end with, and what it means there.
package struct Exit: Sendable {
  package let status: ExitStatus
  package let meaning: String

  package init(_ status: ExitStatus, _ meaning: String) {
    self.status = status
    self.meaning = meaning
  }
}

/// What stands on a command line besides options.
package struct Operand: Sendable {
  package enum Count: Sendable { case one, optional, any, several }
  package let name: String
  package let value: ValueKind
  package let count: Count

  package static func one(_ name: String, _ value: ValueKind) -> Operand {
    .init(name: name, value: value, count: .one)
  }
  package static func optional(_ name: String, _ value: ValueKind) -> Operand {
    .init(name: name, value: value, count: .optional)
  }
  /// None or more; the last operand.
  package static func any(_ name: String, _ value: ValueKind) -> Operand {
    .init(name: name, value: value, count: .any)
  }
  /// One or more; the last operand.
  package static func several(_ name: String, _ value: ValueKind) -> Operand {
    .init(name: name, value: value, count: .several)
  }
}
