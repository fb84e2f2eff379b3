import SeaKit

/// Tells of records that came into conflict.
struct ConflictLines {
  private let context: Context
  /// More are counted only: a person reads the list with `sea conflicts`.
  private static let most = 20

  init(_ context: Context) { self.context = context }

  /// Of the records with these ids, those that are in conflict now.
  func report(_ ids: [String], in database: Database) throws {
    if ids.isEmpty || context.options.porcelain || (context.options.quiet && !context.options.json) { return }
    var count = 0
    var seen: Set<[UInt8]> = []
    for id in ids where seen.insert(Array(id.utf8)).inserted {
      guard try database.isInConflict(id) else { continue }
      count += 1
      guard context.options.json || count <= ConflictLines.most else { continue }
      if let conflict = try database.conflict(ofRecord: id) { try show(conflict) }
    }
    if context.options.json { return }
    if count > ConflictLines.most { try context.line("and \(count - ConflictLines.most) more") }
    if count > 0 {
      try context.line("\(Count(count, "new conflict")), each with a winner meanwhile. See: sea conflicts")
    }
  }

  private func show(_ conflict: Conflict) throws {
    if context.options.json { return try event(conflict) }
    let clashes = conflict.paths.filter { $0.state == .clash }.map(\.pointer)
    let merging = conflict.paths.filter { $0.state == .merges }.map(\.pointer)
    var text = "CONFLICT \(conflict.row.type ?? "-") \(conflict.row.id) \(conflict.kind.rawValue)"
    if !clashes.isEmpty { text += ": " + clashes.joined(separator: " ") }
    if !merging.isEmpty { text += "   (\(merging.joined(separator: " ")) merge\(merging.count == 1 ? "s" : "") alone)" }
    try context.line(context.shown(text))
  }

  private func event(_ conflict: Conflict) throws {
    try context.object {
      $0.text("event", "conflict")
      $0.text("id", conflict.row.id)
      $0.text("type", conflict.row.type)
      $0.text("kind", conflict.kind.rawValue)
      $0.text("winner", conflict.sides[0].leaf.revision.description)
      $0.texts("leaves", conflict.sides.map { $0.leaf.revision.description })
      $0.text("base", conflict.base?.leaf.revision.description)
    }
  }
}
