import SeaCore
import SeaStore

/// The errors of the library, as data; their texts are made elsewhere.
package enum KitError: Error, Equatable {
  /// Neither this folder nor any above it contains `.sea`.
  case noDatabase(path: String)
  /// The container would be inside a database folder.
  case placeInDatabase(path: String, database: String)
  /// The container would be inside another container.
  case placeInContainer(path: String, container: String)
  /// The `.sea` belongs to another user.
  case unsafeDirectory(path: String, what: String, owner: UInt32)
  /// The revocation would spare more successors than an entry can name.
  case tooManySuccessors(Int)
  /// The revocation would invalidate purge orders, so that purged blocks would count as damage.
  case wouldUncover(RevocationLoss)
  /// The revocation would leave no instance that can authorize others.
  case noAdminLeft
  /// The entry would be larger than the format allows.
  case entryTooLarge
  /// The file to write would be among the files of a database or a container.
  case placeInUse(path: String, of: String)
  /// The `.sea` is inside a container, so anyone who writes there could have made it.
  case databaseInContainer(path: String, container: String)
  /// The given id is not of version 4, or other options require an id that proves itself.
  case badDatabaseID
  /// The source of the database lacks the founder's first block, so its identity cannot be proven.
  case unproven(place: String, isBundle: Bool)
  /// The folder contains another database.
  case otherDatabase(path: String, have: UUID, want: UUID)
  /// The folder contains a database of another content type.
  case otherContentType(path: String, have: String, want: String)
  /// A database already exists there.
  case databaseExists(path: String)
  /// Some data of the container that may decide about membership could not be imported.
  case notAllHere(name: String)
  /// Information, key slots or blocks of the container have not arrived yet.
  case stillArriving(path: String, what: ArrivingPart)
  /// The folder contains blocks, but no container information.
  case namelessContainer(path: String)
  /// The database would be created in a container.
  case folderInUse(path: String)
  case badIdentity(path: String)
  /// The password opens no key slot at the place.
  case badPassword(place: String)
  /// The password opens no key slot that was tried, and there are more, which an attacker may have added.
  case slotsNotTried(place: String, tried: Int, all: Int)
  /// Changes by this instance would not be valid.
  case unauthorized(Refusal)
  case noMembers(isSealed: Bool)
  case notAMember(UUID)
  /// The recovery key belongs to another database, or this database has none.
  case notRecovery
  /// No valid key slot is for the recovery key.
  case recoveryOpensNothing(place: String)
  /// An instance cannot authorize itself.
  case aboutOurselves
  case slotNotFound(String)
  case ambiguousSlot(String)
  /// Without this key slot, nothing would open the database.
  case lastSlot(String)
  /// A password was given for something that is not encrypted.
  case notSealed(place: String)
  /// A new password was required, but not available.
  case noPassword(place: String)
  /// The encrypted database has no keys here. `pending`: this instance is not authorized yet.
  case noKey(path: String, pending: Bool)
  /// An epoch has begun whose key is not here, so new data would be encrypted under the previous key.
  case oldKey(epoch: UInt32)
  /// The record has another revision than the writer expected; `have` is nil if it does not exist.
  case stale(id: String, have: RevisionID?, want: String)
  case recordNotFound(String)
  /// A patch or deletion does not name a record.
  case noID(isPatch: Bool)
  /// A document for one record names another one.
  case otherRecord(have: String, want: String)
  case ambiguousRecord(String, candidates: [String])
  case revisionNotFound(id: String, revision: String)
  /// The revision deleted the record, and so has no content.
  case revisionDeleted(id: String, RevisionID)
  case ambiguousRevision(id: String, revision: String)
  /// The content of the revision is needed, but was purged.
  case contentPurged(id: String, RevisionID)
  /// The data of a revision does not result in that revision.
  case otherRevision(id: String, RevisionID)
  /// Conflicting records need content that the purge would delete.
  case purgeConflicts([String])
  case propertyNotFound(id: String, path: String)
  case instanceNotFound(String)
  case ambiguousInstance(String, [UUID])
  case blockNotFound(String)
  /// This database has never issued the position in the feed, or no longer knows it.
  case positionUnknown(String)
  /// The text is not a position.
  case badPosition(String)
  /// No record, revision, block or instance has that name.
  case nothingNamed(String)
  case badSpec(String)
  /// The text does not name an operation, a side of a conflict, or a revision.
  case badName(LookupFault)
  case containerNotFound(String)
  case containerExists(String)
  case badContainerName(String)
  /// This program does not know the kind of container at the location.
  case unknownScheme(String)
  /// The place for a test contains files.
  case placeNotEmpty(String)
  /// A folder cannot be used as requested.
  case badPlace(PlaceFault)
  /// The password would be visible in settings, messages and lists of processes.
  case passwordInLocation(scheme: String)
  case containerMismatch(name: String, what: ContainerField, have: String, want: String)
  /// The container does not exist, or does not respond.
  case containerAway(name: String, path: String)
  /// The container is not the attached one: it is on another medium, or was created again.
  case otherContainer(name: String, path: String)
  /// There is no container to attach.
  case noContainer(path: String)
  case containerIsReadOnly(String)
  /// Another writer's block has the place of our own block.
  case fork(container: String, instance: UUID, index: UInt32)
  /// The records of one call do not fit into one block.
  case transactionTooLarge(records: Int)
  case tooManyChanges(Int)
  /// The clock or the index of the chain has reached its maximum.
  case chainExhausted
  /// The conflicts that `resolve` has no choice for.
  case noChoice([OpenConflict])
  /// The named operation cannot be undone or shown.
  case operation(OperationFault)
  /// The moved value would replace another one.
  case propertyExists(id: String, path: String)
  /// A value would replace one of another kind; `meant` is the assignment that keeps the kind, if there is one.
  case replacesType(id: String, path: String, have: String, want: String, meant: String? = nil)
  case badValue(id: String, path: String, reason: BadValue)
  /// The content of an asset is not on this device.
  case assetMissing(AssetReference)
  /// The local files of an asset do not match the records.
  case badAsset(AssetReference, AssetState)
  /// The content is larger than an asset can be, or no numbers are left for its files.
  case assetTooLarge(String)
  /// A file was changed while it was read.
  case fileChanged(String)
  /// The setting `container.NAME.assets` is invalid.
  case badAssetFilter(container: String, String)
  /// The instance got a new name in the meantime.
  case renewedMeanwhile
  /// Data in the local store is damaged.
  case damaged(String)

  package enum ContainerField: String, Sendable { case database, contentType }

  package enum BadValue: String, Error, Sendable {
    case notAnInteger, notADecimal, notADate, notACounter, notASet, notAnArray, tooLong, notText, outOfRange
    /// A dictionary, a counter or a set cannot have a semantic type.
    case noSemanticType
    case notAnAsset
    /// The value that identifies a new record is of another kind than in all other records.
    case otherKind
    /// A result of SQL: NULL instead of a value, an infinite number, or a number that lost digits. Or JSON would
    /// replace a value that JSON cannot express.
    case computedNull, computedInfinite, computedInexact, computedLoss, copiedLoss
  }
}

