import SeaCore
import SeaStore

// What a program that links SeaKit calls. Records go in and out as JSON in the forms of sea-record(5).

extension Database {
  /// Makes a database in a folder, or finds the one that is there.
  /// - Parameters:
  ///   - folder: where `.sea` is to be.
  ///   - name: the instance's name, for people.
  ///   - contentType: what kind of data it holds, in reversed domain form.
  /// - Returns: the database, open for reading and writing.
  public static func create(in folder: String, name: String, contentType: String) throws -> Database {
    var creation = Creation()
    creation.name = name
    creation.contentType = contentType
    let made = try create(in: folder, creation, Settings(access: .write))
    return try Database(path: made.path, Settings(access: .write))
  }

  /// Opens the database whose folder `.sea` is at `path`.
  /// - Parameter writing: without it nothing can be changed, and no writer is ever waited for.
  public static func open(_ path: String, writing: Bool = false) throws -> Database {
    try Database(path: path, Settings(access: writing ? .write : .read))
  }

  /// Writes whole records as one transaction: all of them are durable when this returns, or none is written.
  /// - Parameter records: JSON objects; `_id`, `_type` and `_rev` say which record, of which kind, and what it replaces.
  /// - Returns: the revision (`DEPTH-HEX`) of each.
  @discardableResult
  public func put(_ records: [String]) throws -> [String] {
    let batch = WriteBatch(label: "put")
    var tape = JSONTape()
    for record in records {
      try Array(record.utf8).withUnsafeBufferPointer { bytes in
        let end = JSONTape.skipSpace(bytes, from: try tape.parse(bytes, at: 0))
        guard end == bytes.count else { throw CoreError.badJSON(.trailingText, offset: end) }
        guard tape.isObject else { throw CoreError.badJSON(.notAnObject, offset: 0) }
        try batch.add(tape, bytes, WriteBatch.Options())
      }
    }
    defer { store.unlock() }
    return try write(batch).results.map { $0.revision.description }
  }

  /// The winner of a record as JSON; nil if there is none, or it is deleted.
  public func get(_ id: String) throws -> String? {
    guard let row = try store.record(id), !row.isDeleted else { return nil }
    return try view(row).json()
  }

  /// Deletes a record: every live revision of it gets a tombstone.
  public func delete(record id: String) throws {
    let batch = WriteBatch(label: "delete")
    batch.addDeletion(id, .none)
    defer { store.unlock() }
    _ = try write(batch)
  }

  /// Visits the live records of a type, or all, as JSON, by rising id, until `body` returns false.
  public func forEach(type: String? = nil, _ body: (String) throws -> Bool) throws {
    var filter = RecordFilter()
    filter.type = type
    try forEachView(filter) { try body($0.json()) }
  }

  /// The ids of records whose revisions disagree.
  public func conflictingIDs() throws -> [String] {
    var ids: [String] = []
    try forEachConflict { conflict in
      ids.append(conflict.row.id)
      return true
    }
    return ids
  }

  /// Attaches a folder to exchange changes through, and makes a container of it if it is none.
  public func attach(_ name: String, at path: String) throws {
    _ = try addContainer(ContainerSetting(name: name, location: path), create: true)
  }

  /// Exchanges changes with the container of that name.
  /// - Returns: how many blocks came and went.
  @discardableResult
  public func sync(_ name: String) throws -> (pulled: Int, pushed: Int) {
    let exchange = try sync(containerSetting(name), .both)
    return (exchange.pulled, exchange.pushed)
  }
}

extension RecordView {
  fileprivate func json() throws -> String {
    var writer = ByteWriter(capacity: 512)
    try writeJSON(.compact, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
