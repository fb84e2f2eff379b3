import SeaCore
import SeaSystem

extension Failure {
  static func describing(_ error: CommandError) -> Failure {
    switch error {
    case .input(let name, let line, let column, let error, let excerpt):
      let inner = describing(error)
      var failure = Failure(
        inner.slug, inner.status, "\(name):\(line):\(column): \(inner.message)" + (excerpt.map { ": \($0)" } ?? ""),
        hint: inner.hint, details: [("file", name)] + inner.details)
      failure.numbers = [("line", line), ("column", column)]
      return failure
    case .byteOrderMark(let name):
      var failure = Failure(
        "bad-data", .badData, "\(name):1:1: a byte order mark stands before the JSON",
        hint: "save the file as UTF-8 without it", details: [("file", name)])
      failure.numbers = [("line", 1), ("column", 1)]
      return failure
    case .badJSONValue(let id, let path, let column, let error, let excerpt):
      let inner = describing(error)
      return Failure(
        inner.slug, inner.status,
        "\(id) \(path): byte \(column) of the JSON: \(inner.message)" + (excerpt.map { ": \($0)" } ?? ""),
        hint: inner.hint, details: [("id", id), ("path", path)])
    case .emptyInput(let name): return Failure("bad-data", .badData, "\(name) has no records")
    case .badLine(let name, let line, let fault):
      var failure = Failure("bad-data", .badData, "\(name):\(line): \(words(fault))", details: [("file", name)])
      failure.numbers = [("line", line)]
      return failure
    case .inConflict(let id):
      return Failure(
        "conflict", .conflict, "\(id) is in conflict", hint: "see: sea conflicts \(id)", details: [("id", id)])
    case .tooManyDeletions(let count, let limit):
      return Failure("refused", .refused, "\(count) records would be deleted, more than --max-delete=\(limit)")
    case .stillReferenced(let id, let sources):
      return Failure(
        "conflict", .conflict, "\(id) is still referred to by \(sources.prefix(5).joined(separator: " "))",
        hint: "see all of them: sea query --refs-to=\(id) --ids", details: [("id", id)])
    case .onlyCopy(let name, let blocks):
      let why = blocks.map { "has \(Count($0, "block")) that this instance lacks" } ?? "cannot be looked at"
      return Failure(
        "partial", .partial, "container \(name) \(why)",
        hint: "take them in with: sea pull \(name); or forget it all the same with: --only-copy-is-fine")
    case .onlyAssets(let name, let count):
      return Failure(
        "partial", .partial, "container \(name) alone has the content of \(Count(count, "asset"))",
        hint: "get it with: sea fetch-assets --history --from=\(name); or forget it all the same with: "
          + "--only-copy-is-fine")
    case .badBlock(let name, let offset, let fault):
      return Failure(
        slug(.badBlock(fault)), .corrupt, "\(name): no block that fits at byte \(offset): \(fault.rawValue)",
        details: [("file", name)])
    case .otherRecord(let have, let want):
      return Failure("bad-data", .badData, "the document is of record \(have), not of \(want)", details: [("id", want)])
    case .clashes(let paths):
      let isWhole = paths.contains("")
      var failure = Failure(
        "conflict", .conflict,
        isWhole
          ? "one side deleted the record, and the other changed it"
          : "the sides clash at \(Count(paths.count, "path"))",
        hint: isWhole ? nil : "settle it with: --policy=POLICY; or make the files agree there")
      failure.lines = isWhole ? [] : paths
      return failure
    case .noPage(let topic):
      return Failure("not-found", .notFound, "no manual page for '\(topic)' was found", hint: "try: sea \(topic) -h")
    case .wordsDiffer(let name):
      return Failure(
        "denied", .denied, "the words are not those of \(name): nothing was done",
        hint: "somebody may have put other keys in its place")
    case .needsWords:
      return Failure(
        "usage", .usage, "the words have to be compared, and there is nobody to ask",
        hint: "give them with: --fingerprint='WORDS'")
    case .programFailed(let name, let status):
      return Failure("refused", .refused, "'\(name)' ended with status \(status)")
    case .notStarted(let name, let error):
      let status: ExitStatus = error.isMissing ? .vanished : .notExecutable
      return Failure("system", status, "'\(name)' could not be started: \(error.reason)")
    }
  }

