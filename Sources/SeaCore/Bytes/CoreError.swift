/// An error caused by bytes or text that violate the format. The wording of user messages is left to other modules.
package enum CoreError: Error, Equatable {
  case badEncoding(EncodingFault, offset: Int)
  case badJSON(JSONFault, offset: Int)
  case badName(NameFault, String)
  case badMember(NameRole, NameFault, String, offset: Int)
  /// Invalid JSON for an entity in Datastore's interchange format, with the affected key.
  case badEntity(EntityFault, String, offset: Int)
  case badBlock(BlockFault)
  case badRevision(String)
  case badUUID(String)
  /// A verified block whose payload cannot be read without a newer version or a missing key.
  case notReadable
  /// An encrypted block whose key is missing. The digest identifies the key.
  case noKey(Digest)
  case crypto(String)
  /// A string that is not a path within a record, or a path to which no value can be assigned.
  case badPath(PathFault, String)
  case badSlot(SlotFault)
  case badPassword(PasswordFault)
  case badAsset(AssetFault)
  case badRequest(RequestFault)
  case badFingerprint(FingerprintFault)
  case badRecovery
  /// A counter's new value is out of range. The counter is identified by its path in a record.
  case counterOverflow(names: [String])
}

extension CoreError {
  package var place: Int? {
    switch self {
    case .badJSON(_, let offset), .badMember(_, _, _, let offset), .badEntity(_, _, let offset): offset
    default: nil
    }
  }
}

package enum EncodingFault: String, Sendable {
  case truncated, indefinite, notShortest, unexpectedType, notUTF8, wrongLength, trailingBytes
  case duplicateKey, wrongOrder, tooDeep, notFinite, notCanonicalNumber, badTag, badReserved, outOfRange, emptyName
  case nameTooLong, tooMany, badName, nullValue
}

package enum JSONFault: String, Sendable {
  case unexpectedEnd, unexpectedCharacter, badLiteral, badNumber, numberOutOfRange, badString, controlCharacter
  case badEscape, loneSurrogate, notUTF8, duplicateKey, tooDeep, tooLong, notAnObject, badReserved, badRevision,
    nullValue
  case nameTooLong, badDate, badDay, badData, badDecimal, badInteger, dataTooLong, trailingText
  /// A revision id that occurs only in a record's history, not in a current record.
  case revision
}

package enum EntityFault: String, Sendable {
  case notEntities, otherKey, array, noValue, unknownKey, badType, notText, notInteger, notNumber, notBoolean
  case notADate, datestamps
}

package enum PathFault: String, Sendable {
  case empty, badEscape, emptyName, notAContainer, badIndex, notFound
}

package enum NameRole: String, Sendable { case id, type, property, reference, label }

package enum NameFault: String, Sendable {
  case empty, tooLong, controlCharacter, whiteSpace, badStart, notUTF8, notText
}

/// The reasons for rejecting a block. The raw values are the codes documented in sea-verify(1).
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

package enum SlotFault: String, Sendable {
  case badEncoding = "bad-slot"
  case badRounds = "bad-rounds"
  case badCommitment = "bad-commitment"
  case badTag = "bad-tag"
  case wrongKind = "wrong-kind"
}

package enum PasswordFault: String, Sendable {
  case empty, tooLong, notUTF8, zeroByte, unassigned
  /// The password has more consecutive combining marks than real text ever has.
  case tooManyMarks
}

package enum AssetFault: String, Sendable {
  case truncated
  case otherKey = "other-key"
  case badTag = "bad-tag"
  /// The last piece is empty, although it is not the only piece.
  case badSize = "bad-size"
}

package enum RequestFault: String, Sendable {
  case badEncoding = "bad-request"
  /// A key is weak or malformed, or the file name does not match the key.
  case badKey = "bad-key"
  case badSignature = "bad-signature"
  case otherDatabase = "other-database"
}

package enum FingerprintFault: Equatable, Sendable {
  case wordCount(Int)
  case unknownWord(String)
}
