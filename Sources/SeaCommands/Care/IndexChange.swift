import SeaCore
import SeaEngine
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
    guard parts.count == 2, let definition = IndexDefinition(kind, parts[1]) else {
      throw CommandError.badIndex(text, .form)
    }
    guard WantedIndex.isName(parts[0]) else { throw CommandError.badIndex(parts[0], .name) }
    if let own = definition.paths.first(where: { $0.names.count == 1 && Selection.fields.contains($0.names[0]) }) {
      throw CommandError.badIndex(own.names[0], .field)
    }
    try check(definition)
    return try database.indexes.adding(parts[0], definition, isShared: isShared)
  }

  /// What nobody has may be to come; what is much like a type or property that there is, is a slip.
  private func check(_ definition: IndexDefinition) throws {
    try session.check(type: definition.type, in: database)
    session.terminal.tell(try database.queries.unknown(definition.paths, of: definition.type))
  }

  func removing(_ name: String) throws -> IndexSettings { try database.indexes.removing(name, isShared: isShared) }

  /// Brings the indexes in step with the settings, and tells what was done.
  func follow(_ change: IndexSettings?) throws -> ExitStatus {
    let wanted = try database.indexes.wanted(change)
    if let change, !isDry {
      try database.indexes.set(change)
      session.loadedConfig = nil
    }
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
