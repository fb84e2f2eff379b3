import SeaCore
import SeaStore

/// The errors of the library. They contain data but no message texts.
package enum KitError: Error, Equatable {
  /// Neither the folder nor any parent folder contains `.sea`.
  case noDatabase(path: String)
  case placeInDatabase(path: String, database: String)
  case placeInContainer(path: String, container: String)
  /// The `.sea` belongs to another user.
  case unsafeDirectory(path: String, what: String, owner: UInt32)
  /// The revocation would have to spare more successors than one control entry can name.
  case tooManySuccessors(Int)
  /// The revocation would invalidate purge orders, so that purged blocks would count as damage.
  case wouldInvalidatePurges(RevocationLoss)
  /// The revocation would leave no instance that can authorize others.
  case noAdminLeft
  case entryTooLarge
  /// The target file would be inside a database or a container.
  case placeInUse(path: String, of: String)
  /// The `.sea` is inside a container, so anyone with write access to the container could have created it.
  case databaseInContainer(path: String, container: String)
  /// The given ID is not a version 4 UUID, or other options require an ID that is derived from a proof.
  case badDatabaseID
  /// The source of the database lacks the creator's first block, so its identity cannot be proven.
  case unproven(place: String, isBundle: Bool)
  case otherDatabase(path: String, have: UUID, want: UUID)
  case otherContentType(path: String, have: String, want: String)
  case databaseExists(path: String)
  /// Data that may affect membership could not be imported from the container.
  case membershipDataMissing(name: String)
  /// Container information, key slots or blocks have not arrived yet.
  case stillIncomplete(path: String, what: IncompletePart)
  /// The folder contains blocks, but no container information.
  case namelessContainer(path: String)
  /// The database would be created inside a container.
  case folderInUse(path: String)
  case badIdentity(path: String)
  case badPassword(place: String)
  /// The password does not open any of the key slots that were tried. Further key slots, which an attacker may have
  /// added, were not tried.
  case slotsNotTried(place: String, tried: Int, all: Int)
  /// Changes by this instance would not be valid.
  case unauthorized(Refusal)
  case noMembers(isSealed: Bool)
  case notAMember(UUID)
  /// The recovery key belongs to another database, or this database has none.
  case notRecovery
  /// The recovery key does not open any valid key slot.
  case recoveryKeyOpensNoSlot(place: String)
  /// An instance cannot authorize itself.
  case cannotAuthorizeItself
  case slotNotFound(String)
  case ambiguousSlot(String)
  /// Without this key slot, the database could no longer be opened.
  case lastSlot(String)
  /// A password was given for something that is not encrypted.
  case notSealed(place: String)
  /// A new password is required but not available.
  case noPassword(place: String)
  /// The database is encrypted, and this instance has no keys. `pending`: this instance is not authorized yet.
  case noKey(path: String, pending: Bool)
  /// This instance lacks the key of the current epoch, so new data would be encrypted under an old key.
  case oldKey(epoch: UInt32)
  /// The revision of the record is not the one that the writer expected. `have` is nil if the record does not exist.
  case stale(id: String, have: RevisionID?, want: String)
  case recordNotFound(String)
  /// A patch or deletion does not name a record.
  case noID(isPatch: Bool)
  /// A document for one record names another record.
  case otherRecord(have: String, want: String)
  case ambiguousRecord(String, candidates: [String])
  /// The text of a reference names no record. `similar` is a text that might name one.
  case noTarget(String, similar: String?)
  /// The input has a record with this ID after a reference of this text that led to another record.
  case namedBefore(String)
  case revisionNotFound(id: String, revision: String)
  /// The revision is a deletion and has no content.
  case revisionDeleted(id: String, RevisionID)
  case ambiguousRevision(id: String, revision: String)
  /// The content of the revision is needed but has been purged.
  case contentPurged(id: String, RevisionID)
  /// The imported data does not match the revision that it claims to be.
  case otherRevision(id: String, RevisionID)
  /// Conflicting records need content that the purge would delete.
  case purgeConflicts([String])
  case propertyNotFound(id: String, path: String)
  case instanceNotFound(String)
  case ambiguousInstance(String, [UUID])
  case blockNotFound(String)
  /// The position in the changes feed never existed or is no longer available.
  case positionUnknown(String)
  case badPosition(String)
  /// No record, revision, block or instance has that name.
  case nothingNamed(String)
  case invalidRevisionSpecifier(String)
  /// The string does not name an operation, a side of a conflict, or a revision.
  case badName(LookupFault)
  case containerNotFound(String)
  case containerExists(String)
  case badContainerName(String)
  /// This program does not know the kind of container at the location.
  case unknownScheme(String)
  /// The location to be tested is not empty.
  case placeNotEmpty(String)
  case badPlace(PlaceFault)
  /// The location contains a password, which would be visible in settings, messages and process lists.
  case passwordInLocation(scheme: String)
  case containerMismatch(name: String, what: ContainerField, have: String, want: String)
  /// The container does not exist, or does not respond.
  case containerUnavailable(name: String, path: String)
  /// The location contains a different container than the attached one.
  case otherContainer(name: String, path: String)
  case noContainer(path: String)
  case containerIsReadOnly(String)
  /// Another writer's block has the same index as this instance's block.
  case fork(container: String, instance: UUID, index: UInt32)
  /// The records to write do not fit into one block.
  case transactionTooLarge(records: Int)
  case tooManyChanges(Int)
  /// The clock or the index of the chain has reached its maximum.
  case chainExhausted
  /// `resolve` has no choice for these conflicts.
  case noChoice([OpenConflict])
  case operation(OperationFault)
  case propertyExists(id: String, path: String)
  /// A value would replace a value of another kind. `meant` is a similar assignment that keeps the kind.
  case replacesType(id: String, path: String, have: String, want: String, meant: String? = nil)
  case badValue(id: String, path: String, reason: BadValue)
  /// The record would break a rule of its type.
  case breaksRule(BrokenRule)
  case assetMissing(AssetReference)
  case badAsset(AssetReference, AssetState)
  /// The content is too large for an asset, or no file numbers are left.
  case assetTooLarge(String)
  case fileChanged(String)
  case badAssetFilter(container: String, String)
  /// The instance received a new identity in the meantime.
  case instanceIDChanged
  case damaged(String)

  package enum ContainerField: String, Sendable { case database, contentType }

  package enum BadValue: String, Error, Sendable {
    case notAnInteger, notADecimal, notADate, notADay, notACounter, notASet, notAnArray, tooLong, notText
    case outOfRange
    /// A dictionary, a counter or a set cannot have a semantic type.
    case noSemanticType
    case notAnAsset
    /// The value that identifies the new record is of a different kind than in all other records.
    case otherKind
    /// The result of an SQL expression is NULL, infinite or inexact, or conversion to JSON would lose a value.
    case computedNull, computedInfinite, computedInexact, computedLoss, copiedLoss
  }
}

