import SeaCore
import SeaStore

// What a program that links SeaEngine calls. Records go in and out as JSON in the forms of sea-record(5).

extension Database {
  /// Makes a database in a folder, or finds the one that is there.
  /// - Parameters:
  ///   - folder: where `.sea` is to be.
  ///   - name: the instance's name, for people.
  ///   - contentType: what kind of data it holds, in reversed domain form.
  ///   - password: seals the database: whoever knows it can clone it. 1 to 1,048,576 bytes of UTF-8, compared after
  ///     normalisation to NFC. Nil for a plain database. Of a database that is there already it changes nothing.
  ///   - requiresAuthorisation: whether the database has members: only what instances write that were authorised counts,
  ///     this one being the first of them.
  /// - Returns: the database, open for reading and writing.
  /// - Throws: an error, and nothing is made, if the password cannot be one, or the folder cannot be written to.
  package static func create(
    in folder: String, name: String, contentType: String, password: [UInt8]? = nil,
    requiresAuthorisation: Bool = false
  ) throws -> Database {
    var creation = Creation()
    creation.name = name
    creation.contentType = contentType
    creation.isSealed = password != nil
    creation.hasMembers = requiresAuthorisation
    let settings = Settings.writing { password }
    let made = try create(in: folder, creation, settings)
    return try Database(path: made.path, settings)
  }

  /// Opens the database whose folder `.sea` is at `path`.
  /// - Parameters:
  ///   - writing: without it nothing can be changed, and no writer is ever waited for.
  ///   - password: called at most once, where the database is sealed and its keys are not kept on this device, when
  ///     something is to be sealed or opened; nil if there is none. It may ask a person and take its time; opening takes
  ///     some tenths of a second of work for each password that the database has.
  /// - Throws: an error if there is no database. A wrong password is found out by what needs it: `put`, `delete`, `sync`.
  package static func open(
    _ path: String, writing: Bool = false, password: @escaping () throws -> [UInt8]? = { nil }
  ) throws -> Database {
    var settings = Settings.writing(password)
    if !writing { settings.access = .read }
    return try Database(path: path, settings)
  }

  /// Makes a new instance of the database that a container holds, which is attached as `origin`.
  /// - Parameters:
  ///   - container: where it lies.
  ///   - folder: where `.sea` is to be.
  ///   - name: the instance's name, for people.
  ///   - password: called once if the container is sealed. With nil the instance asks to be let in: it leaves a request in
  ///     the container, and reads nothing until somebody has authorised it and it has synced again (`isWaiting`).
  ///   - keepsKeys: whether the keys are kept on this device, readable by its owner only; else every later use needs the
  ///     password.
  /// - Returns: the database, open for reading and writing.
  /// - Throws: an error, and nothing is left behind, if the password opens nothing, a database is there already, or
  ///   nothing of the container verifies.
  package static func clone(
    _ container: String, to folder: String, name: String, keepsKeys: Bool = true,
    password: @escaping () throws -> [UInt8]? = { nil }
  ) throws -> Database {
    var settings = Settings.writing(password)
    settings.keepsKeys = keepsKeys
    return try clone(container, to: folder, name: name, settings).database
  }

  /// Whether this instance waits for somebody to let it in. Until then it can write nothing if the database is sealed, and
  /// what it writes counts only here if the database has members.
  package func isWaiting() throws -> Bool {
    if try isPending() { return true }
    return try members.membership().map { $0[instance] == nil } ?? false
  }

  /// Writes whole records as one transaction: all of them are durable when this returns, or none is written.
  /// - Parameter records: JSON objects; `_id`, `_type` and `_rev` say which record, of which kind, and what it replaces.
  /// - Returns: the revision (`DEPTH-HEX`) of each.
  @discardableResult
  package func put(_ records: [String]) throws -> [String] {
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
    return try self.records.write(batch).results.map { $0.revision.description }
  }

  /// The winner of a record as JSON; nil if there is none, or it is deleted.
  package func get(_ id: String) throws -> String? {
    guard let row = try store.records.record(id), !row.isDeleted else { return nil }
    return try records.view(row).json()
  }

  /// Deletes a record: every live revision of it gets a tombstone.
  package func delete(record id: String) throws {
    let batch = WriteBatch(label: "delete")
    batch.addDeletion(id, .none)
    _ = try records.write(batch)
  }

  /// Visits the live records of a type, or all, as JSON, by rising id, until `body` returns false.
  package func forEach(type: String? = nil, _ body: (String) throws -> Bool) throws {
    var filter = RecordFilter()
    filter.type = type
    try records.forEach(filter) { try body($0.json()) }
  }

