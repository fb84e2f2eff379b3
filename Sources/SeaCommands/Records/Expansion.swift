import SeaCore
import SeaEngine

/// References, each replaced by the record that it names. Those within that record stay as they are, as does one whose record is not
/// there or was deleted.
final class Expansion {
  /// So much of other records is put into one: a record that names a large one a thousand times is no larger for that.
  static let mostBytes = 64 << 20

  private let database: Database
  private let moment: Moment?
  /// What stands for a record, encoded.
  private var known: [String: [UInt8]?] = [:]
  private var room = Expansion.mostBytes
  /// The record that is expanded.
  private let id: String

  init(_ id: String, _ database: Database, at moment: Moment?) {
    self.id = id
    self.database = database
    self.moment = moment
  }

  func expand(body: [UInt8]) throws -> [UInt8] {
    try body.withUnsafeBufferPointer { try ReferenceSplice.body($0) { try self.record($0) } }
  }

  func expand(value: [UInt8]) throws -> [UInt8] {
    try value.withUnsafeBufferPointer { try ReferenceSplice.value($0) { try self.record($0) } }
  }

  /// The record of an id as a dictionary; nil if there is none.
  private func record(_ target: String) throws -> [UInt8]? {
    let found = try known[target] ?? read(target)
    known[target] = .some(found)
    guard let found else { return nil }
    room -= found.count
    guard room >= 0 else { throw CommandError.tooMuchToExpand(id, most: Expansion.mostBytes) }
    return found
  }

  private func read(_ target: String) throws -> [UInt8]? {
    let view: RecordView
    do {
      if let moment {
        let past = try database.records.find(target, at: moment, literal: true)
        if past.row.live == 0 { return nil }
        view = try database.records.view(past)
      } else {
        let row = try database.records.find(target, literal: true)
        if row.isDeleted { return nil }
        view = try database.records.view(row)
      }
    } catch KitError.recordNotFound {
      return nil
    }
    guard let body = view.body else { return nil }
    var texts = [(name: "_id", text: view.id), (name: "_rev", text: view.revision.description)]
    if let type = view.type { texts.append((name: "_type", text: type)) }
    return try body.withUnsafeBufferPointer { try ReferenceSplice.adding(texts, to: $0) }
  }
}
