import SeaCore
import SeaEngine
import SeaWords

/// Tells what became of each record: `resolved TAB ID TAB REV`.
struct ResolveReport {
  let session: Session
  let database: Database
  /// Longer values are cut: the list is for seeing.
  private static let widest = 40

  func print(_ results: [Resolved]) throws {
    session.terminal.summarise(["resolved": .integer(results.count { $0.revision != nil })])
    for one in results where one.open == nil {
      guard let revision = one.revision else {
        session.terminal.notice("\(one.id) is not in conflict")
        continue
      }
      if session.options.json {
        try session.terminal.report("resolved", item(one, revision)) { [] }
      } else if session.terminal.isDryRun {
        try session.terminal.remark(plan(one, revision))
      } else if !session.options.quiet {
        try session.terminal.item("resolved\t\(one.id)\t\(revision.seen(at: session.terminal))")
      }
      if one.left > 0 {
        let rest = one.left == 1 ? "1 leaf disagrees" : "\(one.left) leaves disagree"
        session.terminal.notice(
          "\(one.id) is in conflict still: \(rest), more than one revision takes in; resolve it again")
      }
    }
    let open = results.compactMap(\.open)
    if open.isEmpty { return }
    Failure.stillOpen(open).tell(session.terminal)
    session.terminal.summarise(["open": .integer(open.count)])
  }

  /// What would be written: the values that somebody chose, and the names of what merges alone.
  private func plan(_ one: Resolved, _ revision: RevisionID) throws -> String {
    let head = "would write \(one.id) \(session.terminal.short(revision))"
    guard let content = one.content else { return head + ": deleted" }
    let paths = try database.conflicts.conflict(of: one.id, inShort: true)?.paths ?? []
    let texts = try paths.map { path in
      guard path.state == .clash else { return path.path.description }
      let value = try content[path.path].map { try $0.summary ?? $0.json() } ?? "-"
      return "\(path.path) \(TextWidth.cut(value, to: ResolveReport.widest))"
    }
    return texts.isEmpty ? head : "\(head): \(texts.joined(separator: ", "))"
  }

  private func item(_ one: Resolved, _ revision: RevisionID) -> Item {
    [
      "id": .id(one.id), "rev": .id(revision), "leaves": .texts(one.leaves), "how": .text(one.how.words),
      "deleted": .mark(one.isDeleted), "left": one.left > 0 ? .integer(one.left) : .absent,
    ]
  }
}

extension Settled.How {
  var words: String {
    switch self {
    case .clean: "clean"
    case .policies(let policies): "policy:" + policies.map(\.rawValue).joined(separator: ",")
    case .program(let name): "driver:\(name)"
    case .manual: "manual"
    }
  }
}

extension ResolutionEdit {
  /// Nil without assignments. A place within a property does not decide what becomes of the whole of it.
  init?(_ assignments: [Assignment], _ instance: UUID, _ now: Milliseconds) {
    if assignments.isEmpty { return nil }
    let decided = assignments.filter { $0.path.names.count == 1 }.compactMap { $0.path.names.first }
    self.init(properties: decided) { id, content in
      var record = content
      for one in assignments { try one.apply(to: &record, id: id, instance: instance, replacesType: true, now: now) }
      return record
    }
  }
}
