import SeaCore

extension Failure {
  package static func row(_ error: KitError) -> Failure {
    func missing(_ text: String, _ details: KeyValuePairs<String, String?> = [:]) -> Failure {
      Failure(.notFound, text, details)
    }
    switch error {
    case .noDatabase(let path):
      return Failure(
        .noDatabase, "no .sea found in '\(path)' or above it",
        hint: "to create a database, run: sea init; to use an existing one, use --sea-dir=DIR", ["path": path])
    case .unsafeDirectory(let path, let what, let owner):
      let folder = path.hasSuffix("/.sea") ? String(path.dropLast(5)) : path
      return Failure(
        .unsafeDirectory, "'\(what)' belongs to another user (\(owner))",
        hint: "if you trust it, run: sea config set --global --add safe.directory \(Escape.shell(folder))",
        ["path": path])
    case .tooManySuccessors(let count):
      return Failure(
        .badData, "cannot keep \(count) successors: a revocation can keep at most \(ControlEntry.mostKept)",
        hint: "omit --only, then authorize again the instances to keep")
    case .wouldInvalidatePurges(let loss):
      return Failure(
        .notConfirmed,
        "its purge order for \(Count(loss.removed, "block")) would become invalid, so "
          + "\(loss.removed == 1 ? "it" : "they") would be reported as damaged; nothing was written",
        hint:
          "to keep the order, choose a later revocation point; to continue anyway, use --confirm=NAME with the name of this instance"
      )
    case .noAdminLeft:
      return Failure(
        .notConfirmed, "refusing to revoke the last admin: no new members could be authorized; nothing was written",
        hint: "to make another instance admin, run: sea authorize --admin INSTANCE; "
          + "to continue anyway, use --confirm=NAME with the name of this instance")
    case .entryTooLarge: return Failure(.badData, "the entry is larger than the format allows; nothing was written")
    case .placeInUse(let path, let other), .placeInDatabase(let path, let other),
      .placeInContainer(let path, let other):
      let text = "'\(path)' is inside '\(other)', which is used for other files; nothing was written"
      return Failure(.exists, text, hint: "choose another folder", ["path": path])
    case .databaseInContainer(let path, let container):
      return Failure(
        .unsafeDirectory, "refusing to use '\(path)' inside container '\(container)': others may have created it",
        hint: "if it is yours, use --sea-dir=\(Escape.shell(path))", ["path": path])
    case .badDatabaseID:
      let text = "--database-id needs a version 4 UUID and a database without encryption and members"
      return Failure(.usage, text, hint: "omit --database-id, or --encrypt and --require-auth")
    case .unproven(let place, let isBundle): return unproven(place, isBundle)
    case .otherDatabase(let path, let have, let want):
      return Failure(
        .incompatible, "'\(path)' is database \(have), not \(want)",
        ["have": have.description, "want": want.description])
    case .otherContentType(let path, let have, let want):
      return Failure(
        .incompatible, "'\(path)' has content type '\(have)', not '\(want)'", ["have": have, "want": want])
    case .namelessContainer(let path): return namelessContainer(path)
    case .databaseExists(let path): return Failure(.exists, "'\(path)' already contains a database", ["path": path])
    case .folderInUse(let path):
      let text = "cannot create a database in container '\(path)'"
      return Failure(.exists, text, hint: "add another folder as the last argument", ["path": path])
    case .unknownScheme(let scheme): return .unknownScheme(scheme)
    case .placeNotEmpty(let place):
      return Failure(
        .exists, "'\(place)' is not empty; nothing was changed", hint: "choose an empty location",
        ["path": place])
    case .passwordInLocation(let scheme):
      return Failure(
        .usage, "this '\(scheme):' location contains a password, which others could read",
        hint: "remove the password from the location; to store it safely, see sea-helpers(5)")
    case .badIdentity(let path):
      return Failure(
        .noKey, "cannot write: the private key of this instance cannot be read from '\(path)'",
        hint: "restore it from a backup, or clone a container into another folder")
    case .badPassword(let place): return badPassword(place)
    case .slotsNotTried(let place, let tried, let all): return slotsNotTried(place, tried, all)
    case .notSealed(let place):
      return Failure(
        .incompatible, "'\(place)' is not encrypted, so it has no passphrase",
        hint: "check that this is the right database", ["path": place])
    case .unauthorized(.readOnly):
      return Failure(
        .unauthorized, "cannot write: this instance has read-only access",
        hint: "to get write access, an admin runs: sea authorize")
    case .unauthorized(.revoked):
      return Failure(
        .unauthorized, "cannot write: this instance was revoked",
        hint: "to restore access, an admin runs: sea authorize")
    case .unauthorized(.notAdmin):
      return Failure(.unauthorized, "only an admin can do this", hint: "to list admins, run: sea instances")
    case .unauthorized(.notSenior):
      return Failure(
        .unauthorized,
        "only an admin senior to it can make it an admin again",
        hint: "to authorize it without admin rights, omit --admin")
    case .noMembers(let isSealed):
      let who = isSealed ? "has a key can write" : "can write to a container can change it"
      return Failure(
        .denied, "this database has no \(isSealed ? "members" : "access control"): anyone who \(who)",
        hint: (isSealed ? "to revoke access to future changes, run: sea passwd --rotate; " : "")
          + "to create a database with members, run: sea init --require-auth")
    case .notAMember(let instance): return missing("instance \(instance) is not a member")
    case .recoveryKeyOpensNoSlot(let place): return Failure(.noKey, "the recovery key does not open '\(place)'")
    case .notRecovery:
      return Failure(
        .unauthorized, "wrong recovery key for this database",
        hint: "a recovery key is created only with the database, by: sea init --require-auth --recovery")
    case .cannotAuthorizeItself: return Failure(.usage, "an instance cannot authorize itself")
    case .slotNotFound(let text): return missing("key slot '\(text)' does not exist")
    case .ambiguousSlot(let text): return Failure(.ambiguous, "'\(text)' matches several key slots")
    case .lastSlot(let text):
      return Failure(
        .denied, "refusing to remove '\(text)', the last key slot of this database",
        hint: "to add another passphrase, run: sea passwd --add")
    case .noPassword:
      return Failure(
        .usage, "cannot prompt for a new passphrase: no terminal",
        hint: "use --password-file, --password-command or --password-fd")
    case .noKey(let path, pending: true):
      return Failure(
        .noKey, "'\(path)' has no key yet: this instance is not authorized",
        hint: "ask a member to run: sea authorize; then run: sea sync", ["path": path])
    case .noKey(let path, pending: false):
      return Failure(
        .noKey, "'\(path)' is encrypted, and its key is not available",
        hint: "use --password-file, --password-command, --password-fd or the prompt", ["path": path])
    case .oldKey(let epoch): return oldKey(epoch)
    case .stale(let id, let have?, "none"):
      return Failure(
        .stale, "\(id) already exists, at \(have.short())", hint: "to read it, run: sea get \(Escape.shellWord(id))",
        ["id": id, "want": "none", "have": have.description])
    case .stale(let id, let have, let want):
      let place = have.map { "at \($0.short())" } ?? "missing"
      return Failure(
        .stale, "\(id) is \(place), not at \(RevisionID(want)?.short() ?? want)",
        hint: "to read it again, run: sea get \(Escape.shellWord(id))"
          + (have.map { "; to overwrite it, use --if-rev=\($0.short())" } ?? ""),
        ["id": id, "want": want, "have": have?.description])
    case .recordNotFound(let id): return missing("record '\(id)' does not exist", ["id": id])
    case .noID(let isPatch):
      return Failure(.badData, "\(isPatch ? "a patch" : "a deletion") needs a record id", hint: "give _id, or --id")
    case .otherRecord(let have, let want):
      return Failure(.badData, "the document is for record \(have), not \(want)", ["id": want])
    case .ambiguousRecord(let text, let candidates):
      return Failure(
        .ambiguous, "'\(text)' matches several records",
        hint: candidates.isEmpty ? nil : "candidates: \(candidates.prefix(5).joined(separator: " "))")
    case .noTarget(let text, let similar):
      return Failure(
        .badData, "the reference '\(text)' names no record",
        hint: (similar.map { "did you mean '\($0)'? " } ?? "")
          + "to create the record, use --create; to keep the text as an id, use --literal-ids")
    case .namedBefore(let id):
      return Failure(
        .badData, "the record '\(id)' comes after a reference that led to another record of this name",
        hint: "move the record before the reference, or use --literal-ids", ["id": id])
    case .revisionNotFound(let id, let revision): return missing("\(id) has no revision '\(revision)'")
    case .ambiguousRevision(let id, let rev): return Failure(.ambiguous, "'\(rev)' matches several revisions of \(id)")
    case .contentPurged(let id, let revision): return missing("the content of \(id)@\(revision.short()) was purged")
    case .otherRevision(let id, let revision):
      return Failure(
        .badData, "the line does not match revision \(revision.short()) of \(id)",
        ["id": id, "rev": revision.description])
    case .purgeConflicts(let ids): return neededForConflicts(ids)
    case .propertyNotFound(let id, let path):
      return missing("\(id) has no property '\(path)'", ["id": id, "path": path])
    case .instanceNotFound(let text): return .noInstance(text)
    case .ambiguousInstance(let text, let ids):
      let some = ids.prefix(5).map(\.description).joined(separator: " ")
      return Failure(.ambiguous, "'\(text)' matches several instances", hint: "use an id: \(some)")
    case .positionUnknown(let text): return expired(text)
    case .badPosition(let text):
      return Failure(.usage, "invalid position '\(text)'", hint: "use a position printed by sea changes, 0, or now")
    case .blockNotFound(let text): return missing("block '\(text)' does not exist")
    case .nothingNamed(let text): return missing("unknown name '\(text)': not a record, revision, block or instance")
    case .badName(let fault): return fault.failure
    case .badPlace(let fault): return fault.failure
    case .invalidRevisionSpecifier(let text): return Failure(.usage, "invalid name '\(text)'", hint: "see sea-cli(7)")
    case .containerNotFound(let name):
      return Failure(.notFound, "container '\(name)' does not exist", hint: "to list containers, run: sea containers")
    case .containerExists(let name): return .containerExists(name)
    case .badContainerName(let name): return .badContainerName(name)
    case .containerMismatch(let name, let field, let have, let want):
      return mismatch(name, field, "container \(name): its \(field.words) is \(have), not \(want)", have, want)
    case .containerUnavailable(let name, let path):
      return Failure(.unreachable, "container \(name) is unavailable: nothing at '\(path)'", ["path": path])
    case .otherContainer(let name, let path):
      return Failure(
        .unreachable, "container \(name) is unavailable: '\(path)' is another container",
        hint:
          "to use that one instead, run: sea remove-container \(Escape.shellWord(name)); then run: sea add-container NAME LOCATION",
        ["path": path])
    case .noContainer(let path):
      return Failure(
        .unreachable, "there is no container at '\(path)'", hint: "to create one, use --create", ["path": path])
    case .membershipDataMissing(let name): return notAllHere(name)
    case .stillIncomplete(let path, let what): return stillArriving(path, what)
    case .containerIsReadOnly(let name): return Failure(.denied, "container \(name) is read-only")
    case .fork(let container, let instance, let index):
      return Failure(
        .fork, "block \(instance)/\(index) in container \(container) differs from the block of this instance",
        hint: "if this database was copied or restored, give it a new identity: sea init --renew-instance")
    case .transactionTooLarge(1):
      return Failure(.badData, "the record exceeds 64 MiB, the maximum size of a transaction")
    case .transactionTooLarge(let count):
      return Failure(
        .badData, "\(count) records exceed 64 MiB, the maximum size of a transaction",
        hint: Failure.dividing)
    case .tooManyChanges(let count):
      return Failure(.badData, "\(count) records exceed 1000000, the maximum of a transaction", hint: Failure.dividing)
    case .chainExhausted: return Failure(.incompatible, "this instance cannot write more transactions")
    case .noChoice(let open): return row(open: open, .conflict)
    case .operation(let fault): return row(fault)
    case .replacesType(let id, let path, let have, let want, let meant):
      let keeping = meant.map { "to keep the type, use \(Escape.shellWord($0)); " } ?? ""
      return Failure(
        .badData, "\(id) \(path) is \(have), not \(want)",
        hint: keeping + "to change the type, use --replace-type", ["id": id, "path": path])
    case .revisionDeleted(let id, let revision): return missing("\(id) was deleted in \(revision.short(8))", ["id": id])
    case .propertyExists(let id, let path):
      return Failure(
        .badData, "\(id) already has '\(path)'",
        hint: "to remove it, run: sea set \(Escape.shell(id)) --unset=\(Escape.shell(path))",
        ["id": id, "path": path])
    case .badValue(let id, let path, let reason):
      return Failure(.badData, "\(id) \(path): \(reason.words)", hint: reason.hint(path), ["id": id, "path": path])
    case .breaksRule(let broken):
      return Failure(
        .badData, "\(broken.id): '\(broken.path)' breaks the rule '\(broken.rule)': \(broken.found)",
        hint: "to ignore this rule in one command, use -c \(Escape.shellWord(broken.setting + "="))",
        ["id": broken.id, "path": broken.path.description, "rule": broken.rule])
    case .assetMissing(let asset):
      return Failure(
        .assetMissing, "the content of asset \(asset.place) (\(asset.size) bytes) is not on this device",
        hint: "to get it, run: sea fetch-assets; to get only this asset, run: sea get --raw --fetch",
        [
          "place": asset.place, "size": String(asset.size),
          "\(AssetReference.digestKey(forSize: asset.size))": asset.digest.description,
        ])
    case .badAsset(let asset, let state):
      return Failure(
        .badAsset, "the content of asset \(asset.place) does not match the record: \(state.words)",
        hint: "do not use the output; to get the asset again, run: sea drop-assets; then run: sea fetch-assets",
        ["place": asset.place, "\(AssetReference.digestKey(forSize: asset.size))": asset.digest.description])
    case .assetTooLarge(let name): return Failure(.badData, "'\(name)' is too large for an asset", ["path": name])
    case .fileChanged(let name): return changed(name)
    case .badAssetFilter(let name, let value):
      return Failure(
        .badData, "container.\(name).assets: '\(value)' is not an asset filter",
        hint: "use all, none, or KEY=VALUE,...; see sea-sync(1)", ["name": "container.\(name).assets"])
    case .instanceIDChanged:
      return Failure(.locked, "the instance was renewed meanwhile; nothing was written", hint: "try again")
    case .damaged(let what):
      return Failure(.corrupt, "the database is damaged: \(what)", hint: "to rebuild it, run: sea reindex --projection")
    }
  }

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
      kind, "\(first?.id ?? "")\(more): unresolved conflicts in \(paths.isEmpty ? "the record" : paths)",
      hint: hint(first),
      ["id": first?.id], lines: lines)
  }

  private static func hint(_ open: OpenConflict?) -> String {
    let see = "; to show the conflict, run: sea conflicts \(Escape.shellWord(open?.id ?? "RECORD"))"
    guard let path = open?.paths.first, !path.pointer.isEmpty, !path.values.contains(where: \.isDeleted),
      let property = try? PropertyPath(path.pointer)
    else { return "choose with --take=REV, --winner, --ours, --theirs or --with=FILE" + see }
    return
      "choose with \(Escape.shellWord("--pick=\(path.pointer)=REV")), --prefer=POLICY or \(Escape.shellWord("--set=\(property)"))=..."
      + see
  }
}

extension BrokenRule {
  /// The value that does not follow the rule.
  package var found: String { (value ?? "no value") + (twin.map { ", as in \($0)" } ?? "") }
}
