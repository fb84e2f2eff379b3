import SeaCore
import SeaKit

/// Tells what became of each record: `resolved TAB ID TAB REV`.
struct ResolveReport {
  private let context: Context
  private let database: Database
  private let dryRun: Bool
  /// Longer values are cut: the list is for seeing.
  private static let widest = 40

  init(_ context: Context, _ database: Database, dryRun: Bool) {
    self.context = context
    self.database = database
    self.dryRun = dryRun
  }

  func print(_ results: [Resolved], _ status: ExitStatus) throws {
    for one in results where one.open == nil {
      guard let revision = one.revision else {
        context.notice("\(one.id) is not in conflict")
        continue
      }
      if context.options.quiet { continue }
      if context.options.json {
        try event(one, revision)
      } else if dryRun {
        try context.line(context.shown(plan(one, revision)))
      } else {
        try context.item("resolved\t\(one.id)\t\(revision)")
      }
    }
    let open = results.compactMap(\.open)
    if !open.isEmpty { Failure.stillOpen(open).tell(context) }
    guard context.options.json, !context.options.quiet else { return }
    try context.summary(status) {
      $0.integer("resolved", results.count { $0.revision != nil })
      if !open.isEmpty { $0.integer("open", open.count) }
    }
  }

  /// What would be written: the values that somebody chose, and the names of what merges alone.
  private func plan(_ one: Resolved, _ revision: RevisionID) throws -> String {
    let head = "would write \(one.id) \(context.short(revision))"
    guard let content = one.content else { return head + ": deleted" }
    let paths = try database.conflicts.conflict(of: one.id)?.paths ?? []
    let texts = try paths.map { path in
      guard path.state == .clash else { return path.path.description }
      let value = try content[path.path]?.json() ?? "-"
      return "\(path.path) \(TextWidth.cut(value, to: ResolveReport.widest))"
    }
    return texts.isEmpty ? head : "\(head): \(texts.joined(separator: ", "))"
  }

  static func words(_ how: Settled.How) -> String {
    switch how {
    case .clean: "clean"
    case .policies(let policies): "policy:" + policies.map(\.rawValue).joined(separator: ",")
    case .program(let name): "driver:\(name)"
    case .manual: "manual"
    }
  }

  private func event(_ one: Resolved, _ revision: RevisionID) throws {
    try context.object {
      $0.text("event", "resolved")
      $0.text("id", one.id)
      $0.text("rev", revision.description)
      $0.texts("leaves", one.leaves.map(\.description))
      $0.text("how", ResolveReport.words(one.how))
      if one.isDeleted { $0.flag("deleted", true) }
      if dryRun { $0.flag("dry_run", true) }
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
