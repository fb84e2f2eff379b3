import SeaCore
import SeaSystem

/// A condition that a record must meet to be written.
package enum Precondition: Sendable, Equatable {
  case none
  /// The record does not exist or has been deleted.
  case absent
  /// A leaf revision must begin with this string (`DEPTH-HEX`, at least 4 digits). It becomes the parent.
  case revision(String)
}

/// Collects records that are written together as one block or not at all.
package final class WriteBatch {
  enum Content {
    /// A canonical body in the arena.
    case body(Range<Int>)
    /// A draft in the arena, which becomes a body when the previous state of the record is read.
    case draft(Range<Int>)
    /// A draft of a JSON Merge Patch (RFC 7396).
    case patch(Range<Int>)
    /// A draft or a body in the arena. Properties that it does not name are kept, and null removes a property.
    case addition(Range<Int>, isBody: Bool)
    case delete
    /// A function that returns the new content, given the old content or nil. `ofNothing` is its result for nil, as a
    /// body in the arena.
    case edit((Value?) throws -> Value, ofNothing: Range<Int>?)
  }

  struct Entry {
    var id: Range<Int>
    var type: String?
    var content: Content
    var precondition: Precondition
    var hasReferences: Bool
    var mustExist = false
    var only = Target.all
    /// Whether it is an error if an existing record has another type.
    var keepsType = false
    /// Whether the record is created because another record refers to it.
    var isTarget = false
    /// Whether the ID is generated because the input does not name a record.
    var hasNewID = false
  }

  /// The records that an entry applies to. It is skipped for all other records.
  package enum Target: Sendable { case all, new, known }

  var arena = ByteWriter(capacity: 1 << 8)
  private(set) var entries: [Entry] = []
  /// The entries with references that name no record yet, and the texts of these references.
  private(set) var missing: [Int: [String]] = [:]
  /// The IDs of the form `TYPE:PROP=VALUE` of records that the batch creates.
  private var given: Set<[UInt8]> = []
  private var randomness: [UInt8] = []
  /// The message of the transaction, which is shown in the log.
  package var label: String?
  /// Whether to leave out and report invalid entries. Otherwise, an invalid entry causes an `EntryFault`.
  package var leavesOutFaults = false
  /// Called before an addition replaces a value; throws an error to prevent this.
  package var mayReplace: ((_ id: String, _ name: String, _ old: Value, _ new: Value) throws -> Void)?

  /// Whether a type given for all documents may change the type of an existing record.
  package var mayRetype = true

  /// Whether to report progress. Set if nothing else reports it.
  package var tellsProgress = false

  /// Whether new records get the default values of their type. False for an undo.
  package var givesDefaults = true

  package init(label: String?) { self.label = label }

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }
  /// The approximate size of the block in bytes.
  package var size: Int { arena.count }

  package func hasType(_ entry: Int) -> Bool { entries[entry].type != nil }

  package func hasNewID(_ entry: Int) -> Bool { entries[entry].hasNewID }
  package var hasNewIDs: Bool { entries.contains(where: \.hasNewID) }

  package func id(of entry: Int) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: arena.bytes[entries[entry].id]), as: UTF8.self)
  }

  package struct Options {
    package var type: String?
    package var id: String?
    /// Whether every document must be for the record `id`.
    package var isForOneRecord = false
    package var precondition = Precondition.none
    package var isPatch = false
    package var limits = RecordLimits()
    /// Whether to ignore the revisions in documents, which may come from another database.
    package var ignoresRevision = false
    /// Whether properties that a document does not name are kept.
    package var isAddition = false
    package var only = Target.all
    /// Determines a record's ID from its body or draft, and from the type and the ID in the input.
    package var identify: ((UnsafeBufferPointer<UInt8>, _ type: String?, _ id: String?) throws -> String?)?

    /// Finds or creates the records that references name.
    package private(set) var targets: NamedTargets?

    package init() {}

    /// Reads references of the form `TYPE:PROP=VALUE` as names.
    package mutating func find(_ targets: NamedTargets) {
      self.targets = targets
      limits.target = targets.id(forReference:)
    }
  }

  package func add(
    _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options
  ) throws {
    let start = arena.count
    options.targets?.begin()
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

  package func add(
    _ options: Options, _ write: (inout ByteWriter) throws -> RecordInput
  ) throws {
    let start = arena.count
    options.targets?.begin()
    do {
      try add(write(&arena), isBody: true, options)
    } catch {
      arena.truncate(to: start)
      throw error
    }
  }

  private func add(_ input: RecordInput, isBody: Bool, _ options: Options) throws {
    try options.targets?.check()
    if options.isForOneRecord, let id = input.id, let named = options.id, !UTF8Text.equal(id, named) {
      throw KitError.otherRecord(have: id, want: named)
    }
    var given = input.id ?? options.id
    if let identify = options.identify {
      given = try identify(UnsafeBufferPointer(rebasing: arena.bytes[input.body]), input.type, given)
    }
    if let targets = options.targets, let given, !input.deleted, options.only != .known, ReferenceText.isName(given) {
      try targets.give(given)
      self.given.insert(Array(given.utf8))
    }
    let id = try given.map { append($0) } ?? appendNewID()
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
    // A transaction must fit into one block, so refuse too much data before it fills the memory.
    guard count < Payload.mostItems else { throw KitError.tooManyChanges(count + 1) }
    guard size <= BlockHeader.largestBlock else { throw KitError.transactionTooLarge(records: count + 1) }
    let only = input.deleted && options.only == .all && options.isAddition ? .known : options.only
    entries.append(
      Entry(
        id: id, type: input.type ?? options.type, content: content, precondition: precondition,
        hasReferences: input.hasReferences, mustExist: options.isPatch || (input.deleted && only != .known),
        only: only, keepsType: options.isAddition && input.type == nil && !mayRetype, hasNewID: given == nil))
    guard let targets = options.targets else { return }
    if !targets.missing.isEmpty { missing[entries.count - 1] = targets.missing }
    try targets.add(to: self)
  }

  /// Returns a text that should name a record, but no record has this value or ID.
  func missing(in entry: Int) -> String? { missing[entry]?.first { !given.contains(Array($0.utf8)) } }

  /// Adds a record that another one refers to.
  func addTarget(_ id: String, type: String, _ path: PropertyPath, _ value: Value) throws {
    try addEdit(id, type: type, .none, mustExist: false) { old in
      var record = old ?? .empty
      try record.set(value, at: path)
      return record
    }
    entries[entries.count - 1].isTarget = true
  }

  package func addDeletion(_ id: String, _ precondition: Precondition) {
    entries.append(
      Entry(
        id: append(id), type: nil, content: .delete, precondition: precondition, hasReferences: false, mustExist: true))
  }

  /// Adds a change that a function makes to the content of one record.
  /// - Parameters:
  ///   - keepsType: whether it is an error if an existing record has another type.
  ///   - writeNew: writes the result of `edit(nil)`, and returns whether the result has references; nil to call `edit`.
  package func addEdit(
    _ id: String?, type: String?, _ precondition: Precondition, mustExist: Bool, keepsType: Bool = false,
    writeNew: (inout ByteWriter) -> Bool? = { _ in nil }, _ edit: @escaping (Value?) throws -> Value
  ) throws {
    let named = try id.map { append($0) } ?? appendNewID()
    let start = arena.count
    let hasReferences = writeNew(&arena)
    entries.append(
      Entry(
        id: named, type: type, content: .edit(edit, ofNothing: hasReferences.map { _ in start..<arena.count }),
        precondition: precondition, hasReferences: hasReferences ?? true, mustExist: mustExist, keepsType: keepsType))
  }

  /// Adds plain properties to one record. Other properties are kept.
  /// - Parameters:
  ///   - type: the type that the record must have.
  ///   - write: writes the properties as a body, and returns whether the body has references; nil on failure.
  /// - Returns: whether the entry was added.
  package func addPlain(
    _ id: String, type: String?, _ precondition: Precondition, _ write: (inout ByteWriter) -> Bool?
  ) throws -> Bool {
    let (before, named) = (arena.count, append(id))
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

  /// Keeps only the first `count` entries and the first `bytes` bytes of the arena.
  func truncate(to count: Int, bytes: Int) {
    entries.removeLast(entries.count - count)
    arena.truncate(to: bytes)
  }

  private func append(_ id: String) -> Range<Int> {
    let start = arena.count
    arena.append(id)
    return start..<arena.count
  }

  private func appendNewID() throws -> Range<Int> {
    if randomness.count < 16 { randomness = try Random.bytes(4096) }
    let bytes = Array(randomness.suffix(16))
    randomness.removeLast(16)
    return append(try UUID(version: 4, from: bytes).description)
  }
}

extension WriteBatch.Content {
  /// Returns the body to store unchanged, if there is one.
  /// - Parameter hasState: whether the record has content that an entry could keep.
  func body(hasState: Bool) -> Range<Int>? {
    switch self {
    case .body(let range): range
    case .addition(let range, isBody: true) where !hasState: range
    case .edit(_, let range) where !hasState: range
    default: nil
    }
  }
}

package struct WriteResult: Sendable {
  package enum Outcome: String, Sendable {
    case created, updated, unchanged, deleted
    /// The entry does not apply to this record.
    case skipped
    case rejected
  }
  package var outcome: Outcome
  package var revision: RevisionID
  /// Whether the revision is the winner.
  package var wins: Bool
}

/// The reason why an entry of a batch cannot be written. The first entry is 0.
package struct EntryFault: Error {
  package var entry: Int
  package var reason: any Error
}
