import SeaCore
import SeaStore

/// What the library could not do, as facts. Sentences for people are made elsewhere.
package enum KitError: Error, Equatable {
  /// No `.sea` from this folder upwards.
  case noDatabase(path: String)
  /// A container is to lie in the folder of a database.
  case placeInDatabase(path: String, database: String)
  /// A container is to lie in another one.
  case placeInContainer(path: String, container: String)
  /// A `.sea` that belongs to somebody else.
  case unsafeDirectory(path: String, what: String, owner: UInt32)
  /// A revocation leaves more successors alone than an entry can name.
  case tooManySuccessors(Int)
  /// By a revocation orders to purge count no more, and what was removed by them is damage.
  case wouldUncover(RevocationLoss)
  /// By a revocation nobody would be left who can let anybody in.
  case noAdminLeft
  /// What would be written, that nobody would read.
  case entryTooLarge
  /// A file that is to be written lies where a database or a container keeps its own.
  case placeInUse(path: String, of: String)
  /// A `.sea` that was found inside a container: anyone who writes there can have made it.
  case databaseInContainer(path: String, container: String)
  /// An id that was given is not of version 4, or it goes with what only an id that proves it can have.
  case badDatabaseID
  /// What a database was to be made from lacks the founder's first block: nothing proves what it is.
  case unproven(place: String, isBundle: Bool)
  /// The folder holds another database.
  case otherDatabase(path: String, have: UUID, want: UUID)
  /// The folder holds a database of another type of content.
  case otherContentType(path: String, have: String, want: String)
  /// A database is there where one was to be made.
  case databaseExists(path: String)
  /// Not everything of a container could be taken in that may say who belongs to the database.
  case notAllHere(name: String)
  /// What a container says of itself, or what wraps its keys, has not come yet.
  case stillArriving(path: String, what: ArrivingPart)
  /// Blocks lie in a folder that does not say which container it is.
  case namelessContainer(path: String)
  /// A container lies where a database was to be made.
  case folderInUse(path: String)
  case badIdentity(path: String)
  /// No slot of what lies at the place opens under the password.
  case badPassword(place: String)
  /// The password opens none of the slots that were tried, and there are more: somebody may have filled the place with them.
  case slotsNotTried(place: String, tried: Int, all: Int)
  /// What this instance writes would not count.
  case unauthorised(Refusal)
  /// Everybody is in who has the container: the database has no members and is not sealed.
  case nothingToAuthorise
  /// The database has no members to revoke.
  case noMembers(isSealed: Bool)
  case notAMember(UUID)
  /// The key of recovery of another database, or this one has none.
  case notRecovery
  /// No valid slot is for the key of recovery.
  case recoveryOpensNothing(place: String)
  /// An instance cannot let itself in.
  case aboutOurselves
  case slotNotFound(String)
  case ambiguousSlot(String)
  /// Nothing would open the database any more.
  case lastSlot(String)
  /// A password was given for what is not sealed.
  case notSealed(place: String)
  /// A new password was needed and none was to be had.
  case noPassword(place: String)
  /// A sealed database without keys; pending: nobody has let this instance in yet.
  case noKey(path: String, pending: Bool)
  /// An epoch has begun, and its key is not here: what is written would be sealed under the one before.
  case oldKey(epoch: UInt32)
  /// The record is not where the writer thought; nil: it is not there at all.
  case stale(id: String, have: RevisionID?, want: String)
  case recordNotFound(String)
  /// A patch or deletion that does not say of which record.
  case noID(isPatch: Bool)
  /// A document for one record names another.
  case otherRecord(have: String, want: String)
  case ambiguousRecord(String, candidates: [String])
  case revisionNotFound(id: String, revision: String)
  /// The record was deleted by the revision, which says nothing.
  case revisionDeleted(id: String, RevisionID)
  case ambiguousRevision(id: String, revision: String)
  /// What the revision said is needed, and was purged.
  case contentPurged(id: String, RevisionID)
  /// What is said of a revision makes another one, or none.
  case otherRevision(id: String, RevisionID)
  /// Records in conflict need what a purge would take.
  case purgeConflicts([String])
  case propertyNotFound(id: String, path: String)
  case instanceNotFound(String)
  case ambiguousInstance(String, [UUID])
  case blockNotFound(String)
  /// A position in the feed that this database has not given, or has forgotten.
  case positionUnknown(String)
  /// What is no position at all.
  case badPosition(String)
  /// No record, revision, block or instance has that name.
  case nothingNamed(String)
  case badSpec(String)
  /// What was to name an operation, or a revision of a record, and does not.
  case badName(LookupFault)
  case containerNotFound(String)
  case containerExists(String)
  case badContainerName(String)
  /// A location whose kind of container this program does not know.
  case unknownScheme(String)
  /// A place that is only to be tried has files.
  case placeNotEmpty(String)
  /// A folder that is not what it was named for.
  case badPlace(PlaceFault)
  /// A password would be seen in settings, messages and lists of processes.
  case passwordInLocation(scheme: String)
  case containerMismatch(name: String, what: ContainerField, have: String, want: String)
  /// Nothing at the place of a container, or nothing that answers.
  case containerAway(name: String, path: String)
  /// Another container than the one that is meant: it lies on another medium, or was made anew.
  case otherContainer(name: String, path: String)
  /// No container where one was to be attached.
  case noContainer(path: String)
  case containerIsReadOnly(String)
  /// The place of our own block is taken by one that we did not write.
  case fork(container: String, instance: UUID, index: UInt32)
  /// The records of one call do not fit one block.
  case transactionTooLarge(records: Int)
  case tooManyChanges(Int)
  /// The clock or the index of the chain is at its end.
  case chainExhausted
  /// What `resolve` has no choice for.
  case noChoice([OpenConflict])
  /// What there is to say of an operation that was named.
  case operation(OperationFault)
  /// What was to be moved there would take the place of another value.
  case propertyExists(id: String, path: String)
  /// A value of one kind would take the place of another kind; the assignment that gives it the kind that is there, if there is one.
  case replacesType(id: String, path: String, have: String, want: String, meant: String? = nil)
  case badValue(id: String, path: String, reason: BadValue)
  /// The content of an asset is not on this device.
  case assetMissing(AssetReference)
  /// What lies where an asset should be is not what the records say.
  case badAsset(AssetReference, AssetState)
  /// More content than an asset can have, or than there are numbers for.
  case assetTooLarge(String)
  /// A file became longer or shorter while it was read.
  case fileChanged(String)
  /// A setting `container.NAME.assets` that cannot be read.
  case badAssetFilter(container: String, String)
  /// The instance took another name while this was under way.
  case renewedMeanwhile
  /// Records that are needed to read the input but were written as something else.
  case damaged(String)

  package enum ContainerField: String, Sendable { case database, contentType }

  package enum BadValue: String, Error, Sendable {
    case notAnInteger, notADecimal, notADate, notACounter, notASet, notAnArray, tooLong, notText, outOfRange
    /// A dictionary, a counter or a set is to have a semantic type.
    case noSemanticType
    case notAnAsset
    /// What a record that is to be made would be found by is of another kind than all others have there.
    case otherKind
    /// What SQL has computed: NULL in the place of a value, no number that there is, one whose digits are lost in the place of one
    /// that has them all, JSON in the place of what JSON cannot say.
    case computedNull, computedInfinite, computedInexact, computedLoss, copiedLoss
  }
}

