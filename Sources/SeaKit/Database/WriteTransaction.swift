internal import SeaCore
internal import SeaEngine

/// A transaction whose writes take effect all together or not at all. Reads within the transaction see its writes.
///
/// `Database.write` passes a transaction to its closure. Other writers wait while the closure runs. When the closure
/// returns, all writes become durable as one block. If it throws, nothing is written.
public final class WriteTransaction: ReadTransaction {
  private let open: OpenTransaction
  /// Tracks whether the increments of saved counters were written.
  let saving = Saving()
  /// The property storage of the last typed record, to be reused for the next record.
  private var spare: ObjectBox?

  init(_ engine: Engine, _ open: OpenTransaction) {
    self.open = open
    super.init(engine)
  }

  /// A precondition for saving or deleting a record.
  public enum Check: Sendable {
    /// No precondition. Only the changes are written, and all other properties are kept.
    case none
    /// The record must still have the given revision or, by default, the revision that was read (the property `_rev` of
    /// a type). If that revision is nil, the record must not exist. If the precondition fails, the call throws `stale`.
    case revision
    /// The record must not exist. Otherwise the save throws `stale`.
    case isNew
  }

  // MARK: - Writing

  /// Saves the changes that were made to a record since it was read.
  /// - Returns: the new revision, or the current revision if nothing changed.
  /// - Throws: `not-found` if the record was read but no longer exists; `bad-data` if an id, a type, a name or a value
  ///   is invalid.
  @discardableResult
  public func save(_ record: inout Record, check: Check = .none) throws -> Revision {
    let revision = try save(record, check: check)
    record.saved(as: revision)
    return revision
  }

  /// Saves the changes that were made to a record since it was read, without updating the revision of `record`.
  @discardableResult
  public func save(_ record: Record, check: Check = .none) throws -> Revision {
    try convertingErrors {
      guard record.hasChanges || check != .none else {
        // There is nothing to write, but in the meantime the record may have changed or been deleted.
        guard let now = try stored(record.id) else { throw KitError.recordNotFound(record.id) }
        return Revision(now.revision)
      }
      let precondition = precondition(check, record.revision)
      // A record that was read provides only its changes, so the stored record must still exist.
      let mustExist = !record.isNew && check != .revision
      let changes = record.changes
      return try naming(record.id, { try changes.applied(to: nil) }) {
        try write {
          try $0.addEdit(record.id, type: record.type, precondition, mustExist: mustExist) {
            try changes.applied(to: $0)
          }
        }
      }
    }
  }

  /// Saves a typed record. Its properties replace the stored ones; other properties of the stored record stay.
  ///
  /// References that were created from records keep these records. A kept record is saved, too, unless a record with its
  /// id exists or has existed. The same applies to the records that it refers to.
  /// - Parameters:
  ///   - record: the new content.
  ///   - check: the state that the save requires.
  ///   - revision: the required revision, as with `check: .revision`.
  /// - Throws: `stale` if the state differs; `bad-data` if the stored record is of another type, or an id, a name or a
  ///   value cannot be stored. The message names the property. Also `bad-data` if new records refer to each other in a
  ///   circle.
  @discardableResult
  public func save(_ record: some SeaRecord, check: Check = .none, revision: Revision? = nil) throws -> Revision {
    try convertingErrors {
      var fields = try RecordEncoder.properties(of: record, in: spare.take())
      let precondition = try precondition(check, revision, fields)
      let others = try newRecords(below: record.id, fields.kept)
      let written = try open.together {
        let written = try write(record.id, type(of: record).recordType, fields, precondition)
        for one in others { _ = try write(one.id, one.type, one.fields, .absent) }
        return written
      }
      if isKnownUniquelyReferenced(&fields) {
        fields.clear()
        spare = fields
      }
      return written
    }
  }

  private func write(
    _ id: String, _ type: String, _ fields: ObjectBox, _ precondition: Precondition
  ) throws -> Revision {
    let written = try naming(id, { try fields.applied(to: nil) }) {
      try write { batch in
        let isWritten = try fields.isPlain && batch.addPlain(id, type: type, precondition, fields.writeBody)
        if isWritten { return }
        try batch.addEdit(
          id, type: type, precondition, mustExist: false, keepsType: true, writeNew: fields.writeBody
        ) {
          try fields.applied(to: $0)
        }
      }
    }
    for one in fields.additions { one.save(in: saving) }
    return written
  }

