import SeaCore
import SeaEngine

enum Preconditions {
  static func parse(_ text: String?) throws -> Precondition {
    guard let text else { return .none }
    if let read = read(text) { return read }
    throw UsageFault.badValue(
      option: "--if-rev", value: text, expected: .choice(["a revision (such as 5-c07d11aa)", "none"]))
  }

  /// Returns nil if the text is neither a revision nor `none`.
  static func read(_ text: String) -> Precondition? {
    text == "none" ? .absent : RevisionText.isRevision(text) ? .revision(text) : nil
  }
}

extension RevisionID {
  func seen(at terminal: Terminal) -> String {
    terminal.shortensWritten ? terminal.short(self) : description
  }
}

/// Reports the result for each record as a line `RESULT TAB ID TAB REV`, followed by `conflict` if the revision is not
/// the winner.
struct WriteReport {
  private let session: Session
  private var counts: [(outcome: WriteResult.Outcome, count: Int)] = [
    (.created, 0), (.updated, 0), (.unchanged, 0), (.deleted, 0),
  ]

  private let isSum: Bool

  init(_ session: Session, isSum: Bool = false) {
    self.session = session
    self.isSum = isSum
    summarize()
  }

  /// Reports a batch. Call this after the batch is durable.
  /// - Parameter tellsTypes: whether to report changed types, which is useful if no option requested the changes.
  mutating func add(_ written: CommitResult, of batch: WriteBatch, tellsTypes: Bool = false) throws {
    for one in tellsTypes ? written.retyped : [] {
      let more = one.count > 1 ? " and \(one.count - 1) more" : ""
      session.terminal.notice("\(one.id)\(more): type changed from '\(one.old)' to '\(one.new)'")
    }
    if let first = written.cycle.first {
      session.terminal.notice("\(first) and \(written.cycle.count - 1) more records refer to each other in a cycle")
    }
    for (k, result) in written.results.enumerated() {
      for k in counts.indices where counts[k].outcome == result.outcome { counts[k].count += 1 }
      if session.options.quiet || (isSum && isShort) { continue }
      try session.options.json ? event(result, batch.id(of: k)) : line(result, batch.id(of: k))
    }
    summarize()
    try sum()
    guard !hasCheckedAuthorization, written.block != nil, let database = session.database else { return }
    hasCheckedAuthorization = true
    try WaitingNotice(session, database).noticeIfUnauthorized()
  }

  private var hasCheckedAuthorization = false

  private var isShort: Bool { !session.options.json && !session.options.verbose && !session.terminal.isDryRun }

  private func sum() throws {
    guard isSum else { return }
    let told = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.outcome.rawValue)" }
    let all = told.isEmpty ? "no record" : told.joined(separator: ", ")
    try session.terminal.remark(session.terminal.isDryRun ? "\(all); nothing was written" : all)
  }

  /// Prints totals after many lines and, in a dry run, says that nothing was written.
  func sumUp() {
    guard session.host.isTerminal(1), !session.options.json, !isSum else { return }
    let found = counts.filter { $0.count > 0 }
    let isMany = found.reduce(0, { $0 + $1.count }) > 1
    let sum = isMany ? [found.map { "\($0.count) \($0.outcome.rawValue)" }.joined(separator: ", ")] : []
    let all = sum + (session.terminal.isDryRun ? ["nothing was written"] : [])
    if !all.isEmpty { session.terminal.notice(all.joined(separator: "; ")) }
  }

  private func summarize() {
    guard session.options.json else { return }
    for (outcome, count) in counts { session.terminal.summarize([outcome.rawValue: .integer(count)]) }
  }

  private func line(_ result: WriteResult, _ id: String) throws {
    try session.terminal.output.write(result.outcome.rawValue)
    try session.terminal.output.byte(0x09)
    try session.terminal.output.write(id)
    try session.terminal.output.byte(0x09)
    try session.terminal.output.write(result.revision.seen(at: session.terminal))
    if !result.wins { try session.terminal.output.write("\tconflict") }
    try session.terminal.output.byte(session.options.zero ? 0 : 0x0A)
  }

  private func event(_ result: WriteResult, _ id: String) throws {
    let item: Item = ["id": .id(id), "rev": .id(result.revision), "conflict": .mark(!result.wins)]
    try session.terminal.report(result.outcome.rawValue, item) { [] }
  }
}
