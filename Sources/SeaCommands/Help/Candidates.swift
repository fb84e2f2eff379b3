import SeaEngine
import SeaCore
import SeaSystem

/// What the database of this run can offer to complete a word: names as they are now, found without a lock and without
/// looking at a container.
package struct Candidates {
  package typealias Found = [(word: String, meaning: String)]

  static let most = 200
  let session: Session
  let context: CompletionContext?

  package init(_ session: Session, _ context: CompletionContext?) {
    self.session = session
    self.context = context
  }

  package func find(_ kind: ValueKind, _ start: String) throws -> Found {
    switch kind {
    case .configKey: return try settings(start)
    case .setting: return try settings(start, values: true)
    case .settingValue: return setting(value: start)
    case .index: return try named("index").map { ($0, "") }
    case .bundle: return try bundles(start)
    case .pick where start.contains("="): return choices(start)
    case .assignment where start.contains(":"): return types(of: start)
    default: break
    }
    let database = try session.reading()
    defer { database.close() }
    switch kind {
    case .record: return try start.contains("@") ? revisions(start, database) : records(start, database)
    case .revision where context?.isOption == true: return try revisions(of: context?.record, database)
    case .revision: return try start.contains("@") ? revisions(start, database) : records(start, database)
    case .contested: return try contested(start, database)
    case .path: return try paths(start, database).map { ($0, "") }
    case .paths: return try list(start, database)
    case .assignment, .pick: return try paths(start, database).map { ("\($0)=", "") }
    case .type:
      return try database.records.types().compactMap { one in
        one.type.map { ($0, one.count == 1 ? "1 record" : "\(one.count) records") }
      }
    case .container, .place: return try database.containers.settings().map { ($0.name, $0.shownLocation) }
    case .instance, .block:
      let names = try database.members.names()
      return try database.containers.heads().filter(\.branch.isTrunk).map { head in
        (names[head.instance] ?? head.instance.description, "\(head.instance), block \(head.index)")
      }
    case .member:
      return try database.access.instances().map { one in
        let name = one.name.isEmpty ? one.instance.description : one.name
        return (name, [one.state.rawValue, one.role?.rawValue].compactMap { $0 }.joined(separator: ", "))
      }
    case .operation: return try operations(database)
    case .history:
      if start.contains("@"), !start.hasPrefix("@") { return try revisions(start, database) }
      return try operations(database) + (start.isEmpty ? [] : records(start, database))
    default: return []
    }
  }

  private func operations(_ database: Database) throws -> Found {
    var found: Found = []
    try database.history.forEachOperation { one in
      found.append((session.terminal.short(one), "@{\(one.number)} \(one.block.label ?? "")"))
      return found.count < Candidates.most
    }
    return found
  }

  private func records(_ start: String, _ database: Database) throws -> Found {
    try database.records.rows(prefix: start, limit: Candidates.most).filter { !$0.isDeleted }.map {
      ($0.id, $0.type ?? "")
    }
  }

  private func contested(_ start: String, _ database: Database) throws -> Found {
    if start.contains("@") { return [] }
    return try database.conflicts.ids(type: context?.type).filter { $0.hasPrefix(start) }.map { ($0, "") }
  }

  // MARK: Revisions

  /// `RECORD@` and a revision of it.
  private func revisions(_ start: String, _ database: Database) throws -> Found {
    guard !session.literalIDs, let at = start.lastIndex(of: "@") else { return [] }
    let id = String(start[..<at])
    return try revisions(of: id, database).map { ("\(id)@\($0.word)", $0.meaning) }
  }

  private func revisions(of id: String?, _ database: Database) throws -> Found {
    guard let id, let row = try? database.records.find(id) else { return [] }
    var found: Found = []
    try database.history.forEachEvent(of: row) { event in
      let when = event.author.map { "\(session.terminal.text($0.time)) \($0.label ?? "")" } ?? ""
      found.append((session.terminal.short(event.leaf.revision), when))
      return found.count < Candidates.most
    }
    return found
  }

  // MARK: Files

  /// Files in the folder that is named so far whose names are those of bundles.
  private func bundles(_ start: String) throws -> Found {
    let folder = start.lastIndex(of: "/").map { String(start[...$0]) } ?? ""
    let entries = try Directory(session.path(folder.isEmpty ? "." : folder)).list().entries
    return entries.map(\.name).filter { !$0.hasPrefix(".") && $0.holds(".sea.tar") }.sorted().map {
      (folder + $0, "")
    }
  }
}
