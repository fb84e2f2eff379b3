import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

/// What `sea reindex` does with indexes: the settings say which are wanted, and the store follows.
struct IndexChange {
  let session: Session
  let database: Database
  let isShared: Bool
  let isDry: Bool

  /// Wants an index.
  /// - Parameter text: `NAME=TYPE:PATH[,PATH]...`.
  func adding(_ text: String, _ kind: IndexDefinition.Kind) throws -> IndexSettings {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, WantedIndex.isName(parts[0]), let definition = IndexDefinition(kind, parts[1]),
      let key = WantedIndex.key(parts[0], kind), let other = WantedIndex.key(parts[0], kind == .text ? .values : .text)
    else { throw ConfigError.badIndex(key: "reindex", value: text, origin: ConfigOrigin(.command)) }
    try check(definition)
    // One whose name differs in case alone is replaced, too.
    let twins = try all().filter { $0.isCalled(parts[0]) && $0.name != parts[0] }.flatMap { keys($0.name) }
    return IndexSettings([(key, definition.description), (other, nil)] + twins, isShared: isShared)
  }

  /// What nobody has may be to come; what is much like a type or property that there is, is a slip.
  private func check(_ definition: IndexDefinition) throws {
    try session.check(type: definition.type, in: database)
    session.terminal.tell(try database.queries.unknown(definition.paths, of: definition.type))
  }

  /// Those with settings of the scope that is meant.
  private func all() throws -> [WantedIndex] {
    try isShared ? database.indexes.shared() : database.indexes.wanted().filter { !$0.isShared }
  }

  private func keys(_ name: String) -> [(key: ConfigKey, value: String?)] {
    [IndexDefinition.Kind.values, .text].compactMap { WantedIndex.key(name, $0).map { ($0, nil) } }
  }

  func removing(_ name: String) throws -> IndexSettings {
    if let one = try all().first(where: { $0.isCalled(name) }) {
      return IndexSettings(keys(one.name), isShared: isShared)
    }
    let others = try isShared ? database.indexes.wanted() : database.indexes.shared()
    guard let other = others.first(where: { $0.isCalled(name) }) else { throw ConfigError.noIndex(name) }
    throw ConfigError.otherIndex(other.name, isShared: !isShared)
  }

  private func write(_ settings: IndexSettings) throws {
    guard !isShared else {
      for (key, value) in settings.values { try database.sharedSettings.set(key, value) }
      return
    }
    try database.locked {
      var file = try ConfigSources.read(Path.join(database.path, SeaFolder.configName))
      for (key, value) in settings.values {
        if let value { try file.set(key, value) } else { _ = try file.unset(key, all: true) }
      }
      try file.save()
    }
    session.loadedConfig = nil
  }

  /// Brings the indexes in step with the settings, and tells what was done.
  func follow(_ change: IndexSettings?) throws -> ExitStatus {
    let wanted = try database.indexes.wanted(change)
    if let change, !isDry { try write(change) }
    let changes = try database.indexes.follow(wanted, dryRun: isDry)
    for name in changes.ended {
      try session.terminal.report(isDry ? "would-unindex" : "unindexed", ["name": .text(name)]) {
        "index \(name): \(isDry ? "would end" : "ended")"
      }
    }
    for one in wanted where changes.made.contains(one.name) {
      try session.terminal.report(isDry ? "would-index" : "indexed", item(one)) {
        "index \(one.name): \(isDry ? "would be made" : "made")"
      }
    }
    session.terminal.summarise(["made": .integer(changes.made.count), "ended": .integer(changes.ended.count)])
    return .success
  }

  func list() throws -> ExitStatus {
    let list = try Listing(
      session.terminal,
      [
        Column("NAME", "name"), Column("KIND", "kind"), Column("TYPE", "type"), Column("PATHS", "paths"),
        Column("SCOPE", "scope"), Column("MADE", "made"),
      ])
    for one in try database.indexes.wanted() {
      var item = item(one)
      item["made"] = .truth(try database.indexes.has(one))
      try list.add(item)
    }
    try list.end()
    return .success
  }

  private func item(_ one: WantedIndex) -> Item {
    [
      "name": .text(one.name), "kind": .text(one.definition.kind == .text ? "text" : "values"),
      "type": .text(one.definition.type), "paths": .texts(one.definition.paths.map(\.pointer)),
      "scope": .text(one.isShared ? "shared" : "local"),
    ]
  }
}
