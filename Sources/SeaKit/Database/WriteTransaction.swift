internal import SeaCore
internal import SeaEngine

/// Writes records, all of them or none, as one block of this instance's chain. What it reads is what it has written.
///
/// It is handed to the closure of `Database.write`. While that runs nobody else writes; when it returns, everything is durable; when it
/// throws, nothing was written.
public final class WriteTransaction: ReadTransaction {
  private let open: OpenTransaction

  init(_ engine: Engine, _ open: OpenTransaction) {
    self.open = open
    super.init(engine)
  }

  /// What a save has to find.
  public enum Check: Sendable {
    /// Whatever is there: only what was changed is written, and all else stays.
    case none
    /// The revision that was read; else the save throws `stale`.
    case revision
    /// No such record; else the save throws `stale`.
    case isNew
  }

  // MARK: - Writing

  /// Saves what was set and unset in a record since it was read.
  /// - Returns: the revision that there is now.
  /// - Throws: `not-found` if nothing was set or unset, and there is no such record any more.
  @discardableResult
  public func save(_ record: inout Record, check: Check = .none) throws -> Revision {
    let revision = try save(record, check: check)
    record.saved(as: revision)
    return revision
  }

  /// The same, of a record that is not needed any more.
  @discardableResult
  public func save(_ record: Record, check: Check = .none) throws -> Revision {
    try self.check()
    guard record.hasChanges || check != .none else {
      // Nothing is written, and what there is now may be another revision, or none.
      guard let now = try stored(record.id) else { throw SeaError.of(KitError.recordNotFound(record.id)) }
      return Revision(now.revision)
    }
    let precondition = precondition(check, record.revision)
    let changes = record.changes
    return try write {
      try $0.addEdit(record.id, type: record.type, precondition, mustExist: false) { try changes.applied(to: $0) }
    }
  }

  /// Saves a typed record: its properties are what it says from now on, and what else the record has stays.
  /// - Parameters:
  ///   - record: what the record is to say.
  ///   - check: what the save has to find.
  ///   - revision: with `check: .revision`: the one that it was read as.
  /// - Throws: `bad-data` if the record is of another type, or a value cannot be stored; the message names the property.
  @discardableResult
  public func save(_ record: some SeaRecord, check: Check = .none, revision: Revision? = nil) throws -> Revision {
    try self.check()
    let id = record.id
    let fields = try RecordEncoder.properties(of: record)
    let precondition = precondition(check, revision)
    return try write {
      try $0.addEdit(
        id, type: type(of: record).recordType, precondition, mustExist: false, keepsType: true,
        writeNew: { fields.writeBody(into: &$0) }
      ) {
        try fields.applied(to: $0)
      }
    }
  }

  /// Deletes a record; all that disagrees about it is deleted with it.
  /// - Throws: `not-found` if there is none; `stale` if it is another one than `revision`.
  public func delete(_ id: String, revision: Revision? = nil) throws {
    try check()
    _ = try write { $0.addDeletion(id, revision.map { .revision($0.description) } ?? .none) }
  }

  /// Deletes a typed record.
  /// - Throws: `not-found` if there is none.
  public func delete(_ record: some SeaRecord) throws { try delete(record.id) }

  /// The record of a type whose properties say this, or a new one that does.
  /// - Parameters:
  ///   - type: the type of the records that are meant.
  ///   - properties: what it is found by, all of them.
  ///   - initial: what a new one gets besides; one that is there stays as it is.
  /// - Throws: `ambiguous` if there are several.
  public func findOrCreate(
    type: String, _ properties: [String: Value], initial: [String: Value] = [:]
  ) throws -> Record {
    try check()
    guard !properties.isEmpty else { throw SeaError(.usage, "a record is found by one property at least") }
    let found = try matching(type, properties)
    guard found.count < 2 else {
      let ids = found.map(\.id)
      throw SeaError(.ambiguous, "several records of type '\(type)' are meant, as '\(ids[0])' and '\(ids[1])'")
    }
    if let only = found.first { return only }
    var record = Record(type: type, initial.merging(properties) { $1 })
    try save(&record)
    return record
  }

  private func matching(_ type: String, _ properties: [String: Value]) throws -> [Record] {
    var text = Condition.Interpolation(literalCapacity: 0, interpolationCount: properties.count)
    for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
      text.appendLiteral(#"\#(text.isEmpty ? "" : " AND ")"\#(name.replacing("\"", with: "\"\""))" = "#)
      text.appendInterpolation(value)
    }
    var query = Query<Record>.records(of: type).where(Condition(stringInterpolation: text)).limit(2)
    // A new one is to have these names.
    query.takesSlips = true
    return try fetch(query)
  }

  private func precondition(_ check: Check, _ revision: Revision?) -> Precondition {
    switch check {
    case .none: .none
    case .isNew: .absent
    case .revision: revision.map { .revision($0.description) } ?? .absent
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
