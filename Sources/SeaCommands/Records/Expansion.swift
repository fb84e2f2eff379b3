import SeaCore
import SeaKit

/// References, each replaced by the record that it names. Those within that record stay as they are, as does one whose record is not
/// there or was deleted.
struct Expansion {
  /// So much of other records is put into one: a record that names a large one a thousand times is no larger for that.
  static let mostBytes = 64 << 20

  private struct Expanded {
    let value: Value
    let size: Int
  }

  private let database: Database
  private let moment: Moment?
  private var known: [String: Expanded?] = [:]
  private var room = Expansion.mostBytes
  /// The record that is expanded.
  private let id: String

  init(_ id: String, _ database: Database, at moment: Moment?) {
    self.id = id
    self.database = database
    self.moment = moment
  }

  mutating func expand(body: [UInt8]) throws -> [UInt8] {
    try encoded(body.withUnsafeBufferPointer { try Value.decode(body: $0) })
  }

  mutating func expand(value: [UInt8]) throws -> [UInt8] {
    try encoded(value.withUnsafeBufferPointer { try Value.decode(value: $0) })
  }

  private mutating func encoded(_ value: Value) throws -> [UInt8] {
    var writer = ByteWriter()
    try expand(value).encode(into: &writer)
    return writer.array()
  }

  private mutating func expand(_ value: Value) throws -> Value {
    switch value {
    case .reference(let id, _): return try record(id) ?? value
    case .labelled(let inner, let label):
      guard case .reference = inner else { return value }
      // A dictionary has no semantic type: what the reference is about is said by its name.
      let found = try expand(inner)
      if case .dictionary = found { return found }
      return .labelled(found, label)
    case .array(let values):
      var expanded: [Value] = []
      for one in values { expanded.append(try expand(one)) }
      return .array(expanded)
    case .dictionary(let members):
      var expanded = Members()
      for (name, one) in members.entries { expanded[name] = try expand(one) }
      return .dictionary(expanded)
    default: return value
    }
  }

  /// The record of an id as a dictionary; nil if there is none.
  private mutating func record(_ target: String) throws -> Value? {
    let found = try known[target] ?? read(target)
    known[target] = .some(found)
    guard let found else { return nil }
    room -= found.size
    guard room >= 0 else { throw CommandError.tooMuchToExpand(id, most: Expansion.mostBytes) }
    return found.value
  }

  private func read(_ target: String) throws -> Expanded? {
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
    guard case .dictionary(var members) = try body.withUnsafeBufferPointer({ try Value.decode(body: $0) }) else {
      return nil
    }
    members["_id"] = .string(view.id)
    members["_rev"] = .string(view.revision.description)
    if let type = view.type { members["_type"] = .string(type) }
    return Expanded(value: .dictionary(members), size: body.count + view.id.utf8.count)
  }
}
