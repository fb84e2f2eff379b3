import SeaCore
import SeaKit

extension Failure {
  static func describing(_ error: KitError) -> Failure {
    func missing(_ text: String, _ details: [(key: String, value: String)] = []) -> Failure {
      Failure("not-found", .notFound, text, details: details)
    }
    func ambiguous(_ text: String) -> Failure { Failure("ambiguous", .notFound, text) }
    switch error {
    case .noDatabase(let path):
      return Failure(
        "no-database", .noDatabase, "no .sea found in '\(path)' or above it",
        hint: "make one with: sea init, or name one with: --sea-dir=DIR", details: [("path", path)])
    case .unsafeDirectory(let path, let owner):
      return Failure(
        "unsafe-directory", .denied, "'\(path)' belongs to another user (\(owner))",
        hint: "if you trust it: sea config set --global --add safe.directory \(Escape.shell(parent(of: path)))",
        details: [("path", path)])
    case .otherDatabase(let path, let have, let want):
      return Failure(
        "incompatible", .incompatible, "'\(path)' is database \(have), not \(want)",
        details: [("have", have.description), ("want", want.description)])
    case .otherContentType(let path, let have, let want):
      return Failure(
        "incompatible", .incompatible, "'\(path)' has content of type '\(have)', not '\(want)'",
        details: [("have", have), ("want", want)])
    case .databaseExists(let path):
      return Failure("exists", .system, "there is a database at '\(path)' already", details: [("path", path)])
    case .folderInUse(let path):
      return Failure(
        "exists", .system, "'\(path)' is a container; a database does not belong into it",
        hint: "name another folder behind it", details: [("path", path)])
    case .unknownScheme(let scheme):
      return Failure("usage", .usage, "no kind of container is known for '\(scheme)://'", hint: "give a path")
    case .badIdentity(let path): return Failure("no-key", .denied, "'\(path)': the key of this instance cannot be read")
    case .badPassword(let place):
      return Failure("bad-password", .denied, "the passphrase does not open '\(place)'", details: [("path", place)])
    case .notSealed(let place):
      return Failure(
        "incompatible", .incompatible, "'\(place)' is not sealed",
        hint: "there is no passphrase to it; make sure that it is what you think it is", details: [("path", place)])
    case .unauthorised(let refusal): return unauthorised(refusal)
    case .nothingToAuthorise:
      return Failure(
        "usage", .usage, "this database has no members and is not sealed: whoever has a container is in",
        hint: "a database with members is made with: sea init --require-auth")
    case .noMembers:
      return Failure(
        "denied", .denied, "this database has no members: whoever has a key may write",
        hint: "to keep somebody from reading on: sea passwd --rotate; members need: sea init --require-auth")
    case .notAMember(let instance): return missing("instance \(instance) is no member")
    case .aboutOurselves: return Failure("usage", .usage, "an instance cannot authorise itself")
    case .slotNotFound(let text): return missing("there is no slot '\(text)'")
    case .ambiguousSlot(let text): return ambiguous("'\(text)' means several slots")
    case .lastSlot(let text):
      return Failure(
        "denied", .denied, "without slot '\(text)' nothing would open this database any more",
        hint: "add another passphrase first: sea passwd --add")
    case .noPassword:
      return Failure(
        "usage", .usage, "a new passphrase is needed, and there is nobody to ask",
        hint: "use --password-file, --password-command or --password-fd")
    case .noKey(let path, let isPending):
      return Failure(
        "no-key", .denied,
        isPending
          ? "'\(path)' has no key yet: nobody has let this instance in"
          : "'\(path)' is sealed, and its key is not here",
        hint: isPending
          ? "ask a member: sea authorize, then sync"
          : "use --password-file, --password-command, --password-fd or the prompt", details: [("path", path)])
    case .stale(let id, let have, let want): return stale(id, have, want)
    case .recordNotFound(let id): return missing("there is no record '\(id)'", [("id", id)])
    case .noID(let isPatch):
      return Failure(
        "bad-data", .badData, "\(isPatch ? "a patch" : "a deletion") needs the id of a record",
        hint: "give _id, or --id")
    case .ambiguousRecord(let text, let candidates):
      return Failure(
        "ambiguous", .notFound, "'\(text)' means several records",
        hint: candidates.isEmpty ? nil : "candidates: \(candidates.prefix(5).joined(separator: " "))")
    case .revisionNotFound(let id, let revision): return missing("\(id) has no revision '\(revision)'")
    case .ambiguousRevision(let id, let revision): return ambiguous("'\(revision)' means several revisions of \(id)")
    case .propertyNotFound(let id, let path):
      return missing("\(id) has no property '\(path)'", [("id", id), ("path", path)])
    case .instanceNotFound(let text): return missing("there is no instance '\(text)'")
    case .ambiguousInstance(let text): return ambiguous("'\(text)' means several instances")
    case .blockNotFound(let text): return missing("there is no block '\(text)'")
    case .nothingNamed(let text): return missing("'\(text)' names no record, revision, block or instance")
    case .badSpec(let text): return Failure("usage", .usage, "cannot read '\(text)'", hint: "see sea-cli(7)")
    case .containerNotFound(let name):
      return Failure("not-found", .notFound, "there is no container '\(name)'", hint: "see the names: sea containers")
    case .containerExists(let name): return Failure("usage", .usage, "there is a container '\(name)' already")
    case .badContainerName(let name): return Failure("usage", .usage, "'\(name)' cannot be the name of a container")
    case .containerMismatch(let name, let field, let have, let want):
      return Failure(
        "incompatible", .incompatible, "container \(name): its \(words(field)) is \(have), not \(want)",
        details: [("have", have), ("want", want)])
    case .containerAway(let name, let path):
      return Failure("unreachable", .unreachable, "container \(name) is not at '\(path)'", details: [("path", path)])
    case .noContainer(let path):
      return Failure(
        "unreachable", .unreachable, "there is no container at '\(path)'", hint: "make one with: --create",
        details: [("path", path)])
    case .containerIsReadOnly(let name): return Failure("denied", .denied, "container \(name) is read-only")
    case .fork(let container, let instance, let index):
      return Failure(
        "fork", .corrupt, "container \(container) has another block \(instance)/\(index) than this instance wrote",
        hint: "this database was copied or restored: give the copy its own identity with: sea init --renew-instance")
    case .transactionTooLarge(let count):
      if count == 1 {
        return Failure("bad-data", .badData, "the record has more than 64 MiB, and a block has at most that")
      }
      return Failure(
        "bad-data", .badData, "\(count) records have more than the 64 MiB that one block can hold",
        hint: "write them in several transactions, with: --chunk=10000")
    case .tooManyChanges(let count):
      return Failure(
        "bad-data", .badData, "\(count) records are more than the 1000000 that one block can hold",
        hint: "write them in several transactions, with: --chunk=100000")
    case .chainExhausted: return Failure("incompatible", .incompatible, "the chain of this instance is at its end")
    case .noChoice(let open): return noChoice(open)
    case .operation(let fault): return describing(fault)
    case .replacesType(let id, let path, let have, let want):
      return Failure(
        "bad-data", .badData, "\(id) \(path) is \(have), not \(want)",
        hint: "to change the type on purpose use --replace-type", details: [("id", id), ("path", path)])
    case .badValue(let id, let path, let reason):
      return Failure(
        "bad-data", .badData, "\(id) \(path): \(words(reason))", hint: hint(reason, path),
        details: [("id", id), ("path", path)])
    case .assetMissing, .badAsset, .assetTooLarge, .fileChanged, .badAssetFilter, .renewedMeanwhile:
      return asset(error)
    case .damaged(let what):
      return Failure(
        "corrupt", .corrupt, "the database is damaged: \(what)", hint: "build it anew with: sea reindex --projection")
    }
  }

