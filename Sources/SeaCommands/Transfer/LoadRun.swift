import SeaCore
import SeaEngine
import SeaSystem

final class LoadRun {
  private let session: Session
  private let database: Database
  private let input: LoadInput
  private let source: any LoadSource
  private var options: WriteBatch.Options
  private let isDry: Bool
  private let preview: LoadPreview?
  private let mayReplaceType: Bool
  private let rejectsName: String?
  private var rejects: DumpFile?
  private var counts: [WriteResult.Outcome: Int] = [:]
  private var untyped = 0
  private var unnamed = 0
  /// The number of records of the type before the first new id was assigned; nil until then.
  private var before: Int?
  private var notes: [ObjectIdentifier: Notes] = [:]

  private struct Notes {
    var lines: [Int] = []
    var raw: [[UInt8]] = []
    var unread: [(entry: Int, raw: [UInt8], error: CommandError)] = []
  }

  /// - Parameter rejects: the file for invalid records; nil if an invalid record stops the load.
  init(
    _ session: Session, _ database: Database, _ input: LoadInput, _ source: any LoadSource,
    _ options: WriteBatch.Options, isDry: Bool, mayReplaceType: Bool, rejects: String?
  ) {
    (self.session, self.database, self.input, self.source) = (session, database, input, source)
    (self.options, self.isDry, self.mayReplaceType, rejectsName) = (options, isDry, mayReplaceType, rejects)
    preview = isDry && !session.terminal.options.quiet ? LoadPreview(source.columnNames) : nil
    guard let preview else { return }
    self.options.identify = { body, type, id in
      let id = try options.identify.map { try $0(body, type, id) } ?? id
      try preview.see(body)
      return id
    }
  }

  func run(size: Int) throws -> ExitStatus {
    // Open the file for rejected records before writing anything else. Otherwise, the first rejected record could be
    // lost.
    var isThere = false
    if let rejectsName {
      let path = session.path(rejectsName)
      try Location.checkWritable(path, of: database.folder)
      let kind = try Path.statusFollowing(path)?.kind
      isThere = kind == .file
      if !isDry, kind == nil || isThere { rejects = try DumpFile(path) }
    }
    do { try load(size: size) } catch {
      try preview?.show(session.terminal)
      throw try stopped(by: error)
    }
    try preview?.show(session.terminal)
    // If a file from an earlier run remained, users would think that records had been rejected.
    try commitRejects(replacing: isThere)
    try report()
    for notice in source.notices { session.terminal.notice(notice) }
    if let targets = options.targets { session.noticeSimilar(targets) }
    if untyped > 0, !source.namesTypes {
      session.terminal.notice("\(Count(untyped, "record")) without a type; to set one, use -t TYPE")
    }
    if unnamed > 0, let before, before > 0, let type = options.type {
      session.terminal.notice(
        "\(Count(unnamed, "new record")) in addition to \(before) of type '\(type)'",
        hint: "to match existing records, use --key=PATHS" + (isDry ? "" : "; to undo this load, run: sea undo"))
    }
    return counts[.rejected] == nil ? .success : .partial
  }

  private func load(size: Int) throws {
    let chunks = Chunks(size: size, batch) { [self] in try commit($0) }
    while true {
      let first = chunks.batch.count
      do {
        try session.host.checkStop()
        guard try source.add(to: chunks.batch, options) else { break }
      } catch let error as CommandError where rejectsName != nil && error.isOfOneRecord {
        try source.pass(error)
        let entry = chunks.batch.count
        notes[ObjectIdentifier(chunks.batch), default: Notes()].unread.append((entry, source.raw, error))
        continue
      } catch let error as CommandError
        where input.guessesForm && counts.isEmpty && chunks.batch.isEmpty && error.isNoJSON
      {
        throw CommandError.guessedForm(error)
      } catch {
        // Write the complete chunks, because they do not depend on later input.
        try chunks.write()
        guard !options.limits.isForeign, let error = error as? CommandError, error.isOfForeignKey else { throw error }
        throw CommandError.foreignKey(error)
      }
      // One row can also create records that it refers to.
      for _ in first..<chunks.batch.count {
        notes[ObjectIdentifier(chunks.batch), default: Notes()].lines.append(source.line)
        if rejectsName != nil { notes[ObjectIdentifier(chunks.batch)]?.raw.append(source.raw) }
      }
      try chunks.added()
    }
    try chunks.end()
    // No further batch follows, so reject the remaining unreadable records now.
    for one in notes.values.flatMap(\.unread) { try reject(one.raw, one.error) }
  }

  /// Saves the rejected records and reports the completed transactions, if any. Returns the error to report.
  private func stopped(by error: any Error) throws -> any Error {
    guard !isDry, !counts.isEmpty else { return error is Stopped ? Stopped(.nothing) : error }
    try commitRejects(replacing: false)
    try report()
    if error is Stopped { return Stopped(.transactions) }
    return (error as? CommandError).map(CommandError.afterChunks) ?? error
  }

