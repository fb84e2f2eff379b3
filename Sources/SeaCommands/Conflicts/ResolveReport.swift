import SeaCore
import SeaKit

/// Tells what became of each record: `resolved TAB ID TAB REV`.
struct ResolveReport {
  private let context: Context
  private let dryRun: Bool

  init(_ context: Context, dryRun: Bool) {
    self.context = context
    self.dryRun = dryRun
  }

  func print(_ results: [Database.Resolved]) throws {
    for one in results {
      guard let revision = one.revision else {
        context.notice("\(one.id) is not in conflict")
        continue
      }
      if context.options.quiet { continue }
      try context.options.json ? event(one, revision) : context.item("resolved\t\(one.id)\t\(revision)")
    }
    guard context.options.json, !context.options.quiet else { return }
    try context.object {
      $0.text("event", "summary")
      $0.flag("ok", true)
      $0.integer("resolved", results.count { $0.revision != nil })
      $0.integer("exit", 0)
    }
  }

  static func words(_ how: Settled.How) -> String {
    switch how {
    case .clean: "clean"
    case .policies(let policies): "policy:" + policies.map(\.rawValue).joined(separator: ",")
    case .program(let name): "driver:\(name)"
    case .manual: "manual"
    }
  }

  private func event(_ one: Database.Resolved, _ revision: RevisionID) throws {
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
