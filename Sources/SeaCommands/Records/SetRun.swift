import SeaCore
import SeaEngine

struct SetRun {
  private let session: Session
  private let arguments: Arguments
  private let query: RecordQuery?
  private let target: String?
  private var change = RecordChange()

  private var isMany: Bool { query != nil || arguments.has(.stdin) }

  init(_ session: Session, _ arguments: Arguments) throws {
    self.session = session
    self.arguments = arguments
    var operands = arguments.operands[...]
    let chosen = try arguments.only(of: [SetCommand.create, SetCommand.new, Selected.condition, .stdin])
    query = try Selected.query(arguments)
    let isNew = chosen?.key == SetCommand.new.key
    if query != nil || chosen?.key == Option.stdin.key {
      if arguments.has(.ifRevision) { throw UsageFault.excluded([chosen!.dashed, Option.ifRevision.dashed]) }
      target = nil
    } else {
      if arguments.has(SetCommand.max) {
        throw UsageFault.needs(option: SetCommand.max.dashed, with: Selected.condition.dashed)
      }
      target = isNew ? nil : operands.popFirst()
      if target == nil, !isNew { throw UsageFault.noRecordBefore(nil) }
    }
    var reader = chosen?.key == Option.stdin.key ? Option.stdin.dashed : nil
    for text in operands {
      if text.hasPrefix("_type=") { throw UsageFault.typeAssigned(text, type: String(text.dropFirst(6))) }
      let one = try Assignment(text, session, computes: true, inputReader: reader)
      if one.readsInput { reader = text }
      if let name = one.path.names.last, name.utf8.first == 0x20 || name.utf8.last == 0x20 {
        session.terminal.notice(
          "the name '\(name)' begins or ends with a space; write KEY=VALUE without spaces, not '\(text)'")
      }
      change.assignments.append(one)
    }
    if let chosen, chosen.key != Selected.condition.key,
      let one = change.assignments.first(where: { $0.expression != nil })
    {
      throw UsageFault.excluded([chosen.dashed, one.text])
    }
    if arguments.has(SetCommand.initial), chosen?.key != SetCommand.create.key {
      throw UsageFault.needs(option: SetCommand.initial.dashed, with: SetCommand.create.dashed)
    }
    change.initial = try arguments.texts(SetCommand.initial).map { try Assignment($0, session, readsFiles: false) }
    change.removals = try arguments.texts(SetCommand.unset).map { try PropertyPath($0) }
    for text in arguments.texts(SetCommand.rename) { try change.addMove(text) }
    change.replacesType = arguments.has(SetCommand.replaceType)
    change.isForMany = isMany
    let givesType = query == nil && arguments.has(.type)
    if isMany, !givesType, change.isEmpty { throw UsageFault.missingOperand("KEY=VALUE") }
    if let type = arguments.text(.type) { try Name.check(type) }
  }