/// Why an instance may not write.
package enum Refusal: String, Sendable {
  case readOnly, revoked, notAdmin
  /// A senior has taken from somebody what only a senior can give back.
  case notSenior
}

/// Why an operation cannot be taken back, or shown.
package enum OperationFault: Equatable, Sendable {
  case notFound(String)
  case ambiguous(String)
  /// Nothing that is still in effect.
  case nothing
  /// The operation did nothing to the record.
  case untouched(id: String, operation: String)
  /// Records that have other revisions now than the operation left them with.
  case changedSince(operation: String, ids: [String])
}

/// What of a container is on its way.
package enum ArrivingPart: Sendable, Equatable {
  case info, keys, blocks
}

/// Why a text does not name what it was to name.
package enum LookupFault: Equatable, Sendable {
  case operation(String)
  /// No instance of that name wrote a side of a conflict; those that there are.
  case side(id: String, String, of: [Side])
  case revision(id: String, String)

  /// A side of a conflict, and what the instance calls itself that wrote it; empty if that is not known.
  package struct Side: Equatable, Sendable {
    package let revision: RevisionID
    package let name: String
  }
}

/// Why a folder is not what it was named for.
package enum PlaceFault: Equatable, Sendable {
  /// It was to become a container, and has files of others.
  case notEmpty(path: String, having: String)
  /// The folder is not there that a container would be made in: a medium that is not mounted looks like that.
  case noParent(path: String, parent: String)
  /// A container of another name is there already.
  case taken(path: String, by: String)
  /// A database where a container was meant: to be read, or to be attached or made.
  case database(path: String, isRead: Bool)
  /// A database was to be made in a `.sea`, or below one.
  case withinDatabase(path: String, around: String)
  /// Where a database was to be looked for.
  case noFolder(path: String)
  /// It was named as the folder of a database; `inside` is one in it.
  case noDatabase(path: String, inside: String?)
}
