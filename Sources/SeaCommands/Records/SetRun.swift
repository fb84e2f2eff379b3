import SeaCore
import SeaKit

/// One run of `sea set`: the same change for one record, or for all that are selected.
struct SetRun {
  private let session: Session
  private let arguments: Arguments
  private let query: RecordQuery?
  /// The record that is named first; nil for a new one, and for many.
  private let target: String?
  private var assignments: [Assignment]
  /// What a record gets besides when it is made.
  private let initial: [Assignment]
  private let removals: [PropertyPath]
  private let moves: [(PropertyPath, PropertyPath)]

  private var isMany: Bool { query != nil || arguments.has(.stdin) }
  private var expressions: [String] { assignments.compactMap(\.expression) }

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
      if target == nil, !isNew { throw UsageFault.missingOperand("RECORD") }
    }
    assignments = try operands.map { try Assignment($0, session, computes: true) }
    if let chosen, chosen.key != Selected.condition.key, let one = assignments.first(where: { $0.expression != nil }) {
      throw UsageFault.excluded([chosen.dashed, one.text])
    }
    if arguments.has(SetCommand.initial), chosen?.key != SetCommand.create.key {
      throw UsageFault.needs(option: SetCommand.initial.dashed, with: SetCommand.create.dashed)
    }
    initial = try arguments.texts(SetCommand.initial).map { try Assignment($0, session, readsFiles: false) }
    removals = try arguments.texts(SetCommand.unset).map { try PropertyPath($0) }
    moves = try arguments.texts(SetCommand.rename).map(SetRun.move)
    if isMany, assignments.isEmpty, removals.isEmpty, moves.isEmpty { throw UsageFault.missingOperand("KEY=VALUE") }
    if let type = arguments.text(.type) { try Name.check(type) }
  }

  mutating func run() throws {
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: SetCommand.self)
    let assets = try assignments.loadAssets(into: database, session, dryRun: dryRun)
    try write(assets, database, dryRun: dryRun)
  }

  private func write(_ assets: [StagedAsset], _ database: Database, dryRun: Bool) throws {
    let names = arguments.has(.stdin) ? try Selected.names(session) : []
    let batch = WriteBatch(label: Assignment.label(assignments, removals, moves))
    // Records are looked up under the lock, in the transaction: nobody can make or change one in between.
    func fill(_ batch: WriteBatch) throws {
      if let query {
        let chosen = try database.queries.choose(query, computing: expressions)
        try Selected.check(chosen.count, SetCommand.max, arguments)
        let assignments = try chosen.isEmpty ? [] : named(assignments, database)
        for one in chosen { try add(one.id, to: batch, database, assignments, one.values) }
      } else if arguments.has(.stdin) {
        let ids = try Selected.ids(names, database, session)
        try Selected.check(ids.count, SetCommand.max, arguments)
        let assignments = try ids.isEmpty ? [] : named(assignments, database)
        for id in ids { try add(id, to: batch, database, assignments) }
      } else {
        try addOne(to: batch, database)
      }
    }
    let written =
      try dryRun
      ? database.records.write(batch, dryRun: true, filling: fill)
      : database.assets.write(batch, adding: assets, filling: fill)
    session.terminal.tell(database.queries.notices)
    var report = WriteReport(session, isSum: isMany)
    try report.add(written, of: batch)
  }

  /// One of many records.
  private func add(
    _ id: String, to batch: WriteBatch, _ database: Database, _ assignments: [Assignment], _ computed: [QueryValue] = []
  ) throws {
    let type = query == nil ? arguments.text(.type) : nil
    try batch.addEdit(id, type: type, .none, mustExist: true, change(id, database, assignments, computed))
  }

  private func addOne(to batch: WriteBatch, _ database: Database) throws {
    let place = try target.map { try self.place($0, database) }
    let computed = try place?.row.map { try compute($0, database) } ?? []
    guard computed.count == expressions.count else { throw KitError.recordNotFound(target ?? "") }
    let id = place?.id ?? "the record"
    let change = try change(id, database, named(assignments, database), computed)
    let initial = try named(initial, database)
    let (instance, now) = (database.instance, session.host.now())
    try batch.addEdit(
      place?.id, type: arguments.text(.type) ?? place?.first?.type,
      Preconditions.parse(arguments.text(.ifRevision)), mustExist: target != nil && !arguments.has(SetCommand.create)
    ) { old in
      if old != nil { return try change(old) }
      var record = Value.empty
      if let first = place?.first { try record.set(.string(first.value), at: first.path) }
      for one in initial { try one.apply(to: &record, id: id, instance: instance, replacesType: false, now: now) }
      return try change(record)
    }
  }

  /// What the expressions give for one record.
  private func compute(_ row: RecordRow, _ database: Database) throws -> [QueryValue] {
    if expressions.isEmpty { return [] }
    var filter = RecordFilter()
    filter.type = row.type
    let query = try RecordQuery(filter, .init("_id = :id", [("id", .text(row.id))]))
    return try database.queries.choose(query, computing: expressions).first?.values ?? []
  }

  /// What becomes of the content of a record.
  private func change(
    _ id: String, _ database: Database, _ assignments: [Assignment], _ computed: [QueryValue]
  ) -> (Value?) throws -> Value {
    let replaces = arguments.has(SetCommand.replaceType)
    let (instance, now) = (database.instance, session.host.now())
    return { [moves, removals, isMany] old in
      var record = old ?? .empty
      for (source, goal) in moves {
        guard record[source] != nil else {
          // Among many there are some without it.
          if isMany { continue }
          throw KitError.propertyNotFound(id: id, path: source.description)
        }
        guard replaces || record[goal] == nil || UTF8Text.equal(source.description, goal.description) else {
          throw KitError.propertyExists(id: id, path: goal.description)
        }
        try record.rename(source, to: goal)
      }
      for path in removals { record.remove(at: path) }
      var values = computed[...]
      for one in assignments {
        try one.apply(
          to: &record, id: id, instance: instance, replacesType: replaces, now: now,
          computed: one.expression == nil ? nil : values.popFirst())
      }
      return record
    }
  }

  /// With the ids of the records that references name.
  private func named(_ all: [Assignment], _ database: Database) throws -> [Assignment] {
    if session.literalIDs { return all }
    return try all.map { try $0.naming { try database.records.find($0).id } }
  }

  /// The record to be changed: its id, and what a new one begins with.
  private func place(
    _ text: String, _ database: Database
  ) throws -> (id: String?, row: RecordRow?, first: RecordText.Match?) {
    do {
      let row = try database.records.find(text, literal: session.literalIDs)
      return (row.id, row, nil)
    } catch KitError.recordNotFound where arguments.has(SetCommand.create) {
      if !session.literalIDs, let match = try RecordText.Match(text) { return (nil, nil, match) }
      try Name.check(text)
      return (text, nil, nil)
    }
  }

  private static func move(_ text: String) throws -> (PropertyPath, PropertyPath) {
    guard let equals = text.firstIndex(of: "=") else {
      throw UsageFault.badValue(
        option: SetCommand.rename.dashed, value: text, expected: .choice(["of the form PATH=PATH"]))
    }
    return (try PropertyPath(String(text[..<equals])), try PropertyPath(String(text[text.index(after: equals)...])))
  }
}
