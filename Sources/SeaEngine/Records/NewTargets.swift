import SeaCore
import SeaSystem

/// Finds the records that references of the form `TYPE:PROP=VALUE` name, and creates the missing ones in the same
/// transaction. References to equal values lead to the same new record.
package final class NewTargets {
  private let records: Records
  private var made: [Name: String] = [:]
  /// The records that the current entry needs, and what prevents it.
  private var open: [(id: String, name: Name, match: RecordText.Match, value: Value)] = []
  private var fault: (any Error)?

  private struct Name: Hashable {
    let property: MatchIndex.Property
    let value: SortKey
  }

  package init(_ records: Records) { self.records = records }

  /// Returns the ID of the record that a string names, which may be new.
  /// - Throws: `ambiguousRecord`; `badValue` if the text cannot be a value of the property.
  package func id(of text: String) throws -> String {
    guard let match = try? RecordText.Match(text) else { return text }
    do { return try records.find(text).id } catch KitError.recordNotFound {}
    try SeaCore.Name.check(match.type)
    let value = try records.value(of: match)
    let name = Name(property: .init(match), value: try SortKey(of: value))
    if let known = made[name] { return known }
    let id = try UUID(version: 4, from: Random.bytes(16)).description
    made[name] = id
    open.append((id, name, match, value))
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
    (open, fault) = ([], nil)
  }

  func check() throws { if let fault { throw fault } }

  /// Adds the records that the last entry of the batch needs.
  package func add(to batch: WriteBatch) throws {
    for one in open { try batch.addTarget(one.id, type: one.match.type, one.match.path, one.value) }
    open = []
  }
}
