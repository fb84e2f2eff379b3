import SeaKit

extension Failure {
  static func describing(_ error: StoreError) -> Failure {
    switch error {
    case .damaged(let what):
      return Failure(
        "corrupt", .corrupt, "the database file is damaged: \(what)",
        hint: "what was synced is safe: clone it anew, or try: sea reindex --projection")
    case .newer(let version):
      return Failure(
        "incompatible", .incompatible, "the database was written by a newer sea (format \(version))",
        hint: "use that version")
    case .older(let version):
      return Failure(
        "incompatible", .incompatible,
        "the database was written by a sea of before the first release (format \(version))",
        hint: "that one can hand its records on: sea query --json | sea put")
    case .full:
      return Failure(
        "system", .system, "no space left for the database", hint: "free some space and run the same command again")
    case .readOnly:
      return Failure("system", .system, "the database is on a read-only file system or may not be written")
    case .busy:
      return Failure("locked", .locked, "the database file stayed busy", hint: "wait longer with --lock-wait=120")
    case .io(let what): return Failure("system", .system, "the database file cannot be used: \(what)")
    case .locked(let text, let milliseconds):
      var failure = Failure(
        "locked", .locked, "another sea process has been writing for \(milliseconds / 1000) s",
        hint: "wait longer with --lock-wait=120; see it with: sea status --locks")
      failure.lines = text.split(whereSeparator: \.isNewline).prefix(1).map { holder(String($0)) }
      return failure
    case .system(let error): return describing(error)
    case .defect(let what):
      return Failure(
        "bug", .bug, "the database refused a statement: \(what)",
        hint: "this is a defect of sea; please report it with the command and this line")
    }
  }

  /// Who holds a lock, from what it wrote there: `PID HOST COMMAND`.
  private static func holder(_ text: String) -> String {
    let parts = text.split(separator: " ", maxSplits: 2)
    return parts.count == 3 ? "pid \(parts[0]) on \(parts[1]): \(parts[2])" : text
  }

  static func describing(_ error: ContainerError) -> Failure {
    switch error {
    case .notThere(let path):
      return Failure("unreachable", .unreachable, "there is nothing at '\(path)'", details: [("path", path)])
    case .notAContainer(let path):
      return Failure(
        "incompatible", .incompatible, "'\(path)' is not a container (it has no info.json)", details: [("path", path)])
    case .exists(let path): return Failure("usage", .usage, "there is a container at '\(path)' already")
    case .badInfo(let fault, let path):
      return Failure("corrupt", .corrupt, "'\(path)': \(words(fault))", details: [("path", path)])
    case .incompatible(let version, let path):
      return Failure(
        "incompatible", .incompatible, "'\(path)' is a container of format \(version), which this sea does not know",
        details: [("path", path)])
    case .differs(let chain, let index, let incomplete):
      let what = incomplete ? "an incomplete file" : "another block"
      return Failure("corrupt", .corrupt, "the container has \(what) at \(chain)/\(index)")
    case .badBlock(let chain, let index, let fault):
      return Failure("corrupt", .corrupt, "block \(chain)/\(index) does not verify: \(fault.rawValue)")
    case .badFile(let fault, let path):
      return Failure("corrupt", .corrupt, "'\(path)' \(words(fault))", details: [("path", path)])
    case .badAsset(let fault, let path):
      return Failure("corrupt", .corrupt, "'\(path)' \(words(fault))", details: [("path", path)])
    case .inTheWay(let path):
      return Failure(
        "corrupt", .corrupt, "'\(path)' stands where a file of the container belongs", details: [("path", path)])
    case .system(let error): return describing(error)
    }
  }

  private static func words(_ fault: SmallFileFault) -> String {
    switch fault {
    case .name: "has a name that no file of a container has"
    case .tooLarge: "is larger than a file of its kind can be"
    case .differs: "is there already with other bytes"
    }
  }

  private static func words(_ fault: AssetFileFault) -> String {
    switch fault {
    case .differs: "is there already with another size"
    case .tooLarge: "is larger than a file of assets can be"
    case .ended: "ended before its size"
    }
  }

  private static func words(_ fault: InfoFault) -> String {
    switch fault {
    case .tooLong: "info.json is too long"
    case .notJSON: "info.json is not JSON"
    case .duplicateMember: "info.json has a member twice"
    case .missingMember: "info.json lacks a member"
    case .badMember: "a member of info.json has a wrong value"
    }
  }
}