  mutating func run() throws {
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: SetCommand.self)
    if query == nil { try session.noticeNewType(arguments.text(.type), in: database) }
    for one in change.assignments { one.noticeUnusedFileSyntax(session) }
    let assets = try change.assignments.loadAssets(into: database, session, dryRun: dryRun)
    try write(assets, database, dryRun: dryRun)
  }

  private func write(_ assets: [StagedAsset], _ database: Database, dryRun: Bool) throws {
    let names = arguments.has(.stdin) ? try Selected.names(session) : []
    let batch = WriteBatch(label: change.label)
    batch.tellsProgress = isMany
    var notices: [QueryNotice] = []
    // Look up the records within the transaction, so that no other process can change them in between.
    func fill(_ batch: WriteBatch) throws {
      if isMany {
        let type = query?.filter.onlyType
        notices = try database.queries.unknown(change.wanted, of: type)
      }
      if let query {
        let chosen = try database.queries.choose(query, computing: change.expressions, assigning: change.touched)
        try Selected.check(chosen.count, SetCommand.max, arguments)
        let change = try chosen.isEmpty ? change : named(change, database)
        for one in chosen { try add(one.id, to: batch, database, change, one.values) }
      } else if arguments.has(.stdin) {
        let ids = try Selected.ids(names, each: false, database, session)
        try Selected.check(ids.count, SetCommand.max, arguments)
        let change = try ids.isEmpty ? change : named(change, database)
        for id in ids { try add(id, to: batch, database, change) }
      } else {
        try addOne(to: batch, database)
      }
    }
    let written =
      try dryRun
      ? database.records.write(batch, dryRun: true, filling: fill)
      : database.assets.write(batch, adding: assets, filling: fill)
    notices += database.queries.notices
    if !written.results.isEmpty { notices += change.missing.map { .noProperty($0) } }
    session.terminal.report(notices.enumerated().filter { !notices[..<$0].contains($1) }.map(\.element))
    var report = WriteReport(session, isSum: isMany)
    try report.add(written, of: batch)
    report.sumUp()
    if !isMany { try noticeConflict(of: batch.id(of: 0), database) }
  }

  /// On a terminal, prints a notice that the record has conflicting revisions, which were not changed.
  private func noticeConflict(of id: String, _ database: Database) throws {
    guard session.host.isTerminal(1), let row = try? database.records.find(id, literal: true), row.conflict != .none
    else {
      return
    }
    session.terminal.notice(
      "\(id) is in conflict; only the winner was changed",
      hint: "to show the conflict, run: sea conflicts \(Escape.shellWord(id))")
  }

  private func add(
    _ id: String, to batch: WriteBatch, _ database: Database, _ change: RecordChange, _ computed: [QueryValue] = []
  ) throws {
    let type = query == nil ? arguments.text(.type) : nil
    let now = session.host.now()
    try batch.addEdit(id, type: type, .none, mustExist: true, keepsType: !change.replacesType) { old in
      try change.content(from: old, id, database, now, computed)
    }
  }

  private func addOne(to batch: WriteBatch, _ database: Database) throws {
    let place = try target.map { try self.resolve($0, database) }
    let computed = try place?.row.map { try compute($0, database) } ?? []
    guard computed.count == change.expressions.count else { throw KitError.recordNotFound(target ?? "") }
    let id = place?.id ?? "the record"
    let targets = arguments.has(SetCommand.create) ? NamedTargets(database.records, creates: true) : nil
    let change = try named(change, database, targets)
    let now = session.host.now()
    let type = arguments.text(.type) ?? place?.first?.type
    try batch.addEdit(
      place?.id, type: type, Preconditions.parse(arguments.text(.ifRevision)),
      mustExist: target != nil && !arguments.has(SetCommand.create), keepsType: !change.replacesType
    ) { old in
      try change.checkRemovals(of: old, place?.row?.type, database)
      return try old == nil
        ? change.newContent(place?.first, type, id, database, now, computed)
        : change.content(from: old, id, database, now, computed)
    }
    try targets?.add(to: batch)
    if let targets { session.noticeSimilar(targets) }
  }

  private func compute(_ row: RecordRow, _ database: Database) throws -> [QueryValue] {
    if change.expressions.isEmpty { return [] }
    let filter = RecordFilter(type: row.type)
    let query = try RecordQuery(filter, .init("_id = :id", [("id", .text(row.id))]))
    return try database.queries.choose(query, computing: change.expressions, assigning: change.touched).first?.values
      ?? []
  }

  private func named(
    _ change: RecordChange, _ database: Database, _ targets: NamedTargets? = nil
  ) throws -> RecordChange {
    session.literalIDs ? change : try change.naming { try targets?.id(of: $0) ?? database.records.find($0).id }
  }

  private func resolve(
    _ text: String, _ database: Database
  ) throws -> (id: String?, row: RecordRow?, first: RecordText.Match?) {
    do {
      let row = try database.records.find(text, literal: session.literalIDs || RecordText.isPair(text))
      return (row.id, row, nil)
    } catch KitError.recordNotFound {
      // If the user forgot to name the record, the text may be an assignment.
      if !session.literalIDs, !RecordText.isMatch(text), (try? Assignment(text, session, readsFiles: false)) != nil {
        throw UsageFault.noRecordBefore(text)
      }
      guard arguments.has(SetCommand.create) else { throw KitError.recordNotFound(text) }
      if !session.literalIDs, let match = try RecordText.Match(text) { return (nil, nil, match) }
      try Name.check(text)
      return (text, nil, nil)
    }
  }
}

extension RecordText {
  fileprivate static func isMatch(_ text: String) -> Bool {
    if isPair(text) { return false }
    do { return try Match(text) != nil } catch { return true }
  }

  /// Returns whether the text has the form `KEY:=JSON`. In contrast, `TYPE:PROP:=JSON` names a record.
  fileprivate static func isPair(_ text: String) -> Bool {
    text.firstPlace(of: ":=").map { !text[..<$0.lowerBound].contains(":") } ?? false
  }
}
