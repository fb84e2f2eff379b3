import SeaEngine

/// A command of `sea`: its syntax and its action.
package protocol Command: CommandSyntax {
  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus
}
