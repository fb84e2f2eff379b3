import SeaKit

/// Tells of records that came into conflict.
struct ConflictLines {
  private let context: Context
  /// More are counted only: a person reads the list with `sea conflicts`.
  private static let most = 20

  private let event: ConflictEvent

  init(_ context: Context, _ database: Database) throws {
    self.context = context
    event = ConflictEvent(try database.instanceNames())
  }

  /// Of the records with these ids, those that are in conflict now.
  func report(_ ids: [String], in database: Database) throws {
    if ids.isEmpty || context.options.porcelain || (context.options.quiet && !context.options.json) { return }
    let count = try database.conflicts.count(among: ids)
    var shown = 0
    try database.conflicts.forEach(among: ids) { conflict in
      try show(conflict)
      shown += 1
      return context.options.json || shown < ConflictLines.most
    }
    if context.options.json { return }
    if count > ConflictLines.most { try context.line("and \(count - ConflictLines.most) more") }
    if count > 0 {
      try context.line("\(Count(count, "new conflict")), each with a winner meanwhile. See: sea conflicts")
    }
  }

  private func show(_ conflict: Conflict) throws {
    if context.options.json { return try context.object(event.object(conflict)) }
    let clashes = conflict.paths.filter { $0.state == .clash }.map(\.pointer)
    let merging = conflict.paths.filter { $0.state == .merges }.map(\.pointer)
    var text = "CONFLICT \(conflict.row.type ?? "-") \(conflict.row.id) \(conflict.kind.rawValue)"
    if !clashes.isEmpty { text += ": " + clashes.joined(separator: " ") }
    if !merging.isEmpty { text += "   (\(merging.joined(separator: " ")) merge\(merging.count == 1 ? "s" : "") alone)" }
    try context.line(context.shown(text))
  }
}
