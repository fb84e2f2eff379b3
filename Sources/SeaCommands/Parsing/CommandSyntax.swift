import SeaEngine

/// What a command is and what it takes.
///
/// The declarations are the only source of the parser, the help texts, the generated sections of the man pages, the
/// completions and the tests that hold them together. They are computed, or lazy constants, so that starting one
/// command does not build the tables of the others.
package protocol CommandSyntax: SendableMetatype {
  static var title: Title { get }
  /// The forms of the command line, without `sea NAME`.
  static var synopsis: [String] { get }
  static var options: [Option] { get }
  static var operands: [Operand] { get }
  /// Which statuses it ends with, besides those that follow from `needs` and those that any command has.
  static var exits: [Exit] { get }
  /// Whether people read page by page what it prints.
  static func isPaged(_ arguments: Arguments) -> Bool
  /// Whether it stops at a good place when it is asked to, and keeps what is done.
  static var stopsWell: Bool { get }
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