  /// Returns the new records that a record refers to, directly or through other new records. A chain of references may
  /// be long, so this is not recursive.
  /// - Throws: `bad-data` if new records refer to each other in a circle.
  private func newRecords(
    below root: String, _ kept: [KeptRecord]
  ) throws -> [(id: String, type: String, fields: ObjectBox)] {
    if kept.isEmpty { return [] }
    var found: [(id: String, type: String, fields: ObjectBox)] = []
    var path = [(id: root, kept: kept[...])]
    // Whether each record that was reached is on the path.
    var isOnPath: [[UInt8]: Bool] = [:]
    if try !isKnown(root) { isOnPath[Array(root.utf8)] = true }
    while !path.isEmpty {
      guard let next = path[path.count - 1].kept.popFirst()?.record else {
        if let end = path.popLast() { isOnPath[Array(end.id.utf8)] = false }
        continue
      }
      let key = Array(next.id.utf8)
      if isOnPath[key] == true { throw SeaError.circle(path.map(\.id), to: next.id) }
      guard isOnPath[key] == nil, try !isKnown(next.id) else { continue }
      try check()
      let fields = try RecordEncoder.properties(of: next)
      found.append((next.id, type(of: next).recordType, fields))
      isOnPath[key] = true
      path.append((next.id, fields.kept[...]))
    }
    return found
  }

  /// Returns whether a record has or has had this id.
  private func isKnown(_ id: String) throws -> Bool {
    try open.revision(of: id) != nil || engine.records.view(id) != nil
  }

  /// Deletes a record, including all its conflicting revisions.
  /// - Throws: `not-found` if there is no such record; `stale` if its revision is not `revision`.
  public func delete(_ id: String, revision: Revision? = nil) throws {
    _ = try convertingErrors { try write { $0.addDeletion(id, revision.map { .revision($0.description) } ?? .none) } }
  }

  /// Deletes a typed record.
  /// - Parameters:
  ///   - record: the record to delete.
  ///   - check: the state that the deletion requires; `isNew` is not allowed.
  ///   - revision: the required revision, as with `check: .revision`.
  /// - Throws: `not-found` if there is no such record; `stale` if its revision differs.
  public func delete(_ record: some SeaRecord, check: Check = .none, revision: Revision? = nil) throws {
    try convertingErrors {
      let wanted = try precondition(check, revision, check == .none ? nil : RecordEncoder.properties(of: record))
      guard wanted != .absent else { throw SeaError(.usage, "the record to delete has no revision") }
      _ = try write { $0.addDeletion(record.id, wanted) }
    }
  }

  private func precondition(_ check: Check, _ revision: Revision?) -> Precondition {
    switch check {
    case .none: .none
    case .isNew: .absent
    case .revision: revision.map { .revision($0.description) } ?? .absent
    }
  }

  private func precondition(_ check: Check, _ revision: Revision?, _ fields: ObjectBox?) throws -> Precondition {
    if check == .isNew, revision != nil { throw SeaError(.usage, "a new record cannot have a revision") }
    if revision != nil { return precondition(.revision, revision) }
    guard check == .revision else { return precondition(check, nil) }
    guard let property = fields?.revision else {
      throw SeaError(.usage, "no revision given, and the type has no property '_rev'")
    }
    return property.revision.map { .revision($0) } ?? .absent
  }

  /// Runs `body`, which writes a record, and adds the names of the record and the property to any error.
  /// - Parameter content: returns the content, in which the property that cannot be stored is found.
  private func naming(
    _ id: String, _ content: () throws -> SeaCore.Value, _ body: () throws -> Revision
  ) throws -> Revision {
    do { return try body() } catch let error as CoreError {
      guard case .badEncoding = error, let content = try? content(), let fault = content.fault(engine.instance) else {
        throw error
      }
      throw SeaError.badProperty(id, fault.path.joined(separator: "."), "cannot be stored: \(fault.words)")
    } catch let error as SeaError where error.code == .badData && error.details["id"] == nil {
      throw error.about(id)
    }
  }

