import SeaCore

// The rows for names on a command line that refer to something unexpected.

extension LookupFault {
  package var failure: Failure {
    switch self {
    case .operation(let text):
      let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      return Failure(
        .usage, "'\(text)' is no operation",
        hint: isNumber
          ? "the operation of that number is '@{\(text)}'; see: sea ops"
          : text.contains("/")
            ? "which one wrote a block, says: sea show \(Escape.shellWord(text)); see: sea ops"
            : "see what there is: sea ops")
    case .side(let id, let name, let sides):
      let all = sides.prefix(10).map { $0.revision.short(4) + ($0.name.isEmpty ? "" : " of \($0.name)") }
      return Failure(
        .notFound, "no side of \(id) was written by '\(name)'",
        hint: "the sides are: \(all.joined(separator: ", "))", ["id": id])
    case .revision(let id, let text):
      return Failure(
        .usage, "'\(text)' is no revision of \(id)",
        hint: "write DEPTH-HEX, winner, ours, theirs, base, ~N or {WHEN}; see: sea log \(Escape.shellWord(id))",
        ["id": id])
    }
  }
}

extension PlaceFault {
  package var failure: Failure {
    switch self {
    case .notEmpty(let path, let having):
      return Failure(
        .exists, "there are files at '\(path)', such as '\(having)'; nothing was written",
        hint:
          "a container is a folder of its own, such as: \(Escape.shellWord(path.hasSuffix("/") ? path : path + "/"))data.sea",
        ["path": path])
    case .noParent(let path, let parent):
      return Failure(
        .unreachable, "there is no folder '\(parent)' to make a container in; nothing was written",
        hint: "mount what is to be there, or make the folder: mkdir -p \(Escape.shellWord(parent))", ["path": path])
    case .taken(let path, let name):
      return Failure(
        .exists, "'\(path)' is container \(name) already",
        hint: "to give it another name, first: sea remove-container \(Escape.shellWord(name))", ["path": path])
    case .database(let path, let isRead):
      return Failure(
        isRead ? .incompatible : .exists, "'\(path)' is a database, and no container",
        hint: "what instances exchange lies in a container, made with: sea -C \(Escape.shellWord(path)) add-container "
          + "--create NAME LOCATION", ["path": path])
    case .withinDatabase(let path, let around):
      return Failure(
        .usage, "'\(path)' lies in a '.sea', where no database is made; nothing was written",
        hint: "a '.sea' is made in the folder that is named, such as: \(Escape.shellWord(around))", ["path": path])
    case .noFolder(let path): return Failure(.noDatabase, "there is no folder '\(path)'", ["path": path])
    case .noDatabase(let path, let inside):
      return Failure(
        .noDatabase, "'\(path)' is not the folder of a database",
        hint: inside.map { "the database is: --sea-dir=\(Escape.shellWord($0))" } ?? "name the folder '.sea' itself",
        ["path": path])
    }
  }
}

extension Failure {
  static func noInstance(_ text: String) -> Failure {
    Failure(
      .notFound, "there is no instance '\(text)'",
      hint: "those that are known: sea instances; who has asked to be let in is heard of by: sea sync")
  }

  static func containerExists(_ name: String) -> Failure {
    Failure(
      .usage, "there is a container '\(name)' already",
      hint:
        "where it lies, says: sea containers; to give the name to another: sea remove-container \(Escape.shellWord(name))"
    )
  }

  static func badContainerName(_ name: String) -> Failure {
    Failure(
      .usage, "'\(name)' cannot be the name of a container",
      hint: name.contains("/")
        ? "the name stands before the place: sea add-container NAME LOCATION"
        : "it has up to 64 letters of ASCII, digits, '_', '-' and '.', and none of the last two first")
  }

