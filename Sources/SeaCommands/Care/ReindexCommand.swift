import SeaCore
import SeaEngine

enum ReindexCommand: Command {
  static var title: Title {
    Title("reindex", .care, .porcelain, needs: [.database, .lock], "add or remove indexes, or rebuild the local index")
  }
  static var synopsis: [String] {
    [
      "[-n]", "--add=INDEX [--shared] [-n]", "--add-text=INDEX [--shared] [-n]",
      "--remove=NAME [--shared] [-n]", "--list", "--projection [-n]",
    ]
  }
  static let add = Option("add", nil, .text, "INDEX", "add a value index: NAME=TYPE:PATHS")
  static let addText = Option("add-text", nil, .text, "INDEX", "add a full-text index: NAME=TYPE:PATHS")
  static let remove = Option("remove", nil, .index, "NAME", "remove an index")
  static let shared = Option("shared", help: "share the index with all instances")
  static let list = Option("list", help: "list the indexes")
  static let projection = Option("projection", help: "rebuild the local index from all blocks")
  static var options: [Option] { [add, addText, remove, shared, list, projection, .dryRun] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "no index NAME"),
      Exit(.corrupt, "a chain is damaged; nothing was changed"),
      Exit(.badData, "INDEX is invalid, or there are too many indexes"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let chosen = try arguments.only(of: [add, addText, remove, list, projection])
    if arguments.has(shared), chosen.map({ [list.key, projection.key].contains($0.key) }) ?? true {
      throw UsageFault.excluded(["--shared", chosen?.dashed ?? "no --add or --remove"])
    }
    if arguments.has(list), arguments.has(.dryRun) { throw UsageFault.excluded(["--list", "--dry-run"]) }
    let isDry = arguments.has(.dryRun)
    let database = isDry || arguments.has(list) ? try session.reading() : try session.writing(as: self)
    guard !arguments.has(projection) else { return try rebuild(session, database, isDry) }
    let change = IndexChange(
      session: session, database: database, isShared: arguments.has(shared), isDry: isDry)
    if arguments.has(list) { return try change.list() }
    var settings: IndexSettings?
    if let text = arguments.text(add) { settings = try change.adding(text, .values) }
    if let text = arguments.text(addText) { settings = try change.adding(text, .text) }
    if let name = arguments.text(remove) { settings = try change.removing(name) }
    return try change.follow(settings)
  }

  private static func rebuild(_ session: Session, _ database: Database, _ isDry: Bool) throws -> ExitStatus {
    let rebuilt = try database.rebuildProjection(dryRun: isDry)
    if rebuilt.unread > 0 {
      session.terminal.warning(
        "not-readable", "\(Count(rebuilt.unread, "block")) can only be read by a newer version of sea")
    }
    try session.terminal.report(
      isDry ? "would-reindex" : "reindexed",
      [
        "blocks": .integer(rebuilt.blocks), "unread": .integer(rebuilt.unread), "changed": .flag(rebuilt.changed),
      ]
    ) {
      let content = rebuilt.changed ? (isDry ? "would change" : "was changed") : "was correct"
      return "local index: \(Count(rebuilt.blocks, "block")) read, the content \(content)"
    }
    session.terminal.summarize(["blocks": .integer(rebuilt.blocks)])
    return .success
  }
}

/// Adds or removes indexes in the settings, and updates the store to match.
struct IndexChange {
  let session: Session
  let database: Database
  let isShared: Bool
  let isDry: Bool

  /// Returns a settings change that adds the index `NAME=TYPE:PATH[,PATH]...`.
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

  /// Reports names that look like misspellings of an existing type or property. Other unknown names are valid.
  private func check(_ definition: IndexDefinition) throws {
    try session.check(type: definition.type, in: database)
    session.terminal.report(try database.queries.unknown(definition.paths, of: definition.type))
  }

  func removing(_ name: String) throws -> IndexSettings { try database.indexes.removing(name, isShared: isShared) }

  func follow(_ change: IndexSettings?) throws -> ExitStatus {
    let wanted = try database.indexes.wanted(change)
    if let change, !isDry {
      try database.indexes.set(change)
      session.loadedConfig = nil
    }
    let changes = try database.indexes.follow(wanted, dryRun: isDry)
    for name in changes.ended {
      try session.terminal.report(isDry ? "would-unindex" : "unindexed", ["name": .text(name)]) {
        "index \(name): \(isDry ? "would be removed" : "removed")"
      }
    }
    for one in wanted where changes.made.contains(one.name) {
      try session.terminal.report(isDry ? "would-index" : "indexed", item(one)) {
        "index \(one.name): \(isDry ? "would be added" : "added")"
      }
    }
    session.terminal.summarize(["made": .integer(changes.made.count), "ended": .integer(changes.ended.count)])
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