  func write(_ fill: (WriteBatch) throws -> Void) throws -> Revision {
    Revision(try open.write(fill).result.revision)
  }

  // MARK: - Reading writes

  override func reading<Result>(_ body: () throws -> Result) throws -> Result { try open.seeing(body) }

  override func stored(_ id: String) throws -> StoredRecord? {
    guard let made = open.made(id) else { return try super.stored(id) }
    return try made.map { try StoredRecord($0) }
  }
}

extension WriteTransaction {
  /// Returns the record of a type with these properties, creating the record if necessary.
  /// - Parameters:
  /// - properties: the properties to search for, all of which must match; null means that the property must be absent.
  /// - initial: further properties to set if a new record is created. An existing record is not changed.
  /// - Throws: `ambiguous` if several records match.
  public func findOrCreate(
    type: String, _ properties: [String: Value], initial: [String: Value] = [:]
  ) throws -> Record {
    try convertingErrors {
      if let only = try only(Query.records(of: type), properties, type, { $0.id }) { return only }
      var record = Record(type: type, initial.merging(properties) { $1 }.filter { $0.value != .null })
      try save(&record)
      return record
    }
  }

  /// Returns the record of a type with these properties, creating the record if necessary.
  ///
  ///     let ann = try transaction.findOrCreate(["name": "Ann"]) { Keeper(name: "Ann") }
  ///
  /// - Parameters:
  /// - properties: the properties to search for, all of which must match; null means that the property must be absent.
  ///   - initial: returns the new record, which must have these properties.
  /// - Throws: `ambiguous` if several records match; `usage` if the new record does not match; `stale` if a record with
  ///   its id already exists.
  public func findOrCreate<Wanted: SeaRecord>(
    _ properties: [String: Value], initial: () throws -> Wanted
  ) throws -> Wanted {
    var own: (any Error)?
    let made: Wanted? = try convertingErrors {
      if let only = try only(Wanted.all, properties, Wanted.recordType, { $0.id }) { return only }
      let made: Wanted
      do { made = try initial() } catch {
        own = error
        return nil
      }
      let said = try RecordEncoder.properties(of: made).applied(to: nil).members
      for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
        let says = said?[name].map { Value(stored: $0) } ?? .null
        guard QueryValue(says) == QueryValue(value) else {
          throw SeaError(
            .usage, "the new record's '\(name)' differs from the value it was looked up by", ["path": name])
        }
      }
      try save(made, check: .isNew)
      return made
    }
    if let own { throw own }
    return made!
  }

  private func only<Element>(
    _ query: Query<Element>, _ properties: [String: Value], _ type: String, _ id: (Element) -> String
  ) throws -> Element? {
    guard !properties.isEmpty else { throw SeaError(.usage, "at least one property is required to find a record") }
    var text = Condition.Interpolation(literalCapacity: 0, interpolationCount: properties.count)
    for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
      let isNothing = if case .null = value { true } else { false }
      let column = Queries.quoted(name)
      text.appendLiteral("\(text.isEmpty ? "" : " AND ")\(column) \(isNothing ? "IS NULL" : "= ")")
      if !isNothing { text.appendInterpolation(value) }
    }
    let found = try fetch(query.where(Condition(stringInterpolation: text)).limit(2))
    guard found.count < 2 else {
      let ids = found.map(id)
      throw SeaError(.ambiguous, "several records of type '\(type)' match, such as '\(ids[0])' and '\(ids[1])'")
    }
    return found.first
  }
}

extension SeaError {
  /// - Parameter path: the ids of records, each of which refers to the next one.
  fileprivate static func circle(_ path: [String], to id: String) -> SeaError {
    let circle = path[(path.firstIndex { UTF8Text.equal($0, id) } ?? 0)...]
    let shown = circle.prefix(8).map { "'\($0)'" } + (circle.count > 8 ? ["…"] : []) + ["'\(id)'"]
    return SeaError(
      .badData,
      "new records refer to each other in a circle: \(shown.joined(separator: " → ")); create one of the "
        + "references from an id", ["id": id])
  }
}
