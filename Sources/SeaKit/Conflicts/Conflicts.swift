internal import SeaCore
internal import SeaEngine

extension Database {
  /// The records whose revisions disagree, and how they are to end.
  public var conflicts: Conflicts { Conflicts(database: self) }

  /// The records of a database whose revisions disagree, and their end: `database.conflicts`.
  public struct Conflicts: Sendable { let database: Database }
}

extension Database.Conflicts {
  /// All records whose revisions disagree, by their ids.
  /// - Parameter type: those of one type alone.
  public func all(of type: String? = nil) async throws -> [RecordConflict<Record>] {
    try await all(type) { Record($0) }
  }

  /// All records of a type whose revisions disagree, by their ids.
  /// - Throws: `bad-data` if a version is none of the type; the message names the record and the property.
  public func all<Content: SeaRecord>(of type: Content.Type) async throws -> [RecordConflict<Content>] {
    try await all(Content.recordType, StoredRecord.typed(type))
  }

  /// What the revisions of a record disagree about; nil if they do not.
  public func find(_ id: String) async throws -> RecordConflict<Record>? {
    try await find(id) { Record($0) }
  }

  /// What the revisions of a record of a type disagree about; nil if they do not.
  /// - Throws: `bad-data` if a version is none of the type; the message names the property.
  public func find<Content: SeaRecord>(
    _ id: String, as type: Content.Type
  ) async throws -> RecordConflict<Content>? {
    try await find(id, StoredRecord.typed(type))
  }

  /// The ids of the records in conflict, in their order. It looks at none of them.
  public func ids(of type: String? = nil) async throws -> [String] {
    try await database.reading { try $0.conflicts.ids(type: type) }
  }

  /// How many records are in conflict.
  public func count() async throws -> Int { try await database.reading { try $0.conflicts.count() } }

  private func all<Content>(
    _ type: String?, _ make: @escaping @Sendable (StoredRecord) throws -> Content
  ) async throws -> [RecordConflict<Content>] {
    try await database.reading { engine in
      try engine.atOneState {
        let reader = ConflictReader(instances: try Instances(engine), make: make)
        var all: [RecordConflict<Content>] = []
        try engine.conflicts.forEach(type: type) {
          try engine.settings.checkStop()
          all.append(try reader.read($0))
          return true
        }
        return all
      }
    }
  }

  private func find<Content>(
    _ id: String, _ make: @escaping @Sendable (StoredRecord) throws -> Content
  ) async throws -> RecordConflict<Content>? {
    try await database.reading { engine in
      try engine.atOneState {
        try engine.conflicts.conflict(of: id).map {
          try ConflictReader(instances: try Instances(engine), make: make).read($0)
        }
      }
    }
  }

  /// The ids of the records in conflict: as they are now first, then whenever one comes into conflict or leaves it, until the task is
  /// cancelled.
  ///
  ///     for try await ids in database.conflicts.updates() { badge.count = ids.count }
  public func updates(of type: String? = nil) -> ConflictUpdates {
    ConflictUpdates(database: database, type: type)
  }
}

/// Which records are in conflict, as that changes. It sleeps until something is written, here or by another process.
public struct ConflictUpdates: AsyncSequence, Sendable {
  /// All ids, in their order.
  public typealias Element = [String]

  let database: Database
  let type: String?

  /// From the beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One loop over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let updates: ConflictUpdates
    private var known: [String]?

    init(_ updates: ConflictUpdates) { self.updates = updates }

    /// The ids, as soon as they are others; nil if the task was cancelled.
    public mutating func next() async throws -> [String]? {
      let (type, before) = (updates.type, known)
      let ids = try await updates.database.found { engine in
        let ids = try engine.conflicts.ids(type: type)
        return ids == before ? nil : ids
      }
      if let ids { known = ids }
      return ids
    }
  }
}
