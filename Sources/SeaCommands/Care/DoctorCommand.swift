import SeaEngine
import SeaWords

/// `sea doctor`: look around for what may become a trouble.
enum DoctorCommand: Command {
  static var title: Title {
    Title("doctor", .care, .frozenPorcelain, needs: [.database, .lock], "look for what may become a trouble")
  }
  static var synopsis: [String] { ["[--fix] [CHECK]...", "--list"] }
  static let fix = Option("fix", help: "make derived data anew, and take away what dead commands have left")
  static let list = Option("list", help: "list the checks")
  static var options: [Option] { [fix, list] }
  static var operands: [Operand] { [.any("CHECK", .choice(Check.allCases.map(\.rawValue)))] }
  static var exits: [Exit] {
    [
      Exit(.success, "every check has looked, and nothing was found that is not mended"),
      Exit(.no, "something was found"),
      Exit(.partial, "a check could not look at everything"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(list) {
      if arguments.has(fix) { throw UsageFault.excluded([fix.dashed, list.dashed]) }
      if let word = arguments.operand(0) { throw UsageFault.extraOperand(word) }
      let listing = try Listing(
        session.terminal, [Column("", "check"), Column("", "about")], frozen: ["check", "about"])
      for check in Check.allCases {
        try listing.add(["check": .text(check.rawValue), "about": .text(check.about)])
      }
      try listing.end()
      return .success
    }
    let fixes = arguments.has(fix)
    let database = fixes ? try session.writing(as: self) : try session.reading(knowsNotes: true)
    let wanted = Set(arguments.operands)
    let run = DoctorRun(session, database)
    for check in Check.allCases where wanted.isEmpty || wanted.contains(check.rawValue) {
      try run.check(check, fixes: fixes)
    }
    return try run.finish()
  }
}
