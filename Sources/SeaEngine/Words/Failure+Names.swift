import SeaCore

// Failures for names on the command line that refer to the wrong kind of object.

extension LookupFault {
  package var failure: Failure {
    switch self {
    case .operation(let text):
      let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      return Failure(
        .usage, "'\(text)' is not an operation",
        hint: isNumber
          ? "to use the operation with this number, write '@{\(text)}'; to list operations, run: sea ops"
          : text.contains("/")
            ? "to find the operation that wrote a block, run: sea show \(Escape.shellWord(text))"
            : "to list operations, run: sea ops")
    case .side(let id, let name, let sides):
      let all = sides.prefix(10).map { $0.revision.short(4) + ($0.name.isEmpty ? "" : " of \($0.name)") }
      return Failure(
        .notFound, "'\(name)' wrote no side of \(id)",
        hint: "sides: \(all.joined(separator: ", "))", ["id": id])
    case .revision(let id, let text):
      return Failure(
        .usage, "'\(text)' is not a revision of \(id)",
        hint:
          "use DEPTH-HEX, winner, ours, theirs, base, ~N or {WHEN}; to list revisions, run: sea log \(Escape.shellWord(id))",
        ["id": id])
    }
  }
}

extension PlaceFault {
  package var failure: Failure {
    switch self {
    case .notEmpty(let path, let having):
      return Failure(
        .exists, "'\(path)' is not empty (it has '\(having)'); nothing was written",
        hint: "choose a new folder, such as \(Escape.shellWord(path.hasSuffix("/") ? path : path + "/"))data.sea",
        ["path": path])
    case .noParent(let path, let parent):
      return Failure(
        .unreachable, "cannot create a container: folder '\(parent)' does not exist; nothing was written",
        hint: "mount the drive; or create the folder: mkdir -p \(Escape.shellWord(parent))", ["path": path])
    case .taken(let path, let name):
      return Failure(
        .exists, "'\(path)' is already attached as container \(name)",
        hint: "to rename it, first run: sea remove-container \(Escape.shellWord(name))", ["path": path])
    case .database(let path, let isRead):
      return Failure(
        isRead ? .incompatible : .exists, "'\(path)' is a database, not a container",
        hint: "to create a container for it, run: sea -C \(Escape.shellWord(path)) add-container "
          + "--create NAME LOCATION", ["path": path])
    case .withinDatabase(let path, let around):
      return Failure(
        .usage, "cannot create a database inside '.sea': '\(path)'; nothing was written",
        hint: "give the parent folder: \(Escape.shellWord(around))", ["path": path])
    case .noFolder(let path): return Failure(.noDatabase, "folder '\(path)' does not exist", ["path": path])
    case .noDatabase(let path, let inside):
      return Failure(
        .noDatabase, "'\(path)' is not a database folder",
        hint: inside.map { "use --sea-dir=\(Escape.shellWord($0))" } ?? "give the path of the folder '.sea'",
        ["path": path])
    }
  }
}

extension Failure {
  static func noInstance(_ text: String) -> Failure {
    Failure(
      .notFound, "instance '\(text)' does not exist",
      hint: "to list instances, run: sea instances; to receive new access requests, run: sea sync")
  }

  static func containerExists(_ name: String) -> Failure {
    Failure(
      .usage, "container '\(name)' already exists",
      hint:
        "to show its location, run: sea containers; to reuse the name, first run: sea remove-container \(Escape.shellWord(name))"
    )
  }

  static func badContainerName(_ name: String) -> Failure {
    Failure(
      .usage, "invalid container name '\(name)'",
      hint: name.contains("/")
        ? "the name comes before the location: sea add-container NAME LOCATION"
        : "use up to 64 ASCII letters, digits, '_', '-' and '.', beginning with a letter, digit or '_'")
  }

  static func unknownScheme(_ scheme: String) -> Failure {
    let isWeb = ["http", "https"].contains(scheme)
    return Failure(
      .usage, "cannot access '\(scheme):': program 'sea-remote-\(scheme)' not found",
      hint: isWeb
        ? "for a sea server, use sea+\(scheme)://HOST/FOLDER"
        : "install that program; for a local path that contains a colon, use ./\(scheme):…")
  }
}

package enum NameHints {
  package static func hereNow(_ id: String) -> String {
    "the record exists now, but not at that time; for its history, run: sea log \(Escape.shellWord(id))"
  }

  package static func deleted(_ id: String) -> String {
    let word = Escape.shellWord(id)
    return "the record was deleted; for its history, run: sea log \(word); to restore it, run: sea revert \(word)"
  }

  package static func purged(_ id: String) -> String {
    "the record was purged and cannot be recovered; for its history, run: sea log \(Escape.shellWord(id))"
  }

  /// Returns whether the string looks like a revision, such as `3-91c0`. Few record IDs look like this.
  package static func isRevision(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && UInt32(parts[0]) != nil && (4...64).contains(parts[1].utf8.count)
      && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Returns the hint for a revision that was given instead of a record.
  package static func recordOf(_ id: String) -> String {
    "this is a revision; use the record: \(Escape.shellWord(id))"
  }

  package static func revision(_ name: String, of id: String? = nil) -> String {
    let record = id.map { Escape.shellWord($0) } ?? "RECORD"
    return "to name a revision, use \(record)@\(name); to list revisions, run: sea log \(record)"
  }

  /// Returns the hint for a record and a property in one argument.
  package static func property(_ name: String, of id: String) -> String {
    "to name a property, use a separate argument: \(Escape.shellWord(id)) \(Escape.shellWord(name))"
  }

  /// Returns the hint for a point in time that was given instead of a record.
  package static func moment(_ text: String) -> String {
    "to name a point in time, use \(Escape.shellWord("@{\(text)}"))"
  }

  /// The hint for `HEAD`, which git users may type.
  package static let newest = "to show the latest transaction, run: sea show"

  package static let notYet = "to create it, use --create; to create a record with a new id, use --new"

  package static func type(_ name: String) -> String {
    "'\(name)' is a type; to list its records, run: sea query -t \(Escape.shellWord(name))"
  }
  /// - Parameter folder: the folder of `-C`, in which relative paths start.
  package static func folder(_ folder: String) -> String {
    "relative paths start in '\(folder)', the folder of -C; use an absolute path"
  }
  package static let noRecord =
    "to create a record, use --new; to change many, use --where=SQL; to change all, use --where=1"

  package static func type(_ name: String, _ similar: String?, _ known: [String]) -> String {
    switch name {
    case "bool", "boolean": "for true and false, use JSON: key:=true"
    case "integer", "number", "text", "double", "float", "real":
      "for text, use key=TEXT; for a number, use key:=1.5 or key:int=5"
    default: similar.map { "did you mean '\($0)'?" } ?? "use one of: \(known.joined(separator: ", "))"
    }
  }
}

extension Failure {
  /// Returns the failure for a sequence number that is from another database or from before a restore or rebuild.
  package static func expired(_ position: String) -> Failure {
    Failure(
      .expired,
      "unknown position '\(position)': it belongs to another database, or to this one before it was restored or repaired",
      hint: "to read all changes, run: sea changes --since=0; to get the current position, run: sea changes --position",
      ["position": position])
  }
}

extension Stopped {
  package var failure: Failure {
    switch kept {
    case .done:
      Failure(.interrupted, "interrupted; completed work was kept", hint: "to continue, run the same command again")
    case .transactions:
      Failure(
        .interrupted, "interrupted; completed work was kept",
        hint: "if you run it again, records without _id or --key are created twice")
    case .nothing: Failure(.interrupted, "interrupted; nothing was written")
    }
  }
}
