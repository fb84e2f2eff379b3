import SeaEngine
import SeaSystem

/// Runs `sea-studio`, a separate program that serves the pages. It is a command, so that it has a page, help and
/// completion even if the program is not installed.
enum StudioCommand: Command {
  static var title: Title {
    Title("studio", .records, .porcelain, needs: .database, "show and change the database in a browser")
  }
  static var synopsis: [String] { ["[--read-only] [--no-open]"] }
  static let readOnly = Option("read-only", help: "show the database, but change nothing")
  static let noOpen = Option("no-open", help: "print the address, but do not open a browser")
  static var options: [Option] { [readOnly, noOpen] }
  static var exits: [Exit] {
    [Exit(.refused, "the program sea-studio is not installed"), Exit(.system, "no local port is available")]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let directory = try Path.absolute(session.seaDirectory())
    guard let path = External.find(title.name, session) else { throw CommandError.noProgram("sea-studio") }
    let chosen = [readOnly, noOpen].filter(arguments.has).map(\.dashed)
    var program = Program(path: path, arguments: [path] + chosen)
    program.variables = External.variables(session).filter { $0.name != "SEA_DIR" }
    program.variables.append(.init(name: "SEA_DIR", value: directory))
    try External.become(program, "sea-studio", session)
    return .success
  }
}
