import SeaEngine
import SeaCore

struct ConflictLines {
  private let session: Session
  /// The maximum number of conflicts to show. Further conflicts are only counted; `sea conflicts` lists them.
  private static let most = 20

  private let event: ConflictEvent

  init(_ session: Session, _ database: Database) throws {
    self.session = session
    event = ConflictEvent(names: try database.members.names())
  }

  func report(_ ids: [String], in database: Database) throws {
    if ids.isEmpty || session.options.porcelain || session.options.quiet { return }
    var shown = 0
    try database.conflicts.forEach(among: ids) { conflict in
      try session.terminal.show(event.item(conflict), wraps: true) { [words(conflict)] }
      shown += 1
      return session.options.json || shown < ConflictLines.most
    }
    let count = try database.conflicts.count(among: ids)
    if count > ConflictLines.most { try session.terminal.remark("and \(count - ConflictLines.most) more") }
    if count > 0 {
      try session.terminal.remark("\(Count(count, "new conflict")). To list conflicts, run: sea conflicts")
    }
  }

  private func words(_ conflict: Conflict) -> String {
    let clashes = conflict.paths.filter { $0.state == .clash }.map(\.pointer)
    let merging = conflict.paths.filter { $0.state == .merges }.map(\.pointer)
    var text = "CONFLICT \(conflict.row.type ?? "-") \(conflict.row.id) \(conflict.kind.rawValue)"
    if !clashes.isEmpty { text += ": " + (clashes + (conflict.isCut ? ["…"] : [])).joined(separator: " ") }
    if !merging.isEmpty {
      text += "   (\(merging.joined(separator: " ")) merge\(merging.count == 1 ? "s" : "") automatically)"
    }
    return text
  }
}
