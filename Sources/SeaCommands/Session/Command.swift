import SeaEngine

/// One command of `sea`: what it is, what it takes, what it does.
package protocol Command: CommandSyntax {
  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus
}
