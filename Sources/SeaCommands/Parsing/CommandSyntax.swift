import SeaEngine

/// The name and the syntax of a command.
///
/// The parser, help texts, parts of the man pages, completions and their tests are all generated from these
/// declarations. The declarations are computed or lazy, so that running one command does not build the tables of all
/// others.
package protocol CommandSyntax: SendableMetatype {
  static var title: Title { get }
  /// The forms of the command line, without `sea NAME`.
  static var synopsis: [String] { get }
  static var options: [Option] { get }
  static var operands: [Operand] { get }
  /// The exit statuses of this command, apart from those of `needs` and those that all commands have.
  static var exits: [Exit] { get }
  static func isPaged(_ arguments: Arguments) -> Bool
  /// Whether the command stops at a safe point after a stop signal and keeps the work done so far.
  static var stopsWell: Bool { get }
  /// Whether the command prints records as JSON even without `--json`.
  static var printsJSON: Bool { get }
}

extension CommandSyntax {
  package static var name: String { title.name }
  package static var group: Group { title.group }
  package static var kind: Kind { title.kind }
  package static var needs: Needs { title.needs }
  package static var summary: String { title.summary }
  package static var options: [Option] { [] }
  package static var operands: [Operand] { [] }
  package static var exits: [Exit] { [] }
  package static func isPaged(_ arguments: Arguments) -> Bool { false }
  package static var stopsWell: Bool { false }
  package static var printsJSON: Bool { false }
}

package struct Exit: Sendable {
  package let status: ExitStatus
  package let meaning: String

  package init(_ status: ExitStatus, _ meaning: String) {
    self.status = status
    self.meaning = meaning
  }
}

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
  /// Creates an operand that occurs zero or more times. It must be the last operand.
  package static func any(_ name: String, _ value: ValueKind) -> Operand {
    .init(name: name, value: value, count: .any)
  }
  package static func several(_ name: String, _ value: ValueKind) -> Operand {
    .init(name: name, value: value, count: .several)
  }
}