  private static func stale(_ id: String, _ have: RevisionID?, _ want: String) -> Failure {
    let place = have.map { "at \($0.short())" } ?? "not there"
    if want == "none", let have {
      return Failure(
        "stale", .conflict, "\(id) is there already, at \(have.short())", hint: "read it with: sea get \(id)",
        details: [("id", id), ("want", want), ("have", have.description)])
    }
    return Failure(
      "stale", .conflict, "\(id) is \(place), not at \(shortened(want))",
      hint: "read it again with: sea get \(id)" + (have.map { ", or overwrite with: --if-rev=\($0.short())" } ?? ""),
      details: [("id", id), ("want", want)] + (have.map { [("have", $0.description)] } ?? []))
  }

  /// The same where others are done.
  static func stillOpen(_ open: [Conflict.Open]) -> Failure { noChoice(open, "partial", .partial) }

  private static func noChoice(
    _ open: [Conflict.Open], _ slug: String = "conflict", _ status: ExitStatus = .conflict
  ) -> Failure {
    let first = open.first
    let more = open.count > 1 ? " and \(open.count - 1) more records" : ""
    let paths = first?.paths.map(\.pointer).joined(separator: ", ") ?? ""
    var failure = Failure(
      slug, status, "\(first?.id ?? "")\(more): no choice for \(paths.isEmpty ? "the record" : paths)",
      hint: hint(first), details: first.map { [("id", $0.id)] } ?? [])
    for one in open.prefix(10) {
      for path in one.paths {
        let values = path.values.map { "\($0.revision.short(4)) \($0.text)" }
        failure.lines.append("\(open.count > 1 ? "\(one.id) " : "")\(path.pointer)  \(values.joined(separator: "   "))")
      }
    }
    return failure
  }

