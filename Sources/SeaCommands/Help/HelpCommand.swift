import SeaEngine

enum HelpCommand: Command {
  static var title: Title { Title("help", .help, .porcelain, "list the commands, or open a page of the manual") }
  static func isPaged(_ arguments: Arguments) -> Bool { true }
  static var synopsis: [String] { ["[COMMAND | GUIDE | WORD]"] }
  static var operands: [Operand] { [.optional("COMMAND", .command)] }
  static var exits: [Exit] { [Exit(.notFound, "no such page")] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    guard let topic = arguments.operand(0) else { return try Usage.overview(session) }
    return try Manual.open(topic, session)
  }
}
