import SeaCore
import SeaSystem

/// Finds the records that references of the form `TYPE:PROP=VALUE` name, and may create the missing ones in the same
/// transaction. References to equal values lead to the same new record. A record whose ID is the text comes first, even
/// if the input creates it.
package final class NamedTargets {
  private let records: Records
  private let creates: Bool
  private var made: [Name: String] = [:]
  /// The texts that led to records with other IDs.
  private var named: Set<[UInt8]> = []
  /// The IDs of this form that records of the input have.
  private var given: Set<[UInt8]> = []
  /// The records that the current entry needs, the texts that name no record yet, and what prevents the entry.
  private var open: [(id: String, name: Name, match: RecordText.Match, value: Value)] = []
  private(set) var missing: [String] = []
  private var fault: (any Error)?
  private var asked: Set<MatchIndex.Property> = []
  /// Texts for which records were created, and similar texts that fit other records.
  package private(set) var similar: [(text: String, meant: String)] = []

  private struct Name: Hashable {
    let property: MatchIndex.Property
    let value: SortKey
  }

  /// - Parameter creates: whether to create missing records.
  package init(_ records: Records, creates: Bool) { (self.records, self.creates) = (records, creates) }

  /// Returns the ID of the record that a string names, which may be new. If there is none and none may be created,
  /// returns the string.
  /// - Throws: `ambiguousRecord`; `badValue` if the text cannot be a value of the property.
  package func id(of text: String) throws -> String {
    guard !given.contains(Array(text.utf8)), let match = try? RecordText.Match(text) else {
      try SeaCore.Name.check(text)
      return text
    }
    do {
      let id = try records.find(text).id
      if !UTF8Text.equal(id, text) { named.insert(Array(text.utf8)) }
      return id
    } catch KitError.recordNotFound {}
    try SeaCore.Name.check(match.type)
    guard creates else {
      missing.append(text)
      return text
    }
    let value = try records.value(of: match)
    let name = Name(property: .init(match), value: try SortKey(of: value))
    named.insert(Array(text.utf8))
    if let known = made[name] { return known }
    let id = try UUID(version: 4, from: Random.bytes(16)).description
    made[name] = id
    open.append((id, name, match, value))
    if asked.insert(name.property).inserted, let meant = try SimilarRecord(records).find(text) {
      similar.append((text, meant))
    }
    return id
  }

  /// Like `id(of:)`, for code that cannot throw this error. `check` throws it later, and the returned ID is not used.
  func id(forReference text: String) -> String {
    do { return try id(of: text) } catch {
      if fault == nil { fault = error }
      return "none"
    }
  }

  /// Forgets the targets of an entry that was not added.
  func begin() {
    for one in open { made[one.name] = nil }
    (open, missing, fault) = ([], [], nil)
  }

  func check() throws { if let fault { throw fault } }

  /// Notes that the input creates a record.
  /// - Throws: `namedBefore` if an earlier reference with this text led to another record.
  func give(_ id: String) throws {
    let bytes = Array(id.utf8)
    if named.contains(bytes) { throw KitError.namedBefore(id) }
    given.insert(bytes)
  }

  /// Adds the records that the last entry of the batch needs.
  package func add(to batch: WriteBatch) throws {
    for one in open { try batch.addTarget(one.id, type: one.match.type, one.match.path, one.value) }
    open = []
  }
}