  private static func hint(_ open: Conflict.Open?) -> String {
    let see = "; see: sea conflicts \(quoted(open?.id ?? "RECORD"))"
    guard let path = open?.paths.first, !path.pointer.isEmpty, !path.values.contains(where: \.isDeleted),
      let property = try? PropertyPath(path.pointer)
    else { return "choose with --take=REV, --winner, --ours, --theirs or --with=FILE" + see }
    return "choose with \(quoted("--pick=\(path.pointer)=REV")), --prefer=POLICY or \(quoted("--set=\(property)"))=..."
      + see
  }

  /// For a shell, where it has to be.
  private static func quoted(_ text: String) -> String {
    let signs = "0123456789-_=/.,:@%+".unicodeScalars
    let isPlain = text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || signs.contains($0) }
    return isPlain ? text : Escape.shell(text)
  }

  private static func parent(of path: String) -> String {
    path.hasSuffix("/.sea") ? String(path.dropLast(5)) : path
  }

  private static func words(_ field: KitError.ContainerField) -> String {
    switch field {
    case .database: "database"
    case .contentType: "content type"
    case .container: "container id"
    }
  }

  private static func words(_ reason: KitError.BadValue) -> String {
    switch reason {
    case .notAnInteger: "the value is not an integer"
    case .notADecimal: "the value is not a decimal number"
    case .notADate: "the value is not a date"
    case .notACounter: "this is neither a counter nor a set, so nothing can be added"
    case .notASet: "this is not a set"
    case .notAnArray: "the elements of a set are a JSON array"
    case .tooLong: "the data has more bytes than core.maxDataSize allows"
    case .notText: "the value is not UTF-8 text"
    case .outOfRange: "the sum is beyond what a counter can hold"
    }
  }

  private static func hint(_ reason: KitError.BadValue, _ path: String) -> String? {
    switch reason {
    case .notACounter: "to make one: \(path):counter+=1 or \(path):set+=TEXT"
    case .notADate: "write 2026-08-22T03:41:00Z, 2026-08-22, @1787370060, 3h or \"2 hours ago\""
    case .notText: "bytes that are no text: \(path):data@FILE"
    case .tooLong: largeData
    default: nil
    }
  }

  /// A revision as people see it; the beginning of one stays as it was given.
  private static func shortened(_ text: String) -> String { RevisionID(text)?.short() ?? text }
}
