/// A promise of the format that some bytes or text do not keep. Words for people are found elsewhere.
package enum CoreError: Error, Equatable {
  case badEncoding(EncodingFault, offset: Int)
  case badJSON(JSONFault, offset: Int)
  /// A record's id, type or property name that cannot be stored.
  case badName(NameFault, String)
  /// The same in a JSON text, with its place.
  case badMember(NameRole, NameFault, String, offset: Int)
  /// What is no entity of Datastore's interchange, and the key that it is about.
  case badEntity(EntityFault, String, offset: Int)
  case badBlock(BlockFault)
  /// A text that should be a revision (`DEPTH-HEX`).
  case badRevision(String)
  /// A text that should be a UUID.
  case badUUID(String)
  /// A block that verifies but whose payload only a newer program, or one with a key, can read.
  case notReadable
  /// A sealed block, and the key with the digest that it names is not here.
  case noKey(Digest)
  case crypto(String)
  /// A text that should be a path into a record, or a path that cannot be followed to where a value is to be put.
  case badPath(PathFault, String)
  case badSlot(SlotFault)
  case badPassword(PasswordFault)
  case badAsset(AssetFault)
  /// A file that should be a join request.
  case badRequest(RequestFault)
  /// A text that should be the words of a fingerprint.
  case badFingerprint(FingerprintFault)
  /// A text that should be the words of a key of recovery.
  case badRecovery
  /// A counter, by its place in a record, that cannot reach what it is to say.
  case counterOverflow(names: [String])
}

extension CoreError {
  /// Where in a JSON text the fault stands.
  package var place: Int? {
    switch self {
    case .badJSON(_, let offset), .badMember(_, _, _, let offset), .badEntity(_, _, let offset): offset
    default: nil
    }
  }
}

/// Why bytes are not the one encoding of a value.
package enum EncodingFault: String, Sendable {
  case truncated, indefinite, notShortest, unexpectedType, notUTF8, wrongLength, trailingBytes
  case duplicateKey, wrongOrder, tooDeep, notFinite, notCanonicalNumber, badTag, badReserved, outOfRange, emptyName
  case nameTooLong, tooMany, badName, nullValue
}

/// Why a text is not JSON that a record can hold.
package enum JSONFault: String, Sendable {
  case unexpectedEnd, unexpectedCharacter, badLiteral, badNumber, numberOutOfRange, badString, controlCharacter
  case badEscape, loneSurrogate, notUTF8, duplicateKey, tooDeep, tooLong, notAnObject, badReserved, badRevision,
    nullValue
  case nameTooLong, badDate, badData, badDecimal, badInteger, dataTooLong, trailingText
  /// A revision of a history, where the record as it is now is expected.
  case revision
}

/// Why JSON is not Datastore's interchange.
package enum EntityFault: String, Sendable {
  case notEntities, otherKey, array, noValue, unknownKey, badType, notText, notInteger, notNumber, notBoolean
  case notADate, datestamps
}

/// Why a path does not lead anywhere.
package enum PathFault: String, Sendable {
  case empty, badEscape, emptyName, notAContainer, badIndex, notFound
}

/// What a name in a JSON text is the name of.
package enum NameRole: String, Sendable { case id, type, property, reference, label }

package enum NameFault: String, Sendable {
  case empty, tooLong, controlCharacter, whiteSpace, badStart, notUTF8, notText
}

/// Why a block is refused. The raw values are the fixed codes of sea-verify(1).
package enum BlockFault: String, Sendable {
  case badMagic = "bad-magic"
  case badMode = "bad-mode"
  case badSize = "bad-size"
  case badIndex = "bad-index"
  case badLamport = "bad-lamport"
  case badPrevious = "bad-prev"
  case badData = "bad-data"
  case badSignature = "bad-signature"
  case badKey = "bad-key"
  case badPayload = "bad-payload"
  case badDepth = "bad-depth"
  case badTag = "bad-tag"
  case badRemoval = "bad-removal"
  case truncated
}

/// Why a slot is refused, or not opened.
package enum SlotFault: String, Sendable {
  case badEncoding = "bad-slot"
  case badRounds = "bad-rounds"
  /// What derives from the password or from the key is not what the slot was made with.
  case badCommitment = "bad-commitment"
  case badTag = "bad-tag"
  /// Another kind of slot than that which is to be opened.
  case wrongKind = "wrong-kind"
}

/// Why bytes cannot be a password.
package enum PasswordFault: String, Sendable {
  case empty, tooLong, notUTF8, zeroByte
  /// More combining marks in a row than any text has.
  case tooManyMarks
}

/// Why a sealed asset is refused.
package enum AssetFault: String, Sendable {
  case truncated
  /// Sealed under another key.
  case otherKey = "other-key"
  case badTag = "bad-tag"
  /// The last piece is empty though others stand before it.
  case badSize = "bad-size"
}

/// Why a join request is refused.
package enum RequestFault: String, Sendable {
  case badEncoding = "bad-request"
  /// A key that is not acceptable, or that is not the one of the file's name.
  case badKey = "bad-key"
  case badSignature = "bad-signature"
  case otherDatabase = "other-database"
}

/// Why a text is not the words of a fingerprint.
package enum FingerprintFault: Equatable, Sendable {
  /// The number of words there are; it should be eight.
  case wordCount(Int)
  case unknownWord(String)
}
