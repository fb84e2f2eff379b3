import SeaEngine

enum VersionCommand: Command {
  static var title: Title { Title("version", .help, .plumbing, "print the version of sea") }
  static var synopsis: [String] { [""] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    try session.terminal.show(["version": .text(Commands.version), "json": .integer(1)]) { ["sea \(Commands.version)"] }
    return .success
  }
}
