import SeaCore

/// The rows for errors of the library.
extension Failure {
  package static func row(_ error: KitError) -> Failure {
    func missing(_ text: String, _ details: KeyValuePairs<String, String?> = [:]) -> Failure {
      Failure(.notFound, text, details)
    }
    switch error {
    case .noDatabase(let path):
      return Failure(
        .noDatabase, "no .sea found in '\(path)' or above it",
        hint: "make one with: sea init, or name one with: --sea-dir=DIR", ["path": path])
    case .unsafeDirectory(let path, let what, let owner):
      let folder = path.hasSuffix("/.sea") ? String(path.dropLast(5)) : path
      return Failure(
        .unsafeDirectory, "'\(what)' belongs to another user (\(owner))",
        hint: "if you trust it: sea config set --global --add safe.directory \(Escape.shell(folder))", ["path": path])
    case .tooManySuccessors(let count):
      return Failure(
        .badData, "\(count) instances go on in its place; a revocation can leave \(ControlEntry.mostKept) alone",
        hint: "leave out --only, and authorize again who is to stay")
    case .wouldUncover(let loss):
      return Failure(
        .notConfirmed,
        "its order to purge \(Count(loss.removed, "block")) would not count any more: everywhere "
          + "\(loss.removed == 1 ? "it" : "they") would be damage; nothing was written",
        hint: "a cut behind its orders keeps them; to go on all the same: --confirm=NAME, the name of this instance")
    case .noAdminLeft:
      return Failure(
        .notConfirmed, "no admin would be left: nobody could ever let anybody in again; nothing was written",
        hint: "make another one first: sea authorize --admin INSTANCE; "
          + "to go on all the same: --confirm=NAME, the name of this instance")
    case .entryTooLarge:
      return Failure(.badData, "an entry that would be written is larger than the format allows; nothing was written")
    case .placeInUse(let path, let other):
      let text = "'\(path)' lies in '\(other)', where other files are kept; nothing was written"
      return Failure(.exists, text, hint: "name a file elsewhere", ["path": path])
    case .databaseInContainer(let path, let container):
      return Failure(
        .unsafeDirectory, "'\(path)' is inside the container '\(container)': anyone who writes there may have made it",
        hint: "if it is yours, use: --sea-dir=\(Escape.shell(path))", ["path": path])
    case .badDatabaseID:
      let text = "an id that is given has version 4, and its database is plain and without members"
      return Failure(.usage, text, hint: "leave out --database-id, or --encrypt and --require-auth")
    case .unproven(let place, let isBundle): return unproven(place, isBundle)
    case .otherDatabase(let path, let have, let want):
      return Failure(
        .incompatible, "'\(path)' is database \(have), not \(want)",
        ["have": have.description, "want": want.description])
    case .otherContentType(let path, let have, let want):
      return Failure(
        .incompatible, "'\(path)' has content of type '\(have)', not '\(want)'", ["have": have, "want": want])
    case .namelessContainer(let path): return namelessContainer(path)
    case .databaseExists(let path): return Failure(.exists, "there is a database at '\(path)' already", ["path": path])
    case .folderInUse(let path):
      let text = "'\(path)' is a container; a database does not belong into it"
      return Failure(.exists, text, hint: "name another folder behind it", ["path": path])
    case .placeInDatabase(let path, let database):
      return Failure(
        .exists, "'\(path)' lies in '\(database)', the folder of a database; name another folder", ["path": path])
    case .placeInContainer(let path, let container):
      return Failure(
        .exists, "'\(path)' lies in '\(container)', another container; name another folder", ["path": path])
    case .unknownScheme(let scheme):
      return .unknownScheme(scheme)
    case .placeNotEmpty(let place):
      return Failure(
        .exists, "there are files at '\(place)'; nothing was done to them", hint: "name a place that is empty",
        ["path": place])
    case .passwordInLocation(let scheme):
      return Failure(
        .usage, "this '\(scheme):' location has a password in it, which others could read",
        hint: "leave it out; keep it where the program that reaches the place looks for it: see sea-helpers(5)")
    case .badIdentity(let path):
      return Failure(
        .noKey, "'\(path)': the private key of this instance cannot be read, and without it nothing can be written",
        hint: "bring it back from a backup; or clone a container into another folder, which is a new instance")
    case .badPassword(let place): return badPassword(place)
    case .slotsNotTried(let place, let tried, let all): return slotsNotTried(place, tried, all)
    case .notSealed(let place):
      return Failure(
        .incompatible, "'\(place)' is not sealed",
        hint: "there is no passphrase to it; make sure that it is what you think it is", ["path": place])
    case .unauthorized(.readOnly):
      return Failure(
        .unauthorized, "this instance may read and not write", hint: "an admin changes that with: sea authorize")
    case .unauthorized(.revoked):
      return Failure(
        .unauthorized, "this instance was revoked: what it writes counts nowhere",
        hint: "an admin lets it in again with: sea authorize")
    case .unauthorized(.notAdmin):
      return Failure(.unauthorized, "only an admin can do this", hint: "see who is one: sea instances")
    case .unauthorized(.notSenior):
      return Failure(
        .unauthorized,
        "only an admin before it in rank can make it an admin again",
        hint: "let it in without --admin")
    case .nothingToAuthorise:
      return Failure(
        .usage, "this database has no members and is not sealed: whoever has a container is in",
        hint: "a database with members is made with: sea init --require-auth")
    case .noMembers(let isSealed):
      let members = "a database with members is made with: sea init --require-auth"
      return isSealed
        ? Failure(
          .denied, "this database has no members: whoever has a key may write",
          hint: "to keep somebody from reading on: sea passwd --rotate; \(members)")
        : Failure(
          .denied, "this database has no members and is not sealed: whoever has a container is in", hint: members)
    case .notAMember(let instance): return missing("instance \(instance) is no member")
    case .recoveryOpensNothing(let place):
      return Failure(.noKey, "'\(place)': the key of recovery opens nothing there")
    case .notRecovery:
      return Failure(
        .unauthorized, "this is not the key of recovery of this database",
        hint: "one is made with the database: sea init --require-auth --recovery")
    case .aboutOurselves: return Failure(.usage, "an instance cannot authorise itself")
    case .slotNotFound(let text): return missing("there is no slot '\(text)'")
    case .ambiguousSlot(let text): return Failure(.ambiguous, "'\(text)' means several slots")
    case .lastSlot(let text):
      return Failure(
        .denied, "without slot '\(text)' nothing would open this database any more",
        hint: "add another passphrase first: sea passwd --add")
    case .noPassword:
      return Failure(
        .usage, "a new passphrase is needed, and there is nobody to ask",
        hint: "use --password-file, --password-command or --password-fd")
    case .noKey(let path, pending: true):
      return Failure(
        .noKey, "'\(path)' has no key yet: nobody has let this instance in",
        hint: "ask a member: sea authorize, then sync", ["path": path])
    case .noKey(let path, pending: false):
      return Failure(
        .noKey, "'\(path)' is sealed, and its key is not here",
        hint: "use --password-file, --password-command, --password-fd or the prompt", ["path": path])
    case .oldKey(let epoch): return oldKey(epoch)
    case .stale(let id, let have?, "none"):
      return Failure(
        .stale, "\(id) is there already, at \(have.short())", hint: "read it with: sea get \(Escape.shellWord(id))",
        ["id": id, "want": "none", "have": have.description])
    case .stale(let id, let have, let want):
      let place = have.map { "at \($0.short())" } ?? "not there"
      return Failure(
        .stale, "\(id) is \(place), not at \(RevisionID(want)?.short() ?? want)",
        hint: "read it again with: sea get \(Escape.shellWord(id))"
          + (have.map { "; or overwrite with: --if-rev=\($0.short())" } ?? ""),
        ["id": id, "want": want, "have": have?.description])
    case .recordNotFound(let id): return missing("there is no record '\(id)'", ["id": id])
    case .noID(let isPatch):
      return Failure(
        .badData, "\(isPatch ? "a patch" : "a deletion") needs the id of a record", hint: "give _id, or --id")
    case .otherRecord(let have, let want):
      return Failure(.badData, "the document is of record \(have), not of \(want)", ["id": want])
    case .ambiguousRecord(let text, let candidates):
      return Failure(
        .ambiguous, "'\(text)' means several records",
        hint: candidates.isEmpty ? nil : "candidates: \(candidates.prefix(5).joined(separator: " "))")
    case .revisionNotFound(let id, let revision): return missing("\(id) has no revision '\(revision)'")
    case .ambiguousRevision(let id, let rev): return Failure(.ambiguous, "'\(rev)' means several revisions of \(id)")
    case .contentPurged(let id, let revision): return missing("the content of \(id)@\(revision.short()) was purged")
    case .otherRevision(let id, let revision):
      return Failure(
        .badData, "what the line says of \(id) is not \(revision.short())", ["id": id, "rev": revision.description])
    case .purgeConflicts(let ids): return neededForConflicts(ids)
    case .propertyNotFound(let id, let path):
      return missing("\(id) has no property '\(path)'", ["id": id, "path": path])
    case .instanceNotFound(let text): return .noInstance(text)
    case .ambiguousInstance(let text, let ids):
      let some = ids.prefix(5).map(\.description).joined(separator: " ")
      return Failure(.ambiguous, "'\(text)' means several instances", hint: "name one by its id: \(some)")
    case .positionUnknown(let text): return expired(text)
    case .badPosition(let text):
      return Failure(.usage, "'\(text)' is no position", hint: "one is as sea changes prints it, or 0, or now")
    case .blockNotFound(let text): return missing("there is no block '\(text)'")
    case .nothingNamed(let text): return missing("'\(text)' names no record, revision, block or instance")
    case .badName(let fault): return fault.failure
    case .badPlace(let fault): return fault.failure
    case .badSpec(let text): return Failure(.usage, "cannot read '\(text)'", hint: "see sea-cli(7)")
    case .containerNotFound(let name):
      return Failure(.notFound, "there is no container '\(name)'", hint: "see the names: sea containers")
    case .containerExists(let name): return .containerExists(name)
    case .badContainerName(let name): return .badContainerName(name)
    case .containerMismatch(let name, let field, let have, let want):
      return mismatch(name, field, "container \(name): its \(field.words) is \(have), not \(want)", have, want)
    case .containerAway(let name, let path):
      return Failure(.unreachable, "container \(name) is not at '\(path)'", ["path": path])
    case .otherContainer(let name, let path):
      return Failure(
        .unreachable, "container \(name) is not at '\(path)': another container is there",
        hint:
          "if it is there for good: sea remove-container \(Escape.shellWord(name)), and attach it with: sea add-container",
        ["path": path])
    case .noContainer(let path):
      return Failure(
        .unreachable, "there is no container at '\(path)'", hint: "make one with: --create", ["path": path])
    case .notAllHere(let name): return notAllHere(name)
    case .stillArriving(let path, let what): return stillArriving(path, what)
    case .containerIsReadOnly(let name): return Failure(.denied, "container \(name) is read-only")
    case .fork(let container, let instance, let index):
      return Failure(
        .fork, "container \(container) has another block \(instance)/\(index) than this instance wrote",
        hint: "this database was copied or restored: give the copy its own identity with: sea init --renew-instance")
    case .transactionTooLarge(1):
      return Failure(.badData, "the record has more than 64 MiB, and a block has at most that")
    case .transactionTooLarge(let count):
      return Failure(
        .badData, "\(count) records have more than the 64 MiB that one block can hold",
        hint: Failure.dividing)
    case .tooManyChanges(let count):
      return Failure(
        .badData, "\(count) records are more than the 1000000 that one block can hold",
        hint: Failure.dividing)
    case .chainExhausted: return Failure(.incompatible, "the chain of this instance is at its end")
    case .noChoice(let open): return row(open: open, .conflict)
    case .operation(let fault): return row(fault)
    case .replacesType(let id, let path, let have, let want, let meant):
      let keeping = meant.map { "to keep it: \(Escape.shellWord($0)); " } ?? ""
      return Failure(
        .badData, "\(id) \(path) is \(have), not \(want)",
        hint: keeping + "to change the type on purpose use --replace-type", ["id": id, "path": path])
    case .revisionDeleted(let id, let revision):
      return missing("\(id) was deleted in \(revision.short(8))", ["id": id])
    case .propertyExists(let id, let path):
      return Failure(
        .badData, "\(id) has '\(path)' already",
        hint: "if it is not needed: sea set \(Escape.shell(id)) --unset=\(Escape.shell(path))",
        ["id": id, "path": path])
    case .badValue(let id, let path, let reason):
      return Failure(
        .badData, "\(id) \(path): \(reason.words)", hint: reason.hint(path), ["id": id, "path": path])
    case .assetMissing(let asset):
      return Failure(
        .assetMissing, "the content of \(asset.place) (\(asset.size) bytes) is not on this device",
        hint: "get it with: sea fetch-assets, or with: sea get --raw --fetch",
        ["place": asset.place, "size": String(asset.size), "sha256": asset.sha256.description])
    case .badAsset(let asset, let state):
      return Failure(
        .badAsset, "the content of \(asset.place) is not what the record says: \(state.words)",
        hint: "what was written is not to be used; to get it anew: sea drop-assets, then sea fetch-assets",
        ["place": asset.place, "sha256": asset.sha256.description])
    case .assetTooLarge(let name):
      return Failure(.badData, "'\(name)' has more bytes than an asset can have", ["path": name])
    case .fileChanged(let name): return changed(name)
    case .badAssetFilter(let name, let value):
      return Failure(
        .badData, "container.\(name).assets: '\(value)' is not a filter for assets",
        hint: "write all, none, or KEY=VALUE,... as in sea-sync(1)", ["name": "container.\(name).assets"])
    case .renewedMeanwhile:
      return Failure(
        .locked, "this instance took another name at this moment; nothing was written", hint: "try again")
    case .damaged(let what):
      return Failure(
        .corrupt, "the database is damaged: \(what)", hint: "build it anew with: sea reindex --projection")
    }
  }

