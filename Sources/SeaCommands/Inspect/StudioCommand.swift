import SeaEngine
import SeaSystem

/// Runs `sea-studio`, a separate program that serves the pages. It is a command, so that it has a page, help and
/// completion even if the program is not installed.
enum StudioCommand: Command {
  static var title: Title {
    Title("studio", .records, .porcelain, needs: .database, "show and change the database in a browser")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] { ["[--read-only] [--no-open] [CONTAINER | BUNDLE]"] }
  static let readOnly = Option("read-only", help: "show the database, but change nothing")
  static let noOpen = Option("no-open", help: "print the address, but do not open a browser")
  static var options: [Option] { [readOnly, noOpen] }
  static var operands: [Operand] { [.optional("CONTAINER", .place)] }
  static var exits: [Exit] {
    [
      Exit(.corrupt, "everything in the container or bundle is damaged"),
      Exit(.denied, "the container or bundle is encrypted, and there is no key or the passphrase is wrong"),
      Exit(.partial, "the container is incomplete"),
      Exit(.unreachable, "the container or bundle does not exist"),
      Exit(.incompatible, "not a container or bundle, or unknown format"),
      Exit(.system, "no local port is available"),
      Exit(.refused, "the program sea-studio is not installed"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let operand = arguments.operand(0)
    session.ignoresDatabase = operand != nil
    var directory = try operand == nil ? Path.absolute(session.seaDirectory()) : ""
    guard let path = External.find(title.name, session) else { throw CommandError.noProgram("sea-studio") }
    let copy = try operand.map { try StudioCopy($0, session) }
    defer { copy?.remove() }
    if let copy { directory = copy.path }
    let chosen = [readOnly, noOpen].filter { arguments.has($0) || $0.key == readOnly.key && copy != nil }
    var program = Program(path: path, arguments: [path] + chosen.map(\.dashed))
    program.variables = External.variables(session).filter { $0.name != "SEA_DIR" }
    program.variables.append(.init(name: "SEA_DIR", value: directory))
    guard copy != nil else {
      try External.become(program, "sea-studio", session)
      return .success
    }
    // A program with a time limit ends together with this process, which then removes the copy.
    program.limit = 1 << 30
    return ExitStatus(rawValue: try session.run(program, named: "sea-studio").status)
  }
}

/// A private clone of a container or bundles, which are therefore read like any others, verified and not changed.
private struct StudioCopy {
  let path: String
  private let folder: TemporaryFolder

  init(_ operand: String, _ session: Session) throws {
    let source = try CloneOperand(operand, session, restores: false)
    let (place, prefix) = (session.temporaryFolder, "sea-studio-")
    TemporaryFolder.removeAbandoned(in: place, prefix: prefix)
    folder = try TemporaryFolder(aloneIn: place, prefix: prefix)
    var settings = try session.writingSettings(StudioCommand.self)
    settings.requestsAccess = false
    settings.notes = nil
    // The pages have the name of this folder as their title.
    let name = Path.name(try session.location(operand))
    let cloned = try source.clone(
      to: folder.path(of: name.isEmpty ? "container" : name), name: "sea studio", assets: nil, isReadOnly: true,
      settings)
    path = cloned.database.path
    cloned.database.close()
    for problem in cloned.exchange.problems {
      session.terminal.warning(problem.code.rawValue, Failure.words(problem, in: session.terminal))
    }
    for error in cloned.failures { session.terminal.warn(Failure.describing(error)) }
    Containers.close(session.helpers)
  }

  func remove() { folder.remove() }
}
