import SeaCore

extension Failure {
  package static let largeData =
    "store large content as an asset; to raise the limit, run: sea config set core.maxDataSize 1M"

  package static func recoding(_ encoding: String = "windows-1252") -> String {
    "to load a file in the encoding \(encoding), run: sea load --encoding=\(encoding) FILE"
  }

  package static func row(_ error: CoreError) -> Failure {
    switch error {
    case .badEncoding(let fault, let offset):
      Failure(.badData, "invalid encoding at byte \(offset): \(fault.words)")
    case .badJSON(let fault, _): Failure(.badData, fault.words, hint: fault.hint)
    case .badName(let fault, let name): Failure(.badData, "the name '\(name)' \(fault.words(name))")
    case .badMember(let role, .notText, _, _): Failure(.badData, "\(role.words) must be text")
    case .badMember(let role, .empty, _, _): Failure(.badData, "\(role.words) is empty")
    case .badMember(let role, let fault, let name, _):
      Failure(.badData, "\(role.words) '\(short(name))' \(fault.words(name))")
    case .badEntity(let fault, let key, _): Failure(.badData, fault.words(short(key)), hint: fault.hint)
    case .badBlock(let fault):
      Failure(fault == .truncated ? .truncated : .corrupt, "the block is invalid: \(fault.rawValue)")
    case .badRevision(let text): Failure(.badData, "'\(text)' is not a revision (DEPTH-HEX)")
    case .badUUID(let text): Failure(.badData, "'\(text)' is not a UUID")
    case .badPath(let fault, let path):
      Failure(fault.isInText ? .usage : .badData, "the path '\(path)' \(fault.words)")
    case .notReadable: Failure(.incompatible, "the block requires a newer version of sea")
    case .noKey(let key):
      Failure(.noKey, "cannot decrypt the block: key \(key.description.prefix(8)) is not available")
    case .badSlot(let fault): Failure(.corrupt, fault.words)
    case .badPassword(let fault): Failure(.badPassword, "the passphrase \(fault.words)")
    case .badAsset(let fault): Failure(.corrupt, "the asset is invalid: \(fault.rawValue)")
    case .badRequest(let fault): Failure(.corrupt, "the join request is invalid: \(fault.rawValue)")
    case .badFingerprint(.wordCount(let count)):
      Failure(.usage, "a fingerprint has eight words, not \(count)")
    case .badFingerprint(.unknownWord(let word)): Failure(.usage, "'\(short(word))' is not a fingerprint word")
    case .badRecovery:
      Failure(
        .badData, "invalid recovery key: expected its 24 words",
        hint: "check for missing, misspelled or swapped words")
    case .counterOverflow(let names):
      Failure(.badData, "\(PropertyPath(names: names).description): the sum is too large for a counter")
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
    case .zeroByte: "contains a zero byte"
    case .unassigned: "contains a character that Unicode 17 does not assign"
    case .tooManyMarks: "has more than 1,024 combining marks in a row"
    }
  }
}

extension SlotFault {
  fileprivate var words: String {
    switch self {
    case .badEncoding: "not a key slot"
    case .badRounds: "the number of rounds of the key slot is not between 50,000 and 10,000,000"
    case .badCommitment: "cannot open the key slot: wrong passphrase or key"
    case .badTag: "cannot open the key slot: its key is invalid"
    case .wrongKind: "the key slot is of another kind"
    }
  }
}

extension NameFault {
  fileprivate func words(_ name: String) -> String {
    switch self {
    case .empty: "is empty"
    case .tooLong: "is too long (\(name.utf8.count) bytes)"
    case .controlCharacter: "contains a control character"
    case .whiteSpace: "contains white space"
    case .badStart: "cannot begin with '\(name.prefix(1))'"
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
  /// Whether the path itself is invalid, regardless of any record.
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
    case .emptyName: "contains an empty name"
    case .notAContainer: "goes through a value that is not a dictionary or array"
    case .badIndex: "has an index outside the array"
    case .notFound: "does not exist"
    }
  }
}