  static func unknownScheme(_ scheme: String) -> Failure {
    let isWeb = ["http", "https"].contains(scheme)
    return Failure(
      .usage, "no program 'sea-remote-\(scheme)' was found to reach '\(scheme):'",
      hint: isWeb
        ? "what a server of sea has is named: sea+\(scheme)://HOST/FOLDER"
        : "give a path, install that program, or write a path with a colon as ./\(scheme):…")
  }
}

/// Hints for a name that is not found.
package enum NameHints {
  /// For a record that did not exist at the requested point in time.
  package static func hereNow(_ id: String) -> String {
    "it is here now, and was not then; since when, says: sea log \(Escape.shellWord(id))"
  }

  /// For a deleted record.
  package static func deleted(_ id: String) -> String {
    let word = Escape.shellWord(id)
    return "it is deleted; since when, says: sea log \(word); it comes back by: sea revert \(word)"
  }

  /// For a deleted record that was purged.
  package static func purged(_ id: String) -> String {
    "it was purged, and what it said is gone for good; what became of it, says: sea log \(Escape.shellWord(id))"
  }

  /// Whether the text looks like a revision and unlike most record ids: `3-91c0`.
  package static func isRevision(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && UInt32(parts[0]) != nil && (4...64).contains(parts[1].utf8.count)
      && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// For a revision in the place of a record.
  package static func recordOf(_ id: String) -> String {
    "that is a revision of a record, and here a record is meant: \(Escape.shellWord(id))"
  }

  package static func revision(_ name: String, of id: String? = nil) -> String {
    let record = id.map { Escape.shellWord($0) } ?? "RECORD"
    return "a revision is named behind its record: \(record)@\(name); see the revisions: sea log \(record)"
  }

  /// For a record and a property in one word.
  package static func property(_ name: String, of id: String) -> String {
    "a property is a word of its own behind the record: \(Escape.shellWord(id)) \(Escape.shellWord(name))"
  }

  /// For a point in time in the place of a record.
  package static func moment(_ text: String) -> String {
    "a moment is written: \(Escape.shellWord("@{\(text)}"))"
  }

  /// For the name that git uses.
  package static let newest = "what was written last is shown by: sea show"

  /// For a change of a record that does not exist.
  package static let notYet = "a new record is made with --create, or with --new and an id of its own"

  package static func type(_ name: String) -> String {
    "'\(name)' is a type: its records are listed by: sea query -t \(Escape.shellWord(name))"
  }
  /// - Parameter folder: the folder of `-C`, which relative file names start from.
  package static func folder(_ folder: String) -> String {
    "it is looked for in '\(folder)', the folder of -C; name it by its whole path"
  }
  package static let noRecord = "a new record is made with --new; many are changed with --where=SQL, all with --where=1"

  /// For an unknown type of a value.
  package static func type(_ name: String, _ similar: String?, _ known: [String]) -> String {
    switch name {
    case "bool", "boolean": "true and false are JSON: key:=true"
    case "integer", "number", "text", "double", "float", "real": "a text is key=TEXT, a number key:=1.5 or key:int=5"
    default: similar.map { "did you mean '\($0)'?" } ?? "it is one of: \(known.joined(separator: ", "))"
    }
  }
}

extension Failure {
  /// Returns the row for a position of another database, of a restored backup, or from before a rebuild.
  package static func expired(_ position: String) -> Failure {
    Failure(
      .expired,
      "this database knows no position '\(position)': it is of another one, or of before this was restored or repaired",
      hint: "start anew with: sea changes --since=0, which tells of everything; or go on from: sea changes --position",
      ["position": position])
  }
}

extension Stopped {
  package var failure: Failure {
    switch stays {
    case .done:
      Failure(.interrupted, "stopped before the end; what is done stays", hint: "run the same command again")
    case .transactions:
      Failure(
        .interrupted, "stopped before the end; what is done stays",
        hint: "run again, records that have an _id or were given --key are found again; others are made twice")
    case .nothing: Failure(.interrupted, "stopped before the end; nothing was written")
    }
  }
}