  private func commitRejects(replacing: Bool) throws {
    if isDry || counts[.rejected] == nil && !replacing {
      rejects = nil
      return
    }
    if counts[.rejected] != nil { try DumpFile.naming { try rejects?.output.write(source.tail) } }
    try rejects?.commit()
  }

  private func batch() -> WriteBatch {
    let batch = WriteBatch(label: "load")
    batch.leavesOutFaults = rejectsName != nil
    batch.replaceKinds(mayReplaceType)
    return batch
  }

  private func commit(_ batches: [WriteBatch]) throws {
    if before == nil, let type = options.type, batches.contains(where: \.hasNewIDs) {
      let filter = RecordFilter(type: type)
      before = try database.queries.count(RecordQuery(filter))
    }
    var open = batches[...]
    func done(_ batch: WriteBatch, _ result: CommitResult) throws {
      open.removeFirst()
      for (k, one) in result.results.enumerated() where one.outcome != .rejected {
        counts[one.outcome, default: 0] += 1
        guard one.outcome == .created else { continue }
        if !batch.hasType(k) { untyped += 1 }
        if batch.hasNewID(k) { unnamed += 1 }
      }
      let notes = notes.removeValue(forKey: ObjectIdentifier(batch))
      let faults = result.faults.map { ($0.entry, notes?.raw[$0.entry] ?? [], located($0, notes)) }
      // Rejected records are kept in input order, so unreadable records come before the next readable one.
      let unread = (notes?.unread ?? []).enumerated().map { k, one in
        (place: (one.entry, 0, k), raw: one.raw, error: one.error)
      }
      let all = unread + faults.map { (place: ($0.0, 1, 0), raw: $0.1, error: $0.2) }
      for one in all.sorted(by: { $0.place < $1.place }) { try reject(one.raw, one.error) }
    }
    do {
      if isDry {
        for batch in batches { try done(batch, database.records.write(batch, dryRun: true)) }
      } else {
        try database.records.write(batches, done)
      }
    } catch let fault as EntryFault {
      throw located(fault, open.first.flatMap { notes[ObjectIdentifier($0)] })
    }
  }

  private func located(_ fault: EntryFault, _ notes: Notes?) -> CommandError {
    source.located(notes?.lines[fault.entry] ?? 0, fault.reason)
  }

  private static let mostWarnings = 20

  private func reject(_ raw: [UInt8], _ error: CommandError) throws {
    let before = counts[.rejected] ?? 0
    counts[.rejected] = before + 1
    switch error {
    case .table(_, _, _, .badCell(let column, _, _, _, _), _), .table(_, _, _, .errorCell(let column, _), _):
      preview?.refuse(column)
    default: break
    }
    if before < LoadRun.mostWarnings {
      session.terminal.warning("rejected", Failure.describing(error).message)
    } else if before == LoadRun.mostWarnings {
      session.terminal.notice("further rejected records are not listed")
    }
    if isDry { return }
    if rejects == nil { rejects = try DumpFile(session.path(rejectsName ?? "")) }
    if before == 0 { try DumpFile.naming { try rejects?.output.write(input.rejectsMark + source.head) } }
    try DumpFile.naming { try rejects?.output.write(raw) }
  }

  private func report() throws {
    let always: [WriteResult.Outcome] = [.created, .updated, .unchanged]
    let all = always + [.deleted, .skipped, .rejected]
    var item: Item = ["file": .text(input.name)]
    for one in all { item[one.rawValue] = .integer(counts[one] ?? 0) }
    try session.terminal.report("loaded", item) {
      let parts = all.filter { always.contains($0) || counts[$0] != nil }.map { "\(counts[$0] ?? 0) \($0.rawValue)" }
      return "\(input.name): " + parts.joined(separator: ", ")
        + (rejects == nil || counts[.rejected] == nil ? "" : " (\(rejectsName ?? ""))")
    }
  }
}

extension CommandError {
  fileprivate var isNoJSON: Bool {
    switch self {
    case .input(_, _, _, CoreError.badJSON(let fault, _), _):
      ![
        .badReserved, .revision, .badRevision, .nullValue, .nameTooLong, .badDate, .badDay, .badData, .notUTF8,
      ].contains(fault)
    default: false
    }
  }

  fileprivate var isOfForeignKey: Bool {
    guard case .input(_, _, _, let error as CoreError, _) = self else { return false }
    switch error {
    case .badMember(.property, .badStart, _, _), .badMember(.id, .notText, _, _), .badJSON(.badReserved, _): return true
    default: return false
    }
  }

  /// Whether only this record is invalid; if so, later records can still be read.
  fileprivate var isOfOneRecord: Bool {
    switch self {
    case .table(_, _, _, .tooLong, _), .table(_, _, _, .utf16, _), .table(_, _, _, .badUTF16, _): return false
    case .table: return true
    case .input(_, _, _, let error, _):
      switch error {
      case KitError.transactionTooLarge, KitError.tooManyChanges, CoreError.badJSON(.tooLong, _),
        CoreError.badJSON(.revision, _):
        return false
      default: return true
      }
    default: return false
    }
  }
}