  /// Returns the row for open conflicts when others were resolved.
  package static func stillOpen(_ open: [OpenConflict]) -> Failure { row(open: open, .partial) }

  private static func row(open: [OpenConflict], _ kind: ErrorKind) -> Failure {
    let first = open.first
    let more = open.count > 1 ? " and \(open.count - 1) more records" : ""
    let paths = first?.paths.map(\.pointer).joined(separator: ", ") ?? ""
    var lines: [String] = []
    for one in open.prefix(10) {
      for path in one.paths {
        let values = path.values.map { "\($0.revision.short(4)) \($0.text)" }
        lines.append("\(open.count > 1 ? "\(one.id) " : "")\(path.pointer)  \(values.joined(separator: "   "))")
      }
    }
    return Failure(
      kind, "\(first?.id ?? "")\(more): no choice for \(paths.isEmpty ? "the record" : paths)", hint: hint(first),
      ["id": first?.id], lines: lines)
  }

  private static func hint(_ open: OpenConflict?) -> String {
    let see = "; see: sea conflicts \(Escape.shellWord(open?.id ?? "RECORD"))"
    guard let path = open?.paths.first, !path.pointer.isEmpty, !path.values.contains(where: \.isDeleted),
      let property = try? PropertyPath(path.pointer)
    else { return "choose with --take=REV, --winner, --ours, --theirs or --with=FILE" + see }
    return
      "choose with \(Escape.shellWord("--pick=\(path.pointer)=REV")), --prefer=POLICY or \(Escape.shellWord("--set=\(property)"))=..."
      + see
  }
}
