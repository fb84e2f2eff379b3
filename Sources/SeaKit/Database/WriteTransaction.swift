internal import SeaCore
internal import SeaEngine

/// Writes records as one block of this instance's chain: all of them or none. Its reads see its own writes.
///
/// `Database.write` passes it to its closure. No other process writes while the closure runs. When the closure returns,
/// all writes become durable; when it throws, nothing is written.
public final class WriteTransaction: ReadTransaction {
  private let open: OpenTransaction
  /// The increments of the saved counters.
  let saving = Saving()
  /// The property storage of the last typed record, for reuse by the next one.
  private var spare: ObjectBox?

  init(_ engine: Engine, _ open: OpenTransaction) {
    self.open = open
    super.init(engine)
  }

  /// The state that a save or a deletion requires.
  public enum Check: Sendable {
    /// Any state. Only the changes are written, and all other properties stay.
    case none
    /// The revision that was read: the one passed, or else that of the record (the property `_rev` of a type). Nil
    /// means that the record must not exist. If the current revision differs, the call throws `stale`.
    case revision
    /// No such record; otherwise the save throws `stale`.
    case isNew
  }

  // MARK: - Writing

  /// Saves the changes that were made to a record since it was read.
  /// - Returns: the new revision, or the current one if nothing changed.
  /// - Throws: `not-found` if the record was read and is gone; `bad-data` if an id, a type, a name or a value is
  ///   invalid.
  @discardableResult
  public func save(_ record: inout Record, check: Check = .none) throws -> Revision {
    let revision = try save(record, check: check)
    record.saved(as: revision)
    return revision
  }

  /// Saves the changes that were made to a record, and leaves the value itself as it was.
  @discardableResult
  public func save(_ record: Record, check: Check = .none) throws -> Revision {
    try telling {
      guard record.hasChanges || check != .none else {
        // Nothing is written, but the current revision may be another one, or the record may be gone.
        guard let now = try stored(record.id) else { throw KitError.recordNotFound(record.id) }
        return Revision(now.revision)
      }
      let precondition = precondition(check, record.revision)
      // The changes of a record that was read are not a complete record, so it must exist.
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
  /// - Parameters:
  ///   - record: the new content.
  ///   - check: the state that the save requires.
  ///   - revision: the required revision, as with `check: .revision`.
  /// - Throws: `stale` if the state differs; `bad-data` if the stored record is of another type, or an id, a name or a
  ///   value cannot be stored. The message names the property.
  @discardableResult
  public func save(_ record: some SeaRecord, check: Check = .none, revision: Revision? = nil) throws -> Revision {
    try telling {
      let id = record.id
      var fields = try RecordEncoder.properties(of: record, in: spare.take())
      let precondition = try precondition(check, revision, fields)
      let type = type(of: record).recordType
      let written = try naming(id, { [fields] in try fields.applied(to: nil) }) {
        try write { [fields] batch in
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
      if isKnownUniquelyReferenced(&fields) {
        fields.clear()
        spare = fields
      }
      return written
    }
  }

  /// Deletes a record, including all its conflicting revisions.
  /// - Throws: `not-found` if there is no such record; `stale` if its revision is not `revision`.
  public func delete(_ id: String, revision: Revision? = nil) throws {
    _ = try telling { try write { $0.addDeletion(id, revision.map { .revision($0.description) } ?? .none) } }
  }

  /// Deletes a typed record.
  /// - Parameters:
  ///   - record: the record to delete.
  ///   - check: the state that the deletion requires; `isNew` is not allowed.
  ///   - revision: the required revision, as with `check: .revision`.
  /// - Throws: `not-found` if there is no such record; `stale` if its revision differs.
  public func delete(_ record: some SeaRecord, check: Check = .none, revision: Revision? = nil) throws {
    try telling {
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

  /// - Parameter fields: the encoded properties of a typed record.
  private func precondition(_ check: Check, _ revision: Revision?, _ fields: ObjectBox?) throws -> Precondition {
    if check == .isNew, revision != nil { throw SeaError(.usage, "a new record cannot have a revision") }
    if revision != nil { return precondition(.revision, revision) }
    guard check == .revision else { return precondition(check, nil) }
    guard let property = fields?.revision else {
      throw SeaError(.usage, "no revision given, and the type has no property '_rev'")
    }
    return property.revision.map { .revision($0) } ?? .absent
  }

  /// Runs a write of a record, and names the record and the property in its errors.
  /// - Parameter content: makes the content again, to find the property that cannot be stored.
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

  // MARK: - Reading what was written

  override func reading<Result>(_ body: () throws -> Result) throws -> Result { try open.seeing(body) }

  override func stored(_ id: String) throws -> StoredRecord? {
    guard let made = open.made(id) else { return try super.stored(id) }
    return try made.map { try StoredRecord($0) }
  }
}

extension WriteTransaction {
  /// Returns the record of a type with these properties, or creates it.
  /// - Parameters:
  ///   - type: the type of the record.
  ///   - properties: the properties to search for, all of which must match; null means that the property is absent.
  ///   - initial: further properties of a new record; an existing one stays unchanged.
  /// - Throws: `ambiguous` if several records match.
  public func findOrCreate(
    type: String, _ properties: [String: Value], initial: [String: Value] = [:]
  ) throws -> Record {
    try telling {
      if let only = try only(Query.records(of: type), properties, type, { $0.id }) { return only }
      var record = Record(type: type, initial.merging(properties) { $1 }.filter { $0.value != .null })
      try save(&record)
      return record
    }
  }

  /// Returns the record of a type with these properties, or creates it:
  ///
  ///     let ann = try transaction.findOrCreate(["name": "Ann"]) { Keeper(name: "Ann") }
  ///
  /// - Parameters:
  ///   - properties: the properties to search for, all of which must match; null means that the property is absent.
  ///   - initial: makes the new record. It must have these properties, so that the next call finds it.
  /// - Throws: `ambiguous` if several records match; `usage` if the new record differs; `stale` if its id exists.
  public func findOrCreate<Wanted: SeaRecord>(
    _ properties: [String: Value], initial: () throws -> Wanted
  ) throws -> Wanted {
    var own: (any Error)?
    let made: Wanted? = try telling {
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
    // An error of `initial` is passed on unchanged.
    if let own { throw own }
    return made!
  }

  /// Returns the record of a query with these properties; nil if there is none.
  private func only<Element>(
    _ query: Query<Element>, _ properties: [String: Value], _ type: String, _ id: (Element) -> String
  ) throws -> Element? {
    guard !properties.isEmpty else { throw SeaError(.usage, "at least one property is required to find a record") }
    var text = Condition.Interpolation(literalCapacity: 0, interpolationCount: properties.count)
    for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
      let isNothing = if case .null = value { true } else { false }
      let column = #""\#(name.replacing(every: "\"", by: "\"\""))""#
      text.appendLiteral("\(text.isEmpty ? "" : " AND ")\(column) \(isNothing ? "IS NULL" : "= ")")
      if !isNothing { text.appendInterpolation(value) }
    }
    var query = query.where(Condition(stringInterpolation: text)).limit(2)
    // The new record may introduce these names.
    query.takesSlips = true
    let found = try fetch(query)
    guard found.count < 2 else {
      let ids = found.map(id)
      throw SeaError(.ambiguous, "several records of type '\(type)' match, such as '\(ids[0])' and '\(ids[1])'")
    }
    return found.first
  }
}
