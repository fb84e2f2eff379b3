import SeaCore
import SeaSystem

/// What must be true of a record for a write to happen.
package enum Precondition: Sendable, Equatable {
  case none
  /// The record is not there, or deleted.
  case absent
  /// A live leaf of the record begins with this text (`DEPTH-HEX`, at least 4 digits), and is written upon.
  case revision(String)
}

/// The records of one call, which become one block: collected first, written together, or not at all.
package final class WriteBatch {
  enum Content {
    /// A canonical body in the arena.
    case body(Range<Int>)
    /// A draft in the arena, which becomes a body when the state before it is known.
    case draft(Range<Int>)
    /// A draft of a JSON Merge Patch (RFC 7396).
    case patch(Range<Int>)
    /// A draft, or a body, in the arena: what it does not name stays as it is. A null takes a property away.
    case addition(Range<Int>, isBody: Bool)
    case delete
    /// The new content is made from the old: nil where there is none. A body in the arena is what it makes of nothing.
    case edit((Value?) throws -> Value, ofNothing: Range<Int>?)
  }

  struct Entry {
    var id: Range<Int>
    var type: String?
    var content: Content
    var precondition: Precondition
    var hasReferences: Bool
    /// The record must be there.
    var mustExist = false
    var only = Target.all
    /// The type is for a record that it makes, or one that has none: any other type is an error.
    var keepsType = false
    /// Nobody has said which record is meant.
    var hasNewID = false
  }

  /// Which records an entry is for; of others it is passed over.
  package enum Target: Sendable { case all, new, known }

  var arena = ByteWriter(capacity: 1 << 8)
  private(set) var entries: [Entry] = []
  private var randomness: [UInt8] = []
  /// What stands in the log as the author's word for this transaction.
  package var label: String?
  /// What an entry that cannot be written comes to: it is left out and told of, or all of them are not written, which is then an
  /// `EntryFault`.
  package var leavesOutFaults = false
  /// Asked, with the id and the name of the property, where an addition replaces a value that is there.
  package var mayReplace: ((_ id: String, _ name: String, _ old: Value, _ new: Value) throws -> Void)?

  /// Whether a record that is there may get another type than its own from what is said of all.
  package var mayRetype = true

  /// Whether those who look are told how far it has come, where nothing else tells them.
  package var tellsProgress = false

  /// Whether a record that it makes gets the defaults of its type; what is taken back does not.
  package var givesDefaults = true

  package init(label: String?) { self.label = label }

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }
  /// About the bytes that the block will have.
  package var size: Int { arena.count }

  /// Whether what the batch was given says of which type the record of an entry is.
  package func hasType(_ entry: Int) -> Bool { entries[entry].type != nil }

  /// Whether the record of an entry is new because nothing says which one is meant.
  package func hasNewID(_ entry: Int) -> Bool { entries[entry].hasNewID }
  package var hasNewIDs: Bool { entries.contains(where: \.hasNewID) }

  package func id(of entry: Int) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: arena.bytes[entries[entry].id]), as: UTF8.self)
  }

  /// What `put` says of every document.
  package struct Options {
    /// The type of documents that name none.
    package var type: String?
    package var id: String?
    /// The id is that of the record, whatever a document names: another one is an error.
    package var isOfOne = false
    package var precondition = Precondition.none
    /// The documents are JSON Merge Patches.
    package var isPatch = false
    package var limits = RecordLimits()
    /// The revision that a document names is none of ours.
    package var ignoresRevision = false
    /// Properties that a document does not name stay as they are.
    package var isAddition = false
    package var only = Target.all
    /// Finds the id of a record from its body, or draft of one, and the type and id that the input says.
    package var identify: ((UnsafeBufferPointer<UInt8>, _ type: String?, _ id: String?) throws -> String?)?

    package init() {}
  }

  /// Adds the document that `tape` holds.
  package func add(
    _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options
  ) throws {
    let start = arena.count
    do {
      var limits = options.limits
      limits.ignoresRevision = options.ignoresRevision
      limits.keepsNulls = options.isPatch || (options.isAddition && tape.hasNull)
      let input = try encodeRecord(tape, bytes, into: &arena, limits: limits)
      if input.id == nil, options.id == nil, input.deleted || options.isPatch {
        throw KitError.noID(isPatch: options.isPatch)
      }
      try add(input, isBody: !limits.keepsNulls, options)
    } catch {
      arena.truncate(to: start)
      throw error
    }
  }

  /// Adds a record whose parts somebody else has written behind what is in the arena.
  package func add(
    _ options: Options, _ write: (inout ByteWriter) throws -> RecordInput
  ) throws {
    let start = arena.count
    do {
      try add(write(&arena), isBody: true, options)
    } catch {
      arena.truncate(to: start)
      throw error
    }
  }

  private func add(_ input: RecordInput, isBody: Bool, _ options: Options) throws {
    if options.isOfOne, let id = input.id, let named = options.id, !UTF8Text.equal(id, named) {
      throw KitError.otherRecord(have: id, want: named)
    }
    var given = input.id ?? options.id
    if let identify = options.identify {
      given = try identify(UnsafeBufferPointer(rebasing: arena.bytes[input.body]), input.type, given)
    }
    let id = try given.map { place($0) } ?? placeNewID()
    var precondition = options.precondition
    if let rev = input.rev { precondition = .revision(rev.description) }
    let content: Content =
      if input.deleted {
        .delete
      } else if options.isPatch {
        .patch(input.body)
      } else if options.isAddition {
        .addition(input.body, isBody: isBody && !input.needsState)
      } else {
        input.needsState ? .draft(input.body) : .body(input.body)
      }
    // One transaction is one block: what cannot fit is refused before it fills the memory.
    guard count < Payload.mostItems else { throw KitError.tooManyChanges(count + 1) }
    guard size <= BlockHeader.largestBlock else { throw KitError.transactionTooLarge(records: count + 1) }
    let only = input.deleted && options.only == .all && options.isAddition ? .known : options.only
    entries.append(
      Entry(
        id: id, type: input.type ?? options.type, content: content, precondition: precondition,
        hasReferences: input.hasReferences, mustExist: options.isPatch || (input.deleted && only != .known),
        only: only, keepsType: options.isAddition && input.type == nil && !mayRetype, hasNewID: given == nil))
  }

  package func addDeletion(_ id: String, _ precondition: Precondition) {
    entries.append(
      Entry(
        id: place(id), type: nil, content: .delete, precondition: precondition, hasReferences: false, mustExist: true))
  }

  /// Adds a change of one record by a function of its content.
  /// - Parameters:
  ///   - keepsType: whether a record that has another type than this is an error.
  ///   - writeNew: writes the body that `edit` makes of nothing, and says whether it has references; nil if that is for `edit` to do.
  package func addEdit(
    _ id: String?, type: String?, _ precondition: Precondition, mustExist: Bool, keepsType: Bool = false,
    writeNew: (inout ByteWriter) -> Bool? = { _ in nil }, _ edit: @escaping (Value?) throws -> Value
  ) throws {
    let named = try id.map { place($0) } ?? placeNewID()
    let start = arena.count
    let hasReferences = writeNew(&arena)
    entries.append(
      Entry(
        id: named, type: type, content: .edit(edit, ofNothing: hasReferences.map { _ in start..<arena.count }),
        precondition: precondition, hasReferences: hasReferences ?? true, mustExist: mustExist, keepsType: keepsType))
  }

  /// Adds plain properties of one record: what they do not name stays as it is.
  /// - Parameters:
  ///   - type: a record that has another one is an error.
  ///   - write: writes them as a body, and says whether it has references; nil if they cannot be.
  /// - Returns: whether it was added.
  package func addPlain(
    _ id: String, type: String?, _ precondition: Precondition, _ write: (inout ByteWriter) -> Bool?
  ) throws -> Bool {
    let (before, named) = (arena.count, place(id))
    let start = arena.count
    guard let hasReferences = write(&arena) else {
      arena.truncate(to: before)
      return false
    }
    entries.append(
      Entry(
        id: named, type: type, content: .addition(start..<arena.count, isBody: true), precondition: precondition,
        hasReferences: hasReferences, keepsType: true))
    return true
  }

  package func removeAll() {
    entries.removeAll(keepingCapacity: true)
    arena.truncate(to: 0)
  }

  /// Takes back the entries behind the first ones, and what stands in the arena for them.
  func truncate(to count: Int, bytes: Int) {
    entries.removeLast(entries.count - count)
    arena.truncate(to: bytes)
  }

  private func place(_ id: String) -> Range<Int> {
    let start = arena.count
    arena.append(id)
    return start..<arena.count
  }

  private func placeNewID() throws -> Range<Int> {
    if randomness.count < 16 { randomness = try Random.bytes(4096) }
    let bytes = Array(randomness.suffix(16))
    randomness.removeLast(16)
    return place(try UUID(version: 4, from: bytes).description)
  }
}

extension WriteBatch.Content {
  /// What becomes the record as it is.
  /// - Parameter hasState: whether there is anything that it could leave as it is.
  func body(hasState: Bool) -> Range<Int>? {
    switch self {
    case .body(let range): range
    case .addition(let range, isBody: true) where !hasState: range
    case .edit(_, let range) where !hasState: range
    default: nil
    }
  }
}

/// What became of one entry of a batch.
package struct WriteResult: Sendable {
  package enum Outcome: String, Sendable {
    case created, updated, unchanged, deleted
    /// It was for other records.
    case skipped
    /// It could not be written.
    case rejected
  }
  package var outcome: Outcome
  package var revision: RevisionID
  /// False if another leaf is the winner.
  package var wins: Bool
}

/// The entry of a batch, counted from 0, that cannot be written, and why.
package struct EntryFault: Error {
  package var entry: Int
  package var reason: any Error
}
