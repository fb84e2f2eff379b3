import SeaCore
import SeaEngine
import SeaSystem

/// Finds completion candidates in the database. Neither locks the database nor reads containers.
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
      return try database.containers.heads().filter(\.branch.isMainBranch).map { head in
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

  private func bundles(_ start: String) throws -> Found {
    let folder = start.lastIndex(of: "/").map { String(start[...$0]) } ?? ""
    let entries = try Directory(session.path(folder.isEmpty ? "." : folder)).list().entries
    return entries.map(\.name).filter { !$0.hasPrefix(".") && $0.containsText(".sea.tar") }.sorted().map {
      (folder + $0, "")
    }
  }
}

// Completes properties and settings.

extension Candidates {
  /// Returns the properties of the record on the command line, and then those of other records of its type. Without a
  /// record, returns the properties of the type on the command line, or of all types.
  func paths(_ start: String, _ database: Database) throws -> [String] {
    var found: [PropertyPath] = []
    var type = context?.type
    if let id = context?.record.map({ $0.split(separator: "@").first.map(String.init) ?? $0 }),
      let row = try? database.records.find(id), let view = try database.records.view(row.id)
    {
      type = view.type
      let value = try? view.body?.withUnsafeBufferPointer { try Value.decode(body: $0) }
      if let value { Candidates.add(value, [], to: &found) }
    }
    found += try database.queries.propertyNames(of: type).sorted().map { PropertyPath(names: [$0]) }
    // Only a JSON pointer begins with a slash.
    let isPointer = start.hasPrefix("/")
    var seen: Set<String> = []
    let texts = found.map { isPointer ? $0.pointer : $0.description }
    return Array(texts.filter { $0.hasPrefix(start) && seen.insert($0).inserted }.prefix(Candidates.most))
  }

  private static func add(_ value: Value, _ above: [String], to found: inout [PropertyPath]) {
    guard case .dictionary(let members) = value, above.count < 4 else { return }
    for member in members.entries where found.count < 10 * most {
      let names = above + [member.key]
      found.append(PropertyPath(names: names))
      add(member.value, names, to: &found)
    }
  }

  func list(_ start: String, _ database: Database) throws -> Found {
    var head = start.lastIndex(of: ",").map { String(start[...$0]) } ?? ""
    var last = String(start.dropFirst(head.count))
    if last.hasPrefix("-") {
      head += "-"
      last.removeFirst()
    }
    let given = Set(start.split(separator: ",").map(String.init))
    let fields = ["_id", "_type", "_rev"].filter { $0.hasPrefix(last) && !last.isEmpty }
    return try (paths(last, database) + fields).filter { !given.contains($0) || $0 == last }.map { (head + $0, "") }
  }

  func choices(_ start: String) -> Found {
    let head = start.lastIndex(of: "=").map { String(start[...$0]) } ?? ""
    let drivers = ((try? named("driver")) ?? []).map { "driver:\($0)" }
    return (ValueKind.choices + drivers).map { (head + $0, "") }
  }

  func types(of start: String) -> Found {
    guard !start.contains("="), let colon = start.lastIndex(of: ":") else { return [] }
    return Assignment.types.map { (String(start[...colon]) + $0 + "=", "") }
  }

  // MARK: Settings

  /// Returns the middle parts of the setting names in a section, such as NAME in `driver.NAME.command`.
  func named(_ section: String) throws -> [String] {
    Set(
      try session.config(sharing: section + ".").entries().filter { $0.key.section == section }.compactMap(
        \.key.subsection)
    ).sorted()
  }

  /// - Parameter values: whether to also complete `NAME=VALUE`.
  func settings(_ start: String, values: Bool = false) throws -> Found {
    if values, let equals = start.firstIndex(of: "=") {
      let head = String(start[...equals])
      return setting(of: String(start[..<equals])).map { (head + $0.word, $0.meaning) }
    }
    if let action = context?.operands.first, !values, !["get", "set", "unset"].contains(action) { return [] }
    var types: [String: Set<String>] = [:]
    // Only the names of these settings contain types.
    if start.hasPrefix("merge.") || start.hasPrefix("type."), let database = try? session.reading() {
      defer { database.close() }
      types = try database.queries.propertyNames()
    }
    var found: Found = []
    for kind in SettingKind.all {
      for name in try names(kind, start, types) { found.append((name + (values ? "=" : ""), kind.explanation)) }
    }
    return found
  }

  private func names(_ kind: SettingKind, _ start: String, _ types: [String: Set<String>]) throws -> [String] {
    let (beginning, name) = (kind.section + ".", kind.name)
    guard let middle = kind.middle else { return [beginning + name] }
    guard start.hasPrefix(beginning) || beginning.hasPrefix(start) else { return [] }
    if middle == .name { return try named(kind.section).map { "\(beginning)\($0).\(name)" } }
    let all = types.sorted { $0.key < $1.key }
    if middle == .type { return [beginning + name] + all.map { "\(beginning)\($0.key).\(name)" } }
    return all.flatMap { type, properties in
      properties.sorted().map { "\(beginning)\(type)/\(PropertyPath(names: [$0])).\(name)" }
    }
  }

  func setting(value start: String) -> Found {
    guard context?.operands.first == "set", let name = context?.operands.dropFirst().first else { return [] }
    return setting(of: name)
  }

  private func setting(of name: String) -> Found {
    guard let kind = ConfigKey(name).flatMap(SettingKind.of) else { return [] }
    if kind.name == "driver" || kind.name == "tool" { return ((try? named(kind.name)) ?? []).map { ($0, "") } }
    let builtin = Config.builtin.first { $0.name == kind.pattern }?.value
    return kind.rule.choices.map { ($0, $0 == builtin ? "unless set" : "") }
      + (builtin.map { kind.rule.choices.contains($0) ? [] : [($0, "unless set")] } ?? [])
  }
}
