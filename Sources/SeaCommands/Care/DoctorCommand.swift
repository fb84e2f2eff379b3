import SeaEngine
import SeaSystem

enum DoctorCommand: Command {
  static var title: Title {
    Title("doctor", .care, .frozenPorcelain, needs: [.database, .lock], "find problems before they cause trouble")
  }
  static var synopsis: [String] { ["[--fix] [CHECK]...", "--list"] }
  static let fix = Option("fix", help: "rebuild derived data, and remove what interrupted commands left behind")
  static let list = Option("list", help: "list the checks")
  static var options: [Option] { [fix, list] }
  static var operands: [Operand] { [.any("CHECK", .choice(Check.allCases.map(\.rawValue)))] }
  static var exits: [Exit] {
    [
      Exit(.success, "all checks are complete, and no problem remains"),
      Exit(.no, "a problem was found"),
      Exit(.partial, "a check could not be completed"),
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
    let database = fixes ? try session.writing(as: self) : try session.reading(detectsCopies: true)
    let wanted = Set(arguments.operands)
    let run = DoctorRun(session, database)
    for check in Check.allCases where wanted.isEmpty || wanted.contains(check.rawValue) {
      try run.check(check, fixes: fixes)
    }
    return try run.finish()
  }
}

final class DoctorRun {
  private let session: Session
  private let database: Database
  private let doctor: Doctor
  private var (checks, findings, mended, blind, unavailable) = (0, 0, 0, 0, 0)
  private static let frozen = ["check", "state", "subject", "code"]

  init(_ session: Session, _ database: Database) {
    (self.session, self.database) = (session, database)
    doctor = database.doctor
  }

  func check(_ check: Check, fixes: Bool) throws {
    checks += 1
    let examined = check == .hooks ? try hooks() : fixes ? doctor.repair(check) : doctor.examine(check)
    for finding in examined.findings { try report(finding, of: check, fixes: fixes) }
    for subject in examined.unavailable {
      unavailable += 1
      let words = "unavailable, not checked"
      let advice =
        "if it is permanently lost, run: sea remove-container --only-copy-is-fine \(Escape.shellWord(subject))"
      try report(check, "unavailable", subject, "unavailable", words, advice)
    }
    for (subject, reason) in examined.unexamined { try report(subject, reason, of: check) }
    let counts = examined.words
    let isFound = examined.findings.contains { !$0.isMended } || !faults.isEmpty
    let state = !examined.unexamined.isEmpty ? "blind" : isFound ? "found" : "ok"
    faults = []
    let item: Item = ["check": .text(check.rawValue), "state": .text(state), "looked_at": .text(counts)]
    if session.options.json {
      try session.terminal.object(Item(event: "check", item))
    } else if session.options.verbose, !session.options.porcelain {
      let seen = counts.isEmpty ? "nothing to check" : "checked \(counts)"
      try session.terminal.remark("\(DoctorRun.padded(check)) \(state): \(seen)")
    }
  }

  func finish() throws -> ExitStatus {
    session.terminal.summarize([
      "checks": .integer(checks), "findings": .integer(findings), "mended": .integer(mended),
      "blind": .integer(blind), "unavailable": .integer(unavailable),
    ])
    var words = ["\(Count(checks, "check"))", "\(Count(findings, "finding"))"]
    if mended > 0 { words.append("\(mended) repaired") }
    if unavailable > 0 { words.append("\(Count(unavailable, "container")) unavailable") }
    if blind > 0 { words.append("\(blind) could not be checked") }
    try session.terminal.remark(words.joined(separator: ", "))
    return (findings > 0 ? ExitStatus.no : .success).and(blind > 0 ? .partial : .success)
  }

  private func report(_ finding: Finding, of check: Check, fixes: Bool) throws {
    if finding.isMended { mended += 1 } else { findings += 1 }
    let words = finding.words { Failure.words($0, in: session.terminal, withPlace: false) }
    let advice =
      finding.isMended ? nil : Doctor.canRepair(check) && !fixes ? "sea doctor --fix \(check.rawValue)" : words.advice
    try report(
      check, finding.isMended ? "mended" : "found", finding.subject, finding.code, words.found, advice)
  }

  private func report(_ subject: String, _ reason: any Error, of check: Check) throws {
    blind += 1
    if reason is Doctor.NoNote {
      let words = "this device has no note of this instance's last write, so a copy cannot be detected"
      return try report(check, "blind", subject, "no-note", words, "the next command that writes creates one")
    }
    let failure = Failure.describing(reason)
    let place = subject.isEmpty ? database.path : subject
    let isNew = reasons.insert(failure.message).inserted
    try report(
      check, "blind", place, failure.slug, "could not be checked: \(failure.message)", failure.hint,
      briefly: isNew ? nil : "could not be checked for the same reason")
  }

  private var reasons: Set<String> = []

  /// - Parameter briefly: a shorter message that people see instead of the finding and the advice.
  private func report(
    _ check: Check, _ state: String, _ subject: String, _ code: String, _ found: String, _ advice: String?,
    briefly: String? = nil
  ) throws {
    let item: Item = [
      "check": .text(check.rawValue), "state": .text(state), "subject": .text(subject), "code": .text(code),
      "found": .text(found), "advice": .text(advice),
    ]
    try session.terminal.show(Item(event: "finding", item), frozen: DoctorRun.frozen, wraps: true) {
      let finding = "\(DoctorRun.padded(check)) \(subject): \(briefly ?? found)"
      if briefly != nil { return [finding] }
      guard let end = state == "mended" ? "repaired" : advice else { return [finding] }
      let line = "\(finding); \(end)"
      // A command is easy to copy if it has a line to itself.
      let fits = session.terminal.width.map { TextWidth.of(line) <= $0 } ?? true
      return fits ? [line] : [finding, "  \(end)"]
    }
  }

  private static func padded(_ check: Check) -> String {
    let width = Check.allCases.map(\.rawValue.utf8.count).max() ?? 0
    return check.rawValue + String(repeating: " ", count: width - check.rawValue.utf8.count)
  }

  // MARK: - Hooks

  private var faults: [HookFault] = []

  private func hooks() throws -> Examined {
    var examined = Examined()
    do {
      let hooks = try Hooks(session, database, DoctorCommand.self)
      faults = try hooks?.faults() ?? [Hooks.folderFault(database)].compactMap { $0 }
      examined.count(.hook, hooks?.count ?? 0)
    } catch { examined.unexamined.append(("", error)) }
    for fault in faults {
      findings += 1
      let advice = fault.remedy ?? (fault.reason == .unknown ? "to list the events, run: sea help hooks" : "remove it")
      try report(.hooks, "found", fault.path, fault.reason.rawValue, "never runs: \(fault.why)", advice)
    }
    return examined
  }
}
