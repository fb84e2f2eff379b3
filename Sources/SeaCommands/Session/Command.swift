import SeaEngine

package protocol Command: CommandSyntax {
  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus
}