extension EncodingFault {
  package var words: String {
    switch self {
    case .truncated: "unexpected end"
    case .indefinite: "a length is left open"
    case .notShortest: "a number or length is not in shortest form"
    case .unexpectedType: "unexpected item type"
    case .notUTF8: "a text is not UTF-8"
    case .wrongLength: "a length is wrong"
    case .trailingBytes: "unexpected data after the end"
    case .duplicateKey: "duplicate key"
    case .wrongOrder: "keys are out of order"
    case .tooDeep: "nested too deeply"
    case .notFinite: "a number is not finite"
    case .notCanonicalNumber: "a number is not in canonical form"
    case .badTag: "unknown tag"
    case .badReserved: "a reserved key is misused"
    case .outOfRange: "a value is out of range"
    case .emptyName: "a name is empty"
    case .nameTooLong: "a name is too long"
    case .tooMany: "too many items"
    case .badName: "a name is not allowed"
    case .nullValue: "null is not a property value"
    }
  }
}

extension JSONFault {
  fileprivate var words: String {
    switch self {
    case .unexpectedEnd: "unexpected end of JSON"
    case .unexpectedCharacter: "unexpected character"
    case .badLiteral: "expected true, false or null"
    case .badNumber: "invalid JSON number"
    case .numberOutOfRange: "number out of range"
    case .badString: "invalid JSON string"
    case .controlCharacter: "control character in a string; write it as \\u00XX"
    case .badEscape: "unknown escape in a string"
    case .loneSurrogate: "unpaired surrogate"
    case .notUTF8: "not UTF-8"
    case .duplicateKey: "duplicate key in an object"
    case .tooDeep: "nested more than 128 deep"
    case .tooLong: "record exceeds 64 MiB of JSON"
    case .notAnObject: "a record must be a JSON object"
    case .badReserved: "unknown key or value: keys that begin with '_' or '$' are reserved"
    case .badRevision: "_rev must be a full revision (DEPTH-HEX with 64 digits)"
    case .nullValue: "null is not a property value"
    case .nameTooLong: "the property name is longer than 1024 bytes"
    case .badDate: "not a date (RFC 3339, years 0001 to 9999)"
    case .badDay: "not a day (YYYY-MM-DD, years 0001 to 9999)"
    case .badData: "not Base64 (RFC 4648, with padding)"
    case .badDecimal: "not a decimal number"
    case .badInteger: "not an integer"
    case .dataTooLong: "the data exceeds core.maxDataSize"
    case .trailingText: "unexpected text after the JSON"
    case .revision: "this is a revision of a record, not a record"
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .dataTooLong: Failure.largeData
    case .notUTF8: Failure.recoding()
    case .notAnObject: "write objects, one after another or in an array"
    case .badReserved: "for the format, see sea-record(5)"
    case .revision: "to load the output of sea dump --history, run: sea load --history"
    default: nil
    }
  }
}

extension Failure {
  package static func badPassword(_ place: String) -> Failure {
    Failure(.badPassword, "wrong passphrase for '\(place)'", ["path": place])
  }

  package static func slotsNotTried(_ place: String, _ tried: Int, _ all: Int) -> Failure {
    Failure(
      .badPassword,
      "the passphrase opens none of \(tried) key slots in '\(place)'; \(all - tried) more were not tried",
      hint: "to try all, run: sea clone --all-slots; or use another container; to remove key slots of non-members, "
        + "a member runs: sea containers --drop-held=NAME",
      ["path": place])
  }

  package static func oldKey(_ epoch: UInt32) -> Failure {
    Failure(
      .noKey,
      "cannot write: the key of epoch \(epoch) is not available, and revoked instances could read data under an older key",
      hint: "to get the key, run: sea sync; or give a passphrase that opens it: "
        + "--password-file; to write anyway, see core.oldKey in sea-config(5)",
      ["epoch": String(epoch)])
  }
}
