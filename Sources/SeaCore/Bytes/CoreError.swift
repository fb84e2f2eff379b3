/// A violation of the format by bytes or text. Other code chooses the words for users.
package enum CoreError: Error, Equatable {
  case badEncoding(EncodingFault, offset: Int)
  case badJSON(JSONFault, offset: Int)
  /// A record id, type or property name that cannot be stored.
  case badName(NameFault, String)
  /// A bad name in a JSON text, with its offset.
  case badMember(NameRole, NameFault, String, offset: Int)
  /// Invalid JSON for an entity of Datastore's interchange format, with the key concerned.
  case badEntity(EntityFault, String, offset: Int)
  case badBlock(BlockFault)
  /// A text that is not a revision (`DEPTH-HEX`).
  case badRevision(String)
  /// A text that is not a UUID.
  case badUUID(String)
  /// A verified block whose payload needs a newer program or a key.
  case notReadable
  /// An encrypted block whose key, with this digest, is missing.
  case noKey(Digest)
  case crypto(String)
  /// A text that is not a path into a record, or a path that cannot receive a value.
  case badPath(PathFault, String)
  case badSlot(SlotFault)
  case badPassword(PasswordFault)
  case badAsset(AssetFault)
  /// A file that is not a valid join request.
  case badRequest(RequestFault)
  /// A text that is not a valid fingerprint.
  case badFingerprint(FingerprintFault)
  /// A text that is not a valid recovery key.
  case badRecovery
  /// A counter, by its path in a record, that cannot reach its new value.
  case counterOverflow(names: [String])
}

extension CoreError {
  /// The offset of the fault in a JSON text.
  package var place: Int? {
    switch self {
    case .badJSON(_, let offset), .badMember(_, _, _, let offset), .badEntity(_, _, let offset): offset
    default: nil
    }
  }
}

/// The reasons why bytes are not the canonical encoding of a value.
package enum EncodingFault: String, Sendable {
  case truncated, indefinite, notShortest, unexpectedType, notUTF8, wrongLength, trailingBytes
  case duplicateKey, wrongOrder, tooDeep, notFinite, notCanonicalNumber, badTag, badReserved, outOfRange, emptyName
  case nameTooLong, tooMany, badName, nullValue
}

/// The reasons why a text is not JSON that a record can hold.
package enum JSONFault: String, Sendable {
  case unexpectedEnd, unexpectedCharacter, badLiteral, badNumber, numberOutOfRange, badString, controlCharacter
  case badEscape, loneSurrogate, notUTF8, duplicateKey, tooDeep, tooLong, notAnObject, badReserved, badRevision,
    nullValue
  case nameTooLong, badDate, badData, badDecimal, badInteger, dataTooLong, trailingText
  /// A revision from a history instead of a current record.
  case revision
}

/// The reasons why JSON does not follow Datastore's interchange format.
package enum EntityFault: String, Sendable {
  case notEntities, otherKey, array, noValue, unknownKey, badType, notText, notInteger, notNumber, notBoolean
  case notADate, datestamps
}

/// The reasons why a path is invalid.
package enum PathFault: String, Sendable {
  case empty, badEscape, emptyName, notAContainer, badIndex, notFound
}

/// The role of a name in a JSON text.
package enum NameRole: String, Sendable { case id, type, property, reference, label }

package enum NameFault: String, Sendable {
  case empty, tooLong, controlCharacter, whiteSpace, badStart, notUTF8, notText
}

/// The reasons for rejecting a block. The raw values are the fixed codes of sea-verify(1).
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

/// The reasons for rejecting or not opening a key slot.
package enum SlotFault: String, Sendable {
  case badEncoding = "bad-slot"
  case badRounds = "bad-rounds"
  /// The commitment does not match the password or key.
  case badCommitment = "bad-commitment"
  case badTag = "bad-tag"
  /// The slot has another kind than the caller expects.
  case wrongKind = "wrong-kind"
}

/// The reasons why bytes cannot be a password.
package enum PasswordFault: String, Sendable {
  case empty, tooLong, notUTF8, zeroByte
  /// More consecutive combining marks than in any real text.
  case tooManyMarks
}

/// The reasons for rejecting an encrypted asset.
package enum AssetFault: String, Sendable {
  case truncated
  /// Encrypted under another key.
  case otherKey = "other-key"
  case badTag = "bad-tag"
  /// The last piece is empty although it is not the first.
  case badSize = "bad-size"
}

/// The reasons for rejecting a join request.
package enum RequestFault: String, Sendable {
  case badEncoding = "bad-request"
  /// A key is not acceptable, or does not match the file name.
  case badKey = "bad-key"
  case badSignature = "bad-signature"
  case otherDatabase = "other-database"
}

/// The reasons why a text is not a fingerprint.
package enum FingerprintFault: Equatable, Sendable {
  /// The number of words, which should be eight.
  case wordCount(Int)
  case unknownWord(String)
}
