import SeaKit

/// The transactions of all instances, and the operations of this one, which can be undone.
enum OperationsPage {
  private static let most = 50
  /// A transaction with more changes does not name their records.
  private static let mostRecords = 4

  static func show(_ visit: Visit) async throws -> Answer {
    let position = try await visit.database.position()
    let operations = try await visit.database.history.operations(limit: most)
    var (own, all): ([HTML], [HTML]) = ([], [])
    for one in operations { own.append(try await item(one, visit.database)) }
    for one in try await visit.database.history.transactions(limit: most) {
      all.append(try await item(one, visit.database))
    }
    let (here, everywhere) = (own, all)
    return try await visit.page("History", at: position) {
      """
      <div class=head><h1>History</h1></div>
      <div class=two>
      <section aria-labelledby=own><h2 id=own>Changes made here</h2>
      <p class=quiet>Newest first. You can undo each one.</p>
      \(here.isEmpty ? nil : "<ol class=timeline>\(here)</ol>" as HTML?)\
      \(here.isEmpty ? "<p class=empty>Nothing was done here yet.</p>" as HTML? : nil)
      \(Fragments.command(CommandText("ops")))</section>
      <section aria-labelledby=everyone><h2 id=everyone>Changes of all instances</h2>
      <p class=quiet>Each one stands above those that its author knew. Records have their current names.</p>
      <ol class=timeline>\(everywhere)</ol>
      \(Fragments.command(CommandText("log")))</section>
      </div>
      """
    }
  }

  private static func item(_ operation: Database.History.Operation, _ database: Database) async throws -> HTML {
    let changes = operation.changes <= mostRecords ? try await database.history.changes(of: operation) : []
    let state: HTML? =
      operation.state == .done
      ? nil : "<span class=tag>\(operation.state == .undone ? "undone" : "partly undone")</span>"
    let undo: HTML? =
      operation.state == .undone
      ? nil
      : """
      <a href="\(Link("/undo", [("operation", operation.id)]))">Undo\
      <span class=hidden> \(operation.label ?? operation.id)</span></a>
      """
    return """
      <li><p class=event>\(try await what(changes.map { ($0.id, verb($0.effect)) }, operation.changes, database)) \
      \(state) \(Times.ago(operation.time)) \(undo)</p>\(Fragments.when(operation.time, operation.label))</li>
      """
  }

  private static func item(_ transaction: LoggedTransaction, _ database: Database) async throws -> HTML {
    var changes: [Database.Inspection.BlockContent.Change] = []
    if (1...mostRecords).contains(transaction.changes) {
      changes = try await database.inspection.block("\(transaction.author.id)/\(transaction.index)")?.changes ?? []
      // A merge also ends the branches that it has merged.
      changes = changes.filter { !$0.isDeletion } + changes.filter(\.isDeletion)
    }
    let what: HTML =
      transaction.index == 0
      ? "<strong>Started</strong>" : try await what(changes.map { ($0.id, verb($0)) }, transaction.changes, database)
    return """
      <li><p class=event>\(what) by \(Fragments.author(transaction.author)) \(Times.ago(transaction.time))</p>\
      \(Fragments.when(transaction.time, transaction.label))</li>
      """
  }

  /// The effects of a transaction with the names of its records, or the number of its changes if these are many.
  private static func what(
    _ changes: [(id: String, verb: String)], _ count: Int, _ database: Database
  ) async throws -> HTML {
    var seen: Set<String> = []
    let records = changes.filter { seen.insert($0.id).inserted }
    if records.isEmpty { return "<strong>\(count == 0 ? "No record changed" : Amount.count(count, "change"))</strong>" }
    var titles: [String: String] = [:]
    for (id, _) in records { titles[id] = try await title(id, database) }
    let parts: [HTML] = records.map {
      "<strong>\($0.verb)</strong> \(Fragments.link(to: $0.id, title: titles[$0.id] == $0.id ? nil : titles[$0.id]))"
    }
    return parts.joined(by: ", ")
  }

  /// The title of a record. A deleted one has that of its last state.
  private static func title(_ id: String, _ database: Database) async throws -> String? {
    if let record = try await database.record(id) { return Title.of(record) }
    return try await DeletedPage.lastState(id, database)?.record.flatMap(Title.of)
  }

  private static func verb(_ effect: Database.History.Effect) -> String {
    switch effect {
    case .created: "Created"
    case .updated: "Changed"
    case .deleted: "Deleted"
    case .restored: "Brought back"
    case .resolved: "Resolved"
    case .merged: "Merged"
    case .reopened: "Reopened the conflict of"
    }
  }

  private static func verb(_ change: Database.Inspection.BlockContent.Change) -> String {
    change.isDeletion ? "Deleted" : change.parent == nil ? "Created" : change.merged.isEmpty ? "Changed" : "Merged"
  }
}

/// Undoes an operation, after a confirmation that lists its changes.
enum UndoPage {
  private static let most = 30

