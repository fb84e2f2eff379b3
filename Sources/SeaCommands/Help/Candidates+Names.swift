import SeaCore
import SeaEngine
import SeaWords

// Properties of records, and settings.

extension Candidates {
  /// The paths into the record at hand, then those of its type; else those of the type that is named, or of all.
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
    // A pointer begins with a slash, and a name with none.
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

  /// The last of several paths with commas between, each of which may have a minus before it.
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

  /// Behind `PATH=` what settles a clash there.
  func choices(_ start: String) -> Found {
    let head = start.lastIndex(of: "=").map { String(start[...$0]) } ?? ""
    let drivers = ((try? named("driver")) ?? []).map { "driver:\($0)" }
    return (ValueKind.choices + drivers).map { (head + $0, "") }
  }

  /// Behind `KEY:` the types of values.
  func types(of start: String) -> Found {
    guard !start.contains("="), let colon = start.lastIndex(of: ":") else { return [] }
    return Assignment.types.map { (String(start[...colon]) + $0 + "=", "") }
  }

  // MARK: Settings

  /// The names that settings of a section have in them.
  func named(_ section: String) throws -> [String] {
    Set(try session.config().entries().filter { $0.key.section == section }.compactMap(\.key.subsection)).sorted()
  }

  /// - Parameter values: whether a value follows behind `=`.
  func settings(_ start: String, values: Bool = false) throws -> Found {
    if values, let equals = start.firstIndex(of: "=") {
      let head = String(start[...equals])
      return setting(of: String(start[..<equals])).map { (head + $0.word, $0.meaning) }
    }
    if let action = context?.operands.first, !values, !["get", "set", "unset"].contains(action) { return [] }
    var types: [String: Set<String>] = [:]
    // Only these have types in them.
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
    var found = middle == .place ? [beginning + name] + all.map { "\(beginning)\($0.key).\(name)" } : []
    // What is merged as one is so in all records of a type.
    if name == "atomic" { return found }
    for (type, properties) in all where middle == .property || start.hasPrefix("\(beginning)\(type)/") {
      found += properties.sorted().map { "\(beginning)\(type)\(PropertyPath(names: [$0]).pointer).\(name)" }
    }
    return found
  }

  /// The value of the setting that stands before.
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
