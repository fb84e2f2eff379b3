import SeaEngine
import SeaSystem
import SeaWords

extension External {
  /// Becomes the program; it finds the options that stood before its name in its environment.
  static func run(_ name: String, _ parser: Parser, _ session: Session) throws -> ExitStatus {
    guard let path = find(name, session) else {
      let similar = Habits.names[name] ?? Similarity.nearest(to: name, among: Commands.names)
      throw UsageFault.unknownCommand(name, similar: similar)
    }
    var program = Program(path: path, arguments: [path] + parser.rest)
    program.variables = variables(session)
    if !session.options.directories.isEmpty { program.directory = session.path(".") }
    try become(program, "sea-\(name)", session)
    return .success
  }
}
