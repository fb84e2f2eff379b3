import SeaCore

// The rows for errors of SeaCore.

extension Failure {
  package static let largeData =
    "larger content belongs into an asset; raise the limit with: sea config set core.maxDataSize 1M"

  /// Returns the hint how to convert a text in another encoding.
  package static func recoding(_ encoding: String = "WINDOWS-1252") -> String {
    "make it UTF-8 first, as from what it may be: iconv -f \(encoding) -t UTF-8 FILE >NEW"
  }

  package static func row(_ error: CoreError) -> Failure {
    switch error {
    case .badEncoding(let fault, let offset):
      Failure(.badData, "not a valid encoding at byte \(offset): \(fault.words)")
    case .badJSON(let fault, _): Failure(.badData, fault.words, hint: fault.hint)
    case .badName(let fault, let name): Failure(.badData, "the name '\(name)' \(fault.words(name))")
    case .badMember(let role, .notText, _, _): Failure(.badData, "\(role.words) must be text")
    case .badMember(let role, .empty, _, _): Failure(.badData, "\(role.words) is empty")
    case .badMember(let role, let fault, let name, _):
      Failure(.badData, "\(role.words) '\(short(name))' \(fault.words(name))")
    case .badEntity(let fault, let key, _): Failure(.badData, fault.words(short(key)), hint: fault.hint)
    case .badBlock(let fault):
      Failure(fault == .truncated ? .truncated : .corrupt, "the block does not verify: \(fault.rawValue)")
    case .badRevision(let text): Failure(.badData, "'\(text)' is not a revision (DEPTH-HEX)")
    case .badUUID(let text): Failure(.badData, "'\(text)' is not a UUID")
    case .badPath(let fault, let path):
      Failure(fault.isInText ? .usage : .badData, "the path '\(path)' \(fault.words)")
    case .notReadable: Failure(.incompatible, "the block can only be read by a newer program")
    case .noKey(let key):
      Failure(.noKey, "the block is sealed under key \(key.description.prefix(8)), which is not here")
    case .badSlot(let fault): Failure(.corrupt, fault.words)
    case .badPassword(let fault): Failure(.badPassword, "the password \(fault.words)")
    case .badAsset(let fault): Failure(.corrupt, "the asset does not verify: \(fault.rawValue)")
    case .badRequest(let fault): Failure(.corrupt, "the join request does not verify: \(fault.rawValue)")
    case .badFingerprint(.wordCount(let count)):
      Failure(.usage, "a fingerprint has eight words, and these are \(count)")
    case .badFingerprint(.unknownWord(let word)): Failure(.usage, "'\(short(word))' is not a word of fingerprints")
    case .badRecovery:
      Failure(
        .badData, "these are not the 24 words of a key of recovery",
        hint: "a word is missing, wrong or out of its place")
    case .counterOverflow(let names):
      Failure(.badData, "\(PropertyPath(names: names).description): the sum is beyond what a counter can hold")
    case .crypto(let what): Failure(.bug, "the cryptographic library failed: \(what)")
    }
  }

  private static func short(_ name: String) -> String { name.count > 40 ? name.prefix(40) + "..." : name }
}

extension PasswordFault {
  fileprivate var words: String {
    switch self {
    case .empty: "is empty"
    case .tooLong: "is longer than 1 MiB"
    case .notUTF8: "is not UTF-8"
    case .zeroByte: "has a zero byte in it"
    case .tooManyMarks: "has more than 1,024 combining marks in a row"
    }
  }
}

extension SlotFault {
  fileprivate var words: String {
    switch self {
    case .badEncoding: "not a slot"
    case .badRounds: "the slot asks for fewer or more rounds than 50,000 to 10,000,000"
    case .badCommitment: "the slot does not open: the password or the key is another one"
    case .badTag: "the slot does not open: its key does not verify"
    case .wrongKind: "the slot is of another kind"
    }
  }
}

extension NameFault {
  fileprivate func words(_ name: String) -> String {
    switch self {
    case .empty: "is empty"
    case .tooLong: "is too long (\(name.utf8.count) bytes)"
    case .controlCharacter: "has a control character in it"
    case .whiteSpace: "has white space in it"
    case .badStart: "may not begin with '\(name.prefix(1))'"
    case .notUTF8: "is not UTF-8"
    case .notText: "is not text"
    }
  }
}

extension NameRole {
  fileprivate var words: String {
    switch self {
    case .id: "the id"
    case .type: "the type"
    case .property: "the property name"
    case .reference: "the id in a reference"
    case .label: "the label"
    }
  }
}

extension PathFault {
  /// Whether the path is invalid by its text alone.
  fileprivate var isInText: Bool {
    switch self {
    case .empty, .badEscape, .emptyName: true
    case .notAContainer, .badIndex, .notFound: false
    }
  }

  fileprivate var words: String {
    switch self {
    case .empty: "is empty"
    case .badEscape: "has an unknown escape"
    case .emptyName: "has an empty name in it"
    case .notAContainer: "leads through a value that has no members"
    case .badIndex: "leads to an index that the array does not have"
    case .notFound: "leads nowhere"
    }
  }
}

extension EncodingFault {
  package var words: String {
    switch self {
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
}

extension JSONFault {
  fileprivate var words: String {
    switch self {
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
    case .revision: "this is one of the revisions of a record, and not the record"
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .dataTooLong: Failure.largeData
    case .notUTF8: Failure.recoding()
    case .notAnObject: "write objects, one after another or in an array"
    case .badReserved: "the forms are in sea-record(5)"
    case .revision: "what sea dump --history has written is taken in with: sea load --history"
    default: nil
    }
  }
}

extension Failure {
  package static func badPassword(_ place: String) -> Failure {
    Failure(.badPassword, "the passphrase does not open '\(place)'", ["path": place])
  }

  package static func slotsNotTried(_ place: String, _ tried: Int, _ all: Int) -> Failure {
    Failure(
      .badPassword,
      "the passphrase opens none of \(tried) slots in '\(place)'; the other \(all - tried) were not tried",
      hint: "somebody may have filled its folder keys: a member takes that out with: sea containers --drop-held=NAME; "
        + "or try all: sea clone --all-slots; or use another container",
      ["path": place])
  }

  package static func oldKey(_ epoch: UInt32) -> Failure {
    Failure(
      .noKey, "epoch \(epoch) of the keys has begun, and its key is not here: whom it shuts out could read this",
      hint: "sync with a container that has it; a member's sea sync puts it there; or give a passphrase that opens it: "
        + "--password-file; or see core.oldKey in sea-config(5)",
      ["epoch": String(epoch)])
  }
}
