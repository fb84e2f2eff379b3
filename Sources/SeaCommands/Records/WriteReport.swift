import SeaCore
import SeaKit

/// `--if-rev`
enum Preconditions {
  static func parse(_ text: String?) throws -> Precondition {
    guard let text else { return .none }
    if text == "none" { return .absent }
    guard RevisionText.isRevision(text) else {
      throw UsageFault.badValue(
        option: "--if-rev", value: text, expected: .choice(["a revision (such as 5-c07d11aa)", "none"]))
    }
    return .revision(text)
  }
}

/// Tells what became of each record: `RESULT TAB ID TAB REV`, and `conflict` where the revision is not the winner.
struct WriteReport {
  private let context: Context
  private var counts: [WriteResult.Outcome: Int] = [:]

  init(_ context: Context) {
    self.context = context
    summarise()
  }

  /// Call it when the batch is durable, not before.
  mutating func add(_ written: CommitResult, of batch: WriteBatch) throws {
    if let first = written.cycle.first {
      context.notice("\(first) and \(written.cycle.count - 1) more records refer to each other in a circle")
    }
    for (k, result) in written.results.enumerated() {
      counts[result.outcome, default: 0] += 1
      if context.options.quiet { continue }
      try context.options.json ? event(result, batch.id(of: k)) : line(result, batch.id(of: k))
    }
    summarise()
  }

  private func summarise() {
    for outcome in [WriteResult.Outcome.created, .updated, .unchanged, .deleted] {
      context.summarise([outcome.rawValue: .integer(counts[outcome] ?? 0)])
    }
  }

  private func line(_ result: WriteResult, _ id: String) throws {
    try context.output.write(result.outcome.rawValue)
    try context.output.byte(0x09)
    try context.output.write(id)
    try context.output.byte(0x09)
    try context.output.write(result.revision.description)
    if !result.wins { try context.output.write("\tconflict") }
    try context.output.byte(context.options.zero ? 0 : 0x0A)
  }

  private func event(_ result: WriteResult, _ id: String) throws {
    let item: Item = ["id": .id(id), "rev": .id(result.revision), "conflict": .mark(!result.wins)]
    try context.report(result.outcome.rawValue, item) { [] }
  }
}