  static func describing(_ error: SystemError) -> Failure {
    let place = error.path.isEmpty ? "" : "\(error.path): "
    var hint: String?
    if error.isNoSpace { hint = "free some space and run the same command again" }
    return Failure(
      "system", .system, "\(place)\(error.reason) (\(error.call))", hint: hint, details: [("path", error.path)])
  }

  static func describing(_ error: CoreError) -> Failure {
    Failure(slug(error), status(error), words(error), hint: hint(error))
  }

  private static func hint(_ error: CoreError) -> String? {
    switch error {
    case .badJSON(.dataTooLong, _): largeData
    case .badJSON(.notAnObject, _): "write one object after another; of an array make that with: jq -c '.[]'"
    case .badJSON(.badReserved, _): "the forms are in sea-record(5)"
    default: nil
    }
  }

  static let largeData =
    "larger content belongs into an asset; raise the limit with: sea config set core.maxDataSize 1M"

  private static func slug(_ error: CoreError) -> String {
    switch error {
    case .badBlock(.truncated): "truncated"
    case .badBlock, .badSlot, .badAsset, .badRequest: "corrupt"
    case .badPath(.empty, _), .badPath(.badEscape, _), .badPath(.emptyName, _), .badFingerprint: "usage"
    case .noKey: "no-key"
    case .notReadable: "incompatible"
    case .noKey: "no-key"
    case .badPassword: "bad-password"
    case .crypto: "bug"
    default: "bad-data"
    }
  }

  private static func status(_ error: CoreError) -> ExitStatus {
    switch error {
    case .badBlock, .badSlot, .badAsset, .badRequest: .corrupt
    case .badPath(.empty, _), .badPath(.badEscape, _), .badPath(.emptyName, _), .badFingerprint: .usage
    case .noKey: .denied
    case .notReadable: .incompatible
    case .badPassword, .noKey: .denied
    case .crypto: .bug
    default: .badData
    }
  }

  private static func words(_ fault: LineFault) -> String {
    switch fault {
    case .missingKey(let key): "the key \"\(key)\" is missing"
    case .wrongType(let key, let expected): "\"\(key)\" must be \(expected)"
    case .badRevision(let text): "'\(text)' is not a revision (DEPTH-HASH)"
    case .notAHead: "not a line of INSTANCE, INDEX and HASH with tabs between"
    case .needsState: "the bytes of a counter or a set depend on the instance and on the revision before"
    case .contradiction(let revision): "\(revision) was described differently before"
    }
  }

  static func words(_ error: CoreError) -> String {
    switch error {
    case .badEncoding(let fault, let offset): "not a valid encoding at byte \(offset): \(words(fault))"
    case .badJSON(let fault, _): words(fault)
    case .badName(let fault, let name): "the name '\(name)' \(words(fault, name))"
    case .badMember(let role, .notText, _, _): "\(words(role)) must be text"
    case .badMember(let role, .empty, _, _): "\(words(role)) is empty"
    case .badMember(let role, let fault, let name, _): "\(words(role)) '\(short(name))' \(words(fault, name))"
    case .badBlock(let fault): "the block does not verify: \(fault.rawValue)"
    case .badRevision(let text): "'\(text)' is not a revision (DEPTH-HEX)"
    case .badUUID(let text): "'\(text)' is not a UUID"
    case .badPath(let fault, let path): "the path '\(path)' \(words(fault))"
    case .notReadable: "the block can only be read by a newer program"
    case .noKey(let epoch): "the block is sealed under the key of epoch \(epoch), which is not here"
    case .badSlot(let fault): words(fault)
    case .badPassword(let fault): "the password \(words(fault))"
    case .badAsset(let fault): "the asset does not verify: \(fault.rawValue)"
    case .badRequest(let fault): "the join request does not verify: \(fault.rawValue)"
    case .badFingerprint(.wordCount(let count)): "a fingerprint has eight words, and these are \(count)"
    case .badFingerprint(.unknownWord(let word)): "'\(short(word))' is not a word of fingerprints"
    case .crypto(let what): "the cryptographic library failed: \(what)"
    }
  }

