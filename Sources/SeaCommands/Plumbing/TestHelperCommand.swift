import SeaEngine

enum TestHelperCommand: Command {
  static var title: Title { Title("test-helper", .plumbing, .porcelain, "test a helper program for remote containers") }
  static var synopsis: [String] { ["[--program=PROGRAM] LOCATION"] }
  static let program = Option(
    "program", nil, .file, "PROGRAM", "test PROGRAM instead of the helper for the scheme of LOCATION")
  static var options: [Option] { [program] }
  static var operands: [Operand] { [.one("LOCATION", .text)] }
  static var exits: [Exit] {
    [
      Exit(.success, "the helper follows the protocol"),
      Exit(.no, "the helper violates the protocol; the faults are listed"),
      Exit(.usage, "bad command line, or no helper for LOCATION"),
      Exit(.unreachable, "the helper does not answer, or LOCATION is unavailable"),
      Exit(.system, "there are files at LOCATION, or an input/output error"),
      Exit(.refused, "the helper cannot be started, or does not send its greeting"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    session.ignoresDatabase = true
    let given = arguments.text(program).map(session.path)
    let helpers = session.makeHelpers(only: given)
    var (checks, faults) = (0, 0)
    try Containers.test(arguments.operands[0], helpers) { check, fault in
      checks += 1
      if fault != nil { faults += 1 }
      try session.terminal.report(
        "check", ["check": .text(check), "good": .flag(fault == nil), "reason": .text(fault)]
      ) {
        fault.map { "not ok  \(check): \($0)" } ?? "ok      \(check)"
      }
    }
    session.terminal.summarize(["checks": .integer(checks), "faults": .integer(faults)])
    return faults == 0 ? .success : .no
  }
}
