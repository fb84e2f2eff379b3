import SeaKit

/// The transactions of all instances, and the operations of this one, which can be undone.
enum OperationsPage {
  private static let most = 50

  static func show(_ visit: Visit) async throws -> Answer {
    let position = try await visit.database.position()
    let operations = try await visit.database.history.operations(limit: most)
    var items: [HTML] = []
    for one in operations { items.append(item(one, try await records(of: one, visit.database))) }
    let own = items
    let transactions = try await visit.database.history.transactions(limit: most)
    return try await visit.page("History", at: position) {
      """
      <div class=head><h1>History</h1></div>
      <div class=two>
      <section aria-labelledby=own><h2 id=own>Operations of this instance</h2>
      <p class=quiet>What was done here, newest first. You can undo each one.</p>
      \(own.isEmpty ? nil : "<ol class=timeline>\(own)</ol>" as HTML?)\
      \(own.isEmpty ? "<p class=empty>Nothing was done here yet.</p>" as HTML? : nil)
      \(Fragments.command(CommandText("ops")))</section>
      <section aria-labelledby=everyone><h2 id=everyone>Transactions of all instances</h2>
      <p class=quiet>Everything that has arrived here, newest first.</p>
      <ol class=timeline>\(transactions.map(item))</ol>
      \(Fragments.command(CommandText("log")))</section>
      </div>
      """
    }
  }

  /// The records of an operation that changed only a few.
  private static func records(of operation: Database.History.Operation, _ database: Database) async throws -> HTML? {
    guard (1...3).contains(operation.changes) else { return nil }
    let ids = try await database.history.changes(of: operation).map(\.id)
    let links = try await database.read { transaction in
      try ids.map { id in Fragments.link(to: id, title: try transaction.record(id).flatMap(Title.of)) }
    }
    return "<p>\(links.joined(by: ", "))</p>"
  }

  private static func item(_ operation: Database.History.Operation, _ records: HTML?) -> HTML {
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
      <li><p class=event><strong><bdi>\(operation.label ?? "change")</bdi>\
      </strong> \(state) \(Times.ago(operation.time)) \
      <span class=quiet>\(Amount.count(operation.changes, "change"))</span> \(undo)</p>\(records)</li>
      """
  }

  private static func item(_ transaction: LoggedTransaction) -> HTML {
    """
    <li><p class=event><strong><bdi>\(transaction.label ?? "change")</bdi>\
    </strong> by \(Fragments.author(transaction.author)) \
    \(Times.ago(transaction.time)) <span class=quiet>\(Amount.count(transaction.changes, "change"))</span></p></li>
    """
  }
}

/// Undoes an operation, after a confirmation that lists its changes.
enum UndoPage {
  private static let most = 30

  static func show(_ visit: Visit) async throws -> Answer {
    let operation = try await find(visit)
    let changes = try await visit.database.history.changes(of: operation)
    return try await visit.page("Undo") {
      """
      <h1>Undo <bdi>\(operation.label ?? "this operation")</bdi>?</h1>
      <p>It was done \(Times.ago(operation.time)). Undoing it writes new revisions with the earlier content. The \
      history keeps \
      everything, so you can undo this as well.</p>
      <ul class=changes>\(changes.prefix(most).map(item))</ul>
      \(changes.count > most ? "<p class=quiet>and \(Amount.count(changes.count - most, "more record"))</p>" as HTML? : nil)
      \(Fragments.confirm(
        visit, action: "/undo", fields: [("operation", operation.id)], button: "Undo", back: Link("/operations")))
      \(Fragments.command(CommandText("undo", operation.id)))
      """
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

  private static func item(_ change: Database.History.OperationChange) -> HTML {
    let link = Fragments.link(to: change.id, title: nil)
    let what: HTML =
      switch change.effect {
      case .created: "will be deleted"
      case .deleted: "will be restored"
      default: "gets back:"
      }
    let values: [HTML] = (change.effect == .created || change.effect == .deleted ? [] : change.differences ?? [])
      .prefix(10).map { one in
        func shown(_ value: Value?) -> HTML {
          value.map { "<bdi>\($0.fieldText.cut(120))</bdi>" } ?? "<span class=quiet>none</span>"
        }
        return
          """
          <li><span class=name><bdi>\(one.name)</bdi></span> <del>\(shown(one.new))</del> <span aria-hidden=true>→\
          </span><span class=hidden>to</span> <ins>\(shown(one.old))</ins></li>
          """
      }
    return "<li>\(link) \(what)\(values.isEmpty ? nil : "<ul class=changes>\(values)</ul>" as HTML?)</li>"
  }

  static func undo(_ visit: Visit) async throws -> Answer {
    let operation = try await find(visit)
    let undone = try await visit.database.history.undo(operation)
    let note = Note(
      text: "Undone: \(operation.label ?? operation.id).", command: CommandText("undo", operation.id),
      link: ("Undo that", Link("/undo")))
    guard undone.records.count == 1, let record = undone.records.first else {
      return visit.done(Link("/operations"), note)
    }
    return visit.done(Fragments.record(record.id), note)
  }
}
