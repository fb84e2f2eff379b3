internal import SeaCore
internal import SeaEngine

/// Writes records, all of them or none, as one block of this instance's chain. What it reads is what it has written.
///
/// It is handed to the closure of `Database.write`. While that runs nobody else writes; when it returns, everything is durable; when it
/// throws, nothing was written.
public final class WriteTransaction: ReadTransaction {
  private let open: OpenTransaction
  /// What was counted with what is saved here.
  let saving = Saving()
  /// What the last typed record was taken apart into, for the next one.
  private var spare: ObjectBox?

  init(_ engine: Engine, _ open: OpenTransaction) {
    self.open = open
    super.init(engine)
  }

  /// What a save or a deletion has to find.
  public enum Check: Sendable {
    /// Whatever is there: only what was changed is written, and all else stays.
    case none
    /// The revision that was read: the one that is given with it, else that of the property `_rev` of the type; else it throws `stale`.
    /// Where that is nil there may be no such record.
    case revision
    /// No such record; else the save throws `stale`.
    case isNew
  }

  // MARK: - Writing

  /// Saves what was set and unset in a record since it was read.
  /// - Returns: the revision that there is now.
  /// - Throws: `not-found` if it was read, and there is no such record here, or not any more; `bad-data` if an id, a type, a name or a value
  ///   cannot be stored.
  @discardableResult
  public func save(_ record: inout Record, check: Check = .none) throws -> Revision {
    let revision = try save(record, check: check)
    record.saved(as: revision)
    return revision
  }

  /// The same, of a record that is not needed any more.
  @discardableResult
  public func save(_ record: Record, check: Check = .none) throws -> Revision {
    try telling {
      guard record.hasChanges || check != .none else {
        // Nothing is written, and what there is now may be another revision, or none.
        guard let now = try stored(record.id) else { throw KitError.recordNotFound(record.id) }
        return Revision(now.revision)
      }
      let precondition = precondition(check, record.revision)
      // Of what was read only changes are written: they are no record.
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

  /// Saves a typed record: its properties are what it says from now on, and what else the record has stays.
  /// - Parameters:
  ///   - record: what the record is to say.
  ///   - check: what the save has to find.
  ///   - revision: the one that it has to find, as with `check: .revision`.
  /// - Throws: `stale` if it finds something else; `bad-data` if the record is of another type, or an id, a name or a value cannot be stored;
  ///   the message names the property.
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

  /// Deletes a record; all that disagrees about it is deleted with it.
  /// - Throws: `not-found` if there is none; `stale` if it is another one than `revision`.
  public func delete(_ id: String, revision: Revision? = nil) throws {
    _ = try telling { try write { $0.addDeletion(id, revision.map { .revision($0.description) } ?? .none) } }
  }

  /// Deletes a typed record.
  /// - Parameters:
  ///   - record: which one.
  ///   - check: what the deletion has to find; a record that is new cannot be deleted.
  ///   - revision: the one that it has to find, as with `check: .revision`.
  /// - Throws: `not-found` if there is none; `stale` if it is another one than that.
  public func delete(_ record: some SeaRecord, check: Check = .none, revision: Revision? = nil) throws {
    try telling {
      let wanted = try precondition(check, revision, check == .none ? nil : RecordEncoder.properties(of: record))
      guard wanted != .absent else { throw SeaError(.usage, "there is no revision of the record to delete") }
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

  /// - Parameter fields: what a typed record says.
  private func precondition(_ check: Check, _ revision: Revision?, _ fields: ObjectBox?) throws -> Precondition {
    if check == .isNew, revision != nil { throw SeaError(.usage, "a record that is new has no revision") }
    if revision != nil { return precondition(.revision, revision) }
    guard check == .revision else { return precondition(check, nil) }
    guard let property = fields?.revision else {
      throw SeaError(.usage, "no revision is given, and the type has no property '_rev'")
    }
    return property.revision.map { .revision($0) } ?? .absent
  }

  /// Runs what writes a record.
  /// - Parameter content: makes what is written, for words about what cannot be.
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
  /// The record of a type whose properties say this, or a new one that does.
  /// - Parameters:
  ///   - type: the type of the records that are meant.
  ///   - properties: what it is found by, all of them; one that is null is not there.
  ///   - initial: what a new one gets besides; one that is there stays as it is.
  /// - Throws: `ambiguous` if there are several.
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

  /// The record of a type whose properties say this, or a new one that does:
  ///
  ///     let ann = try transaction.findOrCreate(["name": "Ann"]) { Keeper(name: "Ann") }
  ///
  /// - Parameters:
  ///   - properties: what it is found by, all of them, by their names in the record; one that is null is not there.
  ///   - initial: makes the new one. It has to say these properties, or it would be made again each time.
  /// - Throws: `ambiguous` if there are several; `usage` if what was made says something else; `stale` if it has the id of a record that is there.
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
            .usage, "what was made says something else of '\(name)' than it is found by", ["path": name])
        }
      }
      try save(made, check: .isNew)
      return made
    }
    // What `initial` throws is no fault of this library.
    if let own { throw own }
    return made!
  }

  /// The one that a query means among those whose properties say this; nil if there is none.
  private func only<Element>(
    _ query: Query<Element>, _ properties: [String: Value], _ type: String, _ id: (Element) -> String
  ) throws -> Element? {
    guard !properties.isEmpty else { throw SeaError(.usage, "a record is found by one property at least") }
    var text = Condition.Interpolation(literalCapacity: 0, interpolationCount: properties.count)
    for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
      let isNothing = if case .null = value { true } else { false }
      let column = #""\#(name.replacing(every: "\"", by: "\"\""))""#
      text.appendLiteral("\(text.isEmpty ? "" : " AND ")\(column) \(isNothing ? "IS NULL" : "= ")")
      if !isNothing { text.appendInterpolation(value) }
    }
    var query = query.where(Condition(stringInterpolation: text)).limit(2)
    // A new one is to have these names.
    query.takesSlips = true
    let found = try fetch(query)
    guard found.count < 2 else {
      let ids = found.map(id)
      throw SeaError(.ambiguous, "several records of type '\(type)' are meant, as '\(ids[0])' and '\(ids[1])'")
    }
    return found.first
  }
}