  /// The ids of records whose revisions disagree.
  package func conflictingIDs() throws -> [String] { try conflicts.ids() }

  /// Attaches a folder to exchange changes through, and makes a container of it if it is none.
  package func attach(_ name: String, at path: String) throws {
    _ = try containers.add(ContainerSetting(name: name, location: path), create: true)
  }

  /// Exchanges changes with the container of that name, and merges records that instances have changed at different
  /// places, unless the settings that all share say otherwise.
  /// - Returns: how many blocks came and went, the ids of records that were merged, and of those that came into conflict
  ///   and are still.
  @discardableResult
  package func sync(
    _ name: String
  ) throws -> (pulled: Int, pushed: Int, merged: [String], conflicting: [String]) {
    let result = try exchange.sync(containers.setting(name))
    var conflicting: [String] = []
    try conflicts.forEach(among: result.conflicts) {
      conflicting.append($0.id)
      return true
    }
    return (result.pulled, result.pushed, result.merged.map(\.id), conflicting)
  }
}

// MARK: - Conflicts

/// What the revisions of a record that disagree say, each as JSON.
package struct Versions: Sendable {
  /// The nearest revision that all of them come from; nil if they were made independently.
  package let base: String?
  /// The winner first. A deleted one has `_deleted`.
  package let versions: [String]
  /// All of them merged property by property; where they clash it says what the winner says.
  package let merged: String
  /// Where they clash, as JSON Pointers (RFC 6901): empty for the whole record, as where one side deleted it.
  package let clashes: [String]
}

extension Database {
  /// What the revisions of a record say that disagree; nil if there is no conflict.
  package func versions(of id: String) throws -> Versions? {
    try store.snapshot {
      guard let row = try store.records.record(id), let conflict = try conflicts.conflict(of: row) else { return nil }
      func json(_ side: Conflict.Side) throws -> String { try records.view(row, side.leaf).json() }
      var merged = ByteWriter()
      try conflict.merged.body?.encodeBody(into: &merged)
      var text = ByteWriter()
      try JSONWriter.writeRecord(
        id: id, type: conflict.merged.type, rev: conflict.leaves[0], conflicts: [], extra: [], body: merged.bytes,
        style: .compact, into: &text)
      return Versions(
        base: try conflict.base.map(json), versions: try conflict.sides.map(json),
        merged: String(decoding: text.bytes, as: UTF8.self),
        clashes: conflict.hasDeletion ? [""] : conflict.clashes.map(\.pointer))
    }
  }

  /// Ends the conflict of a record with what a program or a person has decided. Of several revisions none is left over,
  /// and no count is lost.
  /// - Parameter record: a JSON object as `put` takes it. Its `_rev`, if it has one, must be one of the revisions that
  ///   disagree; with `_deleted` the record is deleted.
  /// - Returns: the revision that stays; nil if there was no conflict, and then nothing was written.
  /// - Throws: an error, and nothing is written, if the conflict is another one than `record` was made from.
  @discardableResult
  package func resolve(_ id: String, with record: String) throws -> String? {
    var tape = JSONTape()
    let bytes = Array(record.utf8)
    let resolution = try bytes.withUnsafeBufferPointer { bytes in
      let end = JSONTape.skipSpace(bytes, from: try tape.parse(bytes, at: 0))
      guard end == bytes.count else { throw CoreError.badJSON(.trailingText, offset: end) }
      guard tape.isObject else { throw CoreError.badJSON(.notAnObject, offset: 0) }
      var writer = ByteWriter()
      let input = try encodeRecord(tape, bytes, into: &writer)
      let body = try Value.decodeDraft(UnsafeBufferPointer(rebasing: writer.bytes[input.body]))
      return Resolution.with(input.deleted ? nil : body, type: input.type, revision: input.rev)
    }
    return try conflicts.resolve([id], resolution, label: "resolve")[0].revision?.description
  }
}

extension Database.Settings {
  /// For who writes; a password is asked for once.
  fileprivate static func writing(_ password: @escaping () throws -> [UInt8]?) -> Database.Settings {
    var settings = Database.Settings(access: .write)
    var known: [UInt8]?
    settings.password = { _ in
      if known == nil { known = try password() }
      return known
    }
    return settings
  }
}

extension RecordView {
  fileprivate func json() throws -> String {
    var writer = ByteWriter(capacity: 512)
    try writeJSON(.compact, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