/// A record that breaks a rule of its type.
package struct BrokenRule: Equatable, Sendable {
  package var id: String
  package var type: String
  package var path: PropertyPath
  /// The name of the setting.
  package var setting: String
  /// The rule as `WORD` and the value of the setting.
  package var word: String
  package var wanted: String
  /// The value as JSON, cut if it is long; nil if the property is missing.
  package var value: String?
  /// Another record with the same value, for a rule that demands unique values.
  package var twin: String?

  package var rule: String { "\(word)=\(wanted)" }

  package static func == (a: BrokenRule, b: BrokenRule) -> Bool {
    UTF8Text.equal(a.id, b.id) && UTF8Text.equal(a.path.pointer, b.path.pointer) && a.rule == b.rule
  }
}

package enum Refusal: String, Sendable {
  case readOnly, revoked, notAdmin
  /// Only a senior member may reverse the decision of a senior member.
  case notSenior
}

package enum OperationFault: Equatable, Sendable {
  case notFound(String)
  case ambiguous(String)
  /// No operation is in effect.
  case nothing
  case untouched(id: String, operation: String)
  /// The records have changed again since the operation.
  case changedSince(operation: String, ids: [String])
}

package enum IncompletePart: Sendable, Equatable {
  case info, keys, blocks
}

/// The reason why a string does not name the expected object.
package enum LookupFault: Equatable, Sendable {
  case operation(String)
  /// No instance with this name has written a side of the conflict; `of` lists the sides.
  case side(id: String, String, of: [Side])
  case revision(id: String, String)

  /// A side of a conflict. `name` is the instance that wrote this side, or empty if unknown.
  package struct Side: Equatable, Sendable {
    package let revision: RevisionID
    package let name: String
  }
}

/// The reason why a folder cannot be used as requested.
package enum PlaceFault: Equatable, Sendable {
  case notEmpty(path: String, having: String)
  /// The parent folder of a new container does not exist, for example because a medium is not mounted.
  case noParent(path: String, parent: String)
  case taken(path: String, by: String)
  /// The folder is a database, but a container was expected.
  case database(path: String, isRead: Bool)
  /// The database would be created inside a `.sea` folder.
  case withinDatabase(path: String, around: String)
  case noFolder(path: String)
  /// The folder does not contain a database; `inside` is a folder in it that does.
  case noDatabase(path: String, inside: String?)
}