  private static func words(_ fault: PasswordFault) -> String {
    switch fault {
    case .empty: "is empty"
    case .tooLong: "is longer than 1 MiB"
    case .notUTF8: "is not UTF-8"
    case .zeroByte: "has a zero byte in it"
    case .tooManyMarks: "has more than 1,024 combining marks in a row"
    }
  }

  private static func words(_ fault: SlotFault) -> String {
    switch fault {
    case .badEncoding: "not a slot"
    case .badRounds: "the slot asks for fewer or more rounds than 50,000 to 10,000,000"
    case .badCommitment: "the slot does not open: the password or the key is another one"
    case .badTag: "the slot does not open: its key does not verify"
    case .wrongKind: "the slot is of another kind"
    }
  }

  private static func words(_ fault: NameFault, _ name: String) -> String {
    switch fault {
    case .empty: "is empty"
    case .tooLong: "is too long (\(name.utf8.count) bytes)"
    case .controlCharacter: "has a control character in it"
    case .whiteSpace: "has white space in it"
    case .badStart: "may not begin with '\(name.prefix(1))'"
    case .notUTF8: "is not UTF-8"
    case .notText: "is not text"
    }
  }

  private static func words(_ role: NameRole) -> String {
    switch role {
    case .id: "the id"
    case .type: "the type"
    case .property: "the property name"
    case .reference: "the id in a reference"
    }
  }

  private static func short(_ name: String) -> String { name.count > 40 ? name.prefix(40) + "..." : name }

  private static func words(_ fault: PathFault) -> String {
    switch fault {
    case .empty: "is empty"
    case .badEscape: "has an unknown escape"
    case .emptyName: "has an empty name in it"
    case .notAContainer: "leads through a value that has no members"
    case .badIndex: "leads to an index that the array does not have"
    case .notFound: "leads nowhere"
    }
  }

  private static func words(_ fault: EncodingFault) -> String {
    switch fault {
    case .truncated: "it ends too early"
    case .indefinite: "a length is left open"
    case .notShortest: "a number or length is not in its shortest form"
    case .unexpectedType: "an item of another type is expected"
    case .notUTF8: "a text is not UTF-8"
    case .wrongLength: "a length is wrong"
    case .trailingBytes: "something follows the end"
    case .duplicateKey: "a key stands twice"
    case .wrongOrder: "keys are out of order"
    case .tooDeep: "it is nested too deeply"
    case .notFinite: "a number is not finite"
    case .notCanonicalNumber: "a number is not in its one form"
    case .badTag: "a tag is not known"
    case .badReserved: "a reserved key is misused"
    case .outOfRange: "a value is out of range"
    case .emptyName: "a name is empty"
    case .nameTooLong: "a name is too long"
    case .tooMany: "there are too many items"
    case .badName: "a name is not allowed"
    case .nullValue: "null is not a property value"
    }
  }

  private static func words(_ fault: JSONFault) -> String {
    switch fault {
    case .unexpectedEnd: "the JSON ends too early"
    case .unexpectedCharacter: "unexpected character"
    case .badLiteral: "neither true, false nor null"
    case .badNumber: "not a JSON number"
    case .numberOutOfRange: "the number is beyond what a record can hold"
    case .badString: "not a JSON string"
    case .controlCharacter: "a control character stands in a string; write it as \\u00XX"
    case .badEscape: "unknown escape in a string"
    case .loneSurrogate: "half of a surrogate pair"
    case .notUTF8: "not UTF-8"
    case .duplicateKey: "the key stands twice in one object"
    case .tooDeep: "nested more than 128 deep"
    case .tooLong: "a record has more than 64 MiB of JSON"
    case .notAnObject: "a record must be a JSON object"
    case .badReserved: "keys that begin with '_' or '$' have fixed forms, and this is none of them"
    case .badRevision: "_rev must be a whole revision (DEPTH-HEX with 64 digits)"
    case .nullValue: "null is not a property value"
    case .nameTooLong: "the property name is longer than 1024 bytes"
    case .badDate: "not a date (RFC 3339, years 0001 to 9999)"
    case .badData: "not Base64 (RFC 4648, with padding)"
    case .badDecimal: "not a decimal number"
    case .badInteger: "not an integer"
    case .dataTooLong: "the data has more bytes than core.maxDataSize allows"
    case .trailingText: "something follows the JSON"
    }
  }
}