/// The reason why an instance may not write.
package enum Refusal: String, Sendable {
  case readOnly, revoked, notAdmin
  /// Only a senior member may reverse what a senior member has decided.
  case notSenior
}

/// The reason why an operation cannot be undone or shown.
package enum OperationFault: Equatable, Sendable {
  case notFound(String)
  case ambiguous(String)
  /// No operation is in effect.
  case nothing
  /// The operation did not change the record.
  case untouched(id: String, operation: String)
  /// The records have other revisions now than after the operation.
  case changedSince(operation: String, ids: [String])
}

/// The part of a container that is still arriving.
package enum ArrivingPart: Sendable, Equatable {
  case info, keys, blocks
}

/// The reason why a text does not name the expected thing.
package enum LookupFault: Equatable, Sendable {
  case operation(String)
  /// No instance with this name wrote a side of the conflict; `of` lists the sides.
  case side(id: String, String, of: [Side])
  case revision(id: String, String)

  /// A side of a conflict, and the name of the instance that wrote it; empty if unknown.
  package struct Side: Equatable, Sendable {
    package let revision: RevisionID
    package let name: String
  }
}

/// The reason why a folder cannot be used as requested.
package enum PlaceFault: Equatable, Sendable {
  /// The folder for a new container contains other files.
  case notEmpty(path: String, having: String)
  /// The parent folder of a new container does not exist, as when a medium is not mounted.
  case noParent(path: String, parent: String)
  /// The container is already attached under another name.
  case taken(path: String, by: String)
  /// The folder is a database, but a container was expected: to read, attach or create.
  case database(path: String, isRead: Bool)
  /// The database would be created in a `.sea`, or below one.
  case withinDatabase(path: String, around: String)
  /// The folder to search for a database does not exist.
  case noFolder(path: String)
  /// The folder does not contain a database; `inside` is a folder in it that does.
  case noDatabase(path: String, inside: String?)
}
