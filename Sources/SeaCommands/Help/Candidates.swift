import SeaKit
import SeaCore

/// What the database of this run can offer to complete a word: names as they are now, found without a lock and without
/// looking at a container.
enum Candidates {
  private static let most = 200

  static func find(_ kind: ValueKind, _ start: String, _ session: Session) throws -> [(word: String, meaning: String)] {
    switch kind {
    case .record, .revision, .type, .container, .instance, .block, .member, .operation: break
    default: return []
    }
    let database = try session.reading()
    defer { database.close() }
    switch kind {
    case .record: return try records(start, database)
    case .type:
      return try database.records.types().compactMap { one in
        one.type.map { ($0, one.count == 1 ? "1 record" : "\(one.count) records") }
      }
    case .container: return try database.containers.settings().map { ($0.name, $0.location) }
    case .instance, .block:
      let names = try database.members.names()
      return try database.containers.heads().filter(\.branch.isTrunk).map { head in
        (names[head.instance] ?? "", "\(head.instance), block \(head.index)")
      }
    case .member:
      return try database.access.instances().map { one in
        let name = one.name.isEmpty ? one.instance.description : one.name
        return (name, [one.state.rawValue, one.role?.rawValue].compactMap { $0 }.joined(separator: ", "))
      }
    case .operation: return try operations(database, session)
    default: return []
    }
  }

  private static func operations(_ database: Database, _ session: Session) throws -> [(word: String, meaning: String)] {
    var found: [(word: String, meaning: String)] = []
    try database.history.forEachOperation { one in
      found.append((session.terminal.short(one), "@{\(one.number)} \(one.block.label ?? "")"))
      return found.count < most
    }
    return found
  }

  private static func records(_ start: String, _ database: Database) throws -> [(word: String, meaning: String)] {
    try database.records.rows(prefix: start, limit: most).filter { !$0.isDeleted }.map { ($0.id, $0.type ?? "") }
  }
}