  static func show(_ visit: Visit) async throws -> Answer {
    let operation = try await find(visit)
    let changes = try await changes(of: operation, visit.database)
    let records = changes.prefix(most).flatMap { [$0.record(\.old), $0.record(\.new)] }
    let titles = try await visit.database.read { try References.titles(of: records, $0) }
    return try await visit.page("Undo") {
      """
      <h1>Undo \(changes.count > 1 ? "\(Amount.count(changes.count)) changes" : "this change")?</h1>
      <p>It was done \(Times.ago(operation.time))\(operation.label.map { ": <bdi>\($0.cut(200))</bdi>" as HTML }). Undoing it writes new revisions with the earlier content. The \
      history keeps \
      everything, so you can undo this as well.</p>
      <ul class=changes>\(changes.prefix(most).map { item($0, titles) })</ul>
      \(changes.count > most ? "<p class=quiet>and \(Amount.count(changes.count - most, "more record"))</p>" as HTML? : nil)
      \(Fragments.confirm(
        visit, action: "/undo", fields: [("operation", operation.id)], button: "Undo", back: Link("/operations")))
      \(Fragments.command(CommandText("undo", operation.id)))
      """
    }
  }

  /// The change of one record by an operation.
  private struct Changed: Sendable {
    let change: Database.History.OperationChange
    var title: String

    /// The values that have changed, before or after the operation.
    func record(_ side: (PropertyDifference) -> Value?) -> Record {
      var record = Record(type: nil, id: change.id)
      for one in change.differences ?? [] where !one.name.hasPrefix("_") { record[one.name] = side(one) }
      return record
    }
  }

  /// The changes of an operation. A conflict that was resolved is one change, whatever happened to its sides.
  private static func changes(
    of operation: Database.History.Operation, _ database: Database
  ) async throws -> [Changed] {
    var seen: Set<String> = []
    let changes = try await database.history.changes(of: operation).filter {
      seen.insert($0.id).inserted || [.updated, .restored].contains($0.effect)
    }
    return try await database.read { transaction in
      try changes.enumerated().map { k, change in
        var changed = Changed(change: change, title: change.id)
        if k >= most { return changed }
        let records = [try transaction.record(change.id), changed.record(\.new), changed.record(\.old)]
        changed.title = records.compactMap { $0 }.lazy.compactMap(Title.of).first ?? change.id
        return changed
      }
    }
  }

  /// The operation of the address, or the newest one that is in effect.
  private static func find(_ visit: Visit) async throws -> Database.History.Operation {
    let wanted = visit.form.fields["operation"] ?? visit.query["operation"]
    let all = try await visit.database.history.operations(limit: 10_000)
    guard let found = all.first(where: { one in wanted.map { one.id == $0 } ?? (one.state == .done) }) else {
      throw Refusal(404, wanted == nil ? "there is nothing to undo" : "this instance has no such operation")
    }
    return found
  }

  private static func item(_ changed: Changed, _ titles: [String: String]) -> HTML {
    let change = changed.change
    let link: HTML = "<a href=\"\(Fragments.record(change.id))\"><bdi>\(changed.title.cut(80))</bdi></a>"
    switch change.effect {
    case .created: return "<li>\(link) will be deleted.</li>"
    case .deleted: return "<li>\(link) will be restored.</li>"
    case .resolved, .merged: return "<li>The conflict of \(link) returns.</li>"
    case .reopened: return "<li>The conflict of \(link) is resolved again.</li>"
    case .updated, .restored: break
    }
    let view = ValueView(id: change.id, titles: titles)
    let values: [HTML] = (change.differences ?? []).prefix(10).map { one in
      """
      <li><span class=name><bdi>\(one.name)</bdi></span> \(view.old(one.new)) <span aria-hidden=true>→\
      </span><span class=hidden>to</span> \(view.new(one.old))</li>
      """
    }
    return "<li>\(link) gets back:\(values.isEmpty ? nil : "<ul class=changes>\(values)</ul>" as HTML?)</li>"
  }

  static func undo(_ visit: Visit) async throws -> Answer {
    let operation = try await find(visit)
    let changes = try await changes(of: operation, visit.database)
    try await visit.database.history.undo(operation)
    let one = Set(changes.map(\.change.id)).count == 1 ? changes[0] : nil
    let of = one.map { " of \($0.title)" } ?? ""
    let note = Note(
      text: "Undone: \(operation.label ?? operation.id)\(of).", command: CommandText("undo", operation.id),
      link: ("Undo that", Link("/undo")))
    guard let change = one?.change else { return visit.done(Link("/operations"), note) }
    guard let record = try await visit.database.record(change.id) else {
      return visit.done(Fragments.records(change.type), note)
    }
    let isReopened = [.resolved, .merged].contains(change.effect) && !record.conflicts.isEmpty
    return visit.done(isReopened ? ConflictWords.link(record.id) : Fragments.record(record.id), note)
  }
}
