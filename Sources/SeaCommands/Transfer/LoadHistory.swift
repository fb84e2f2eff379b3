import SeaCore
import SeaEngine
import SeaWords

/// One run of `sea load --history`.
final class LoadHistory {
  private let session: Session
  private let name: String
  private let operand: String
  private let size: Int
  private let isDry: Bool
  /// Of the transactions that are complete.
  private var counts = (created: 0, unchanged: 0)

  init(_ session: Session, _ arguments: Arguments) throws {
    let allowed = [LoadCommand.history, PutCommand.chunk, .dryRun, LoadCommand.format, LoadCommand.assets].map(\.key)
    if let useless = LoadCommand.options.first(where: { !allowed.contains($0.key) && arguments.has($0) }) {
      throw UsageFault.excluded([LoadCommand.history.dashed, useless.dashed])
    }
    if let form = arguments.text(LoadCommand.format), form != "jsonl" {
      throw UsageFault.excluded([LoadCommand.history.dashed, "--format=\(form)"])
    }
    self.session = session
    operand = arguments.operand(0) ?? "-"
    name = operand == "-" ? "standard input" : operand
    size = try PutCommand.chunkSize(arguments)
    isDry = arguments.has(.dryRun)
  }

  func run() throws -> ExitStatus {
    let reader = DocumentReader(name, try session.reader(operand))
    let database = isDry ? try session.reading() : try session.writing(as: LoadCommand.self)
    let waited = try database.records.countWaiting()
    do { try load(reader, into: database) } catch let error as CommandError where counts != (0, 0) && !isDry {
      try tell()
      throw CommandError.afterChunks(error)
    }
    try tell()
    let waiting = try isDry ? 0 : database.records.countWaiting() - waited
    if waiting > 0 {
      let what = Count(waiting, "revision")
      session.terminal.warning("waiting", "\(what) cannot be shown: what came before is not in the input")
      return .partial
    }
    return .success
  }

  private func load(_ reader: DocumentReader, into database: Database) throws {
    var isOver = false
    while !isOver {
      // What is read may be slow to come: nobody waits for the lock meanwhile.
      var lines: [(input: RecordInput, body: [UInt8], line: Int)] = []
      var bytes = 0
      while !isOver, lines.count < size {
        isOver = try !reader.next { tape, text in
          var writer = ByteWriter()
          let input = try encodeRecord(tape, text, into: &writer, limits: LoadHistory.limits)
          lines.append((input, Array(writer.bytes[input.body]), reader.line))
          bytes += writer.count
          guard lines.count <= Payload.mostItems else { throw KitError.tooManyChanges(lines.count) }
          guard bytes <= BlockHeader.largestBlock else { throw KitError.transactionTooLarge(records: lines.count) }
        }
      }
      var counts = counts
      try database.records.takeHistory(label: "load", dryRun: isDry) { open in
        for (input, body, line) in lines {
          do {
            let isNew = try body.withUnsafeBufferPointer { try open.add(input, $0) }
            if isNew { counts.created += 1 } else { counts.unchanged += 1 }
          } catch let error as KitError {
            throw CommandError.input(name: name, line: line, column: 1, error)
          }
        }
      }
      self.counts = counts
    }
  }

  private func tell() throws {
    let item: Item = [
      "file": .text(name), "created": .integer(counts.created), "updated": .integer(0),
      "unchanged": .integer(counts.unchanged), "deleted": .integer(0), "skipped": .integer(0), "rejected": .integer(0),
    ]
    try session.terminal.report("loaded", item) {
      "\(name): \(Count(counts.created, "new revision")), \(counts.unchanged) unchanged"
    }
  }

  /// What a revision says was stored already: the bounds of this instance are not asked.
  private static let limits: RecordLimits = {
    var limits = RecordLimits(maxData: DocumentReader.longest)
    limits.isHistory = true
    return limits
  }()
}
