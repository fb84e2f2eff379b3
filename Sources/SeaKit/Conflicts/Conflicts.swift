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

extension Database.Conflicts {
  // MARK: - As somebody has decided

  /// Ends a conflict with what was decided. Of the revisions that disagree none is left, no count is lost, and no element of a set.
  /// - Parameters:
  ///   - conflict: the conflict, as it was given out.
  ///   - record: all that the record is to say: mostly `merged` of the conflict, with changes. Nil deletes it.
  /// - Returns: what became of it.
  /// - Throws: `stale`, and nothing is written, if the conflict is another one by now, or has ended.
  @discardableResult
  public func resolve(
    _ conflict: RecordConflict<Record>, with record: Record?
  ) async throws -> ResolvedConflict {
    try await resolve(conflict.id, conflict.leaves) { try record?.content(in: $0) ?? .deleted }
  }

  /// Ends a conflict with what was decided. What the record has that the type does not know is as all versions together say.
  /// - Parameters:
  ///   - conflict: the conflict, as it was given out.
  ///   - record: its properties are what they are to be. Nil deletes it.
  /// - Throws: `stale`, and nothing is written, if the conflict is another one by now, or has ended.
  @discardableResult
  public func resolve<Content: SeaRecord>(
    _ conflict: RecordConflict<Content>, with record: Content?
  ) async throws -> ResolvedConflict {
    try await resolve(conflict.id, conflict.leaves) { try record?.content(in: $0) ?? .deleted }
  }

  /// Ends the conflict of a record with what was decided.
  /// - Parameters:
  ///   - id: which record.
  ///   - record: all that it is to say. If it was read, the revision that it was read as has to be one of those that disagree.
  /// - Returns: what became of it; nothing was written if there is no conflict and the record is as it was read.
  /// - Throws: `stale`, and nothing is written, if it was read as another revision; `not-found` if there is no such record.
  @discardableResult
  public func resolve(_ id: String, with record: Record) async throws -> ResolvedConflict {
    try await database.writing { engine in
      try Ending(engine).end(id, nil, isCurrent: record.revision?.core) { try record.content(in: $0) }
    }
  }

  /// Ends the conflict of a record of a type with what was decided.
  /// - Throws: `not-found` if there is no such record.
  @discardableResult
  public func resolve(_ id: String, with record: some SeaRecord) async throws -> ResolvedConflict {
    try await resolve(id, nil) { try record.content(in: $0) }
  }

  private func resolve(
    _ id: String, _ leaves: [RevisionID]?, _ content: @escaping @Sendable (Conflict) throws -> SeaCore.Content
  ) async throws -> ResolvedConflict {
    try await database.writing { try Ending($0).end(id, leaves, content) }
  }

  // MARK: - By a choice

  /// Ends a conflict as is chosen.
  /// - Throws: `stale`, and nothing is written, if the conflict is another one by now, or has ended; `conflict` if the choice does not decide
  ///   about all of it.
  @discardableResult
  public func resolve<Content>(
    _ conflict: RecordConflict<Content>, _ resolution: ConflictResolution
  ) async throws -> ResolvedConflict {
    let (id, leaves) = (conflict.id, conflict.leaves)
    return try await database.writing { try Ending($0).end(id, leaves, resolution) }
  }

  /// Ends the conflict of a record as is chosen; a record without one stays as it is.
  /// - Throws: `conflict` if the choice does not decide about all of it, `not-found` if there is no such record.
  @discardableResult
  public func resolve(_ id: String, _ resolution: ConflictResolution) async throws -> ResolvedConflict {
    try await resolve([id], resolution)[0]
  }

  /// Ends the conflicts of records as is chosen, in one block: all of them or none.
  /// - Parameters:
  ///   - ids: which records.
  ///   - resolution: how it ends.
  ///   - partially: whether those that are decided end although others are not.
  /// - Returns: what became of each, in the order of the ids.
  /// - Throws: `conflict` if the choice does not decide about all of them; `not-found` if there is no such record.
  @discardableResult
  public func resolve(
    _ ids: [String], _ resolution: ConflictResolution, partially: Bool = false
  ) async throws -> [ResolvedConflict] {
    try await database.writing { engine in
      try engine.conflicts.resolve(
        ids, resolution.core(), label: Ending.label, ResolveOptions(isPartial: partially)
      ).map(ResolvedConflict.init)
    }
  }

  // MARK: - By a rule of the program

  /// Ends all conflicts by a rule of the program, in one block, while nobody else writes.
  ///
  ///     try await database.conflicts.resolveAll { server, client, ancestor in server ?? client }
  /// - Parameters:
  ///   - type: those of records of one type alone.
  ///   - rule: is given what others wrote, what this instance wrote, and what both come from, each nil where the record was deleted or, of
  ///     the last, made independently; and says what the record is to be, nil for deleted. Where this instance wrote neither of two
  ///     versions, `client` is the winner of them.
  /// - Returns: what became of each. What was purged stays in conflict.
  /// - Throws: what `rule` throws; then none of them ends.
  @discardableResult
  public func resolveAll(
    of type: String? = nil,
    _ rule: @escaping @Sendable (_ server: Record?, _ client: Record?, _ ancestor: Record?) throws -> Record?
  ) async throws -> [ResolvedConflict] {
    try await database.writing { engine in
      try Ending(engine).endAll(type, Record.init, { try $0.content(in: $1) }, rule)
    }
  }

  /// Ends all conflicts of records of a type by a rule of the program, in one block, while nobody else writes.
  /// - Parameters:
  ///   - type: the type of the records that are meant.
  ///   - rule: is given what others wrote, what this instance wrote, and what both come from, each nil where the record was deleted
  ///   or, of the last, made independently; and says what the record is to be, nil for deleted.
  /// - Returns: what became of each. What was purged stays in conflict.
  /// - Throws: what `rule` throws, and `bad-data` if a version is none of the type; then none of them ends.
  @discardableResult
  public func resolveAll<Content: SeaRecord>(
    of type: Content.Type = Content.self,
    _ rule: @escaping @Sendable (_ server: Content?, _ client: Content?, _ ancestor: Content?) throws -> Content?
  ) async throws -> [ResolvedConflict] {
    try await database.writing { engine in
      try Ending(engine).endAll(
        Content.recordType, StoredRecord.typed(type), { try $0.content(in: $1) }, rule)
    }
  }
}

/// Ends conflicts while nobody else writes.
struct Ending {
  static let label = "resolve"
  private let engine: Engine

  init(_ engine: Engine) { self.engine = engine }

  /// - Parameters:
  ///   - leaves: what the conflict is about, if that is known; another one is stale.
  ///   - isCurrent: what the record was read as, if it was.
  func end(
    _ id: String, _ leaves: [RevisionID]?, isCurrent read: RevisionID? = nil,
    _ content: (Conflict) throws -> SeaCore.Content
  ) throws -> ResolvedConflict {
    try engine.locked {
      let conflict = try find(id, leaves)
      if let read {
        let have = try conflict?.leaves ?? [engine.records.view(id)?.revision].compactMap { $0 }
        guard have.contains(read) else { throw KitError.stale(id: id, have: have.first, want: read.description) }
      }
      guard let conflict else { return ResolvedConflict(unchanged: id) }
      return try end([conflict.settled(as: try content(conflict))])[0]
    }
  }

  func end(_ id: String, _ leaves: [RevisionID], _ resolution: ConflictResolution) throws -> ResolvedConflict {
    try engine.locked {
      _ = try find(id, leaves)
      return ResolvedConflict(try engine.conflicts.resolve([id], resolution.core(), label: Ending.label)[0])
    }
  }

  private func find(_ id: String, _ leaves: [RevisionID]?) throws -> Conflict? {
    guard try engine.records.view(id) != nil else { throw KitError.recordNotFound(id) }
    let conflict = try engine.conflicts.conflict(of: id)
    if let leaves, conflict?.leaves != leaves {
      let have = try conflict?.leaves.first ?? engine.records.view(id)?.revision
      throw KitError.stale(id: id, have: have, want: leaves[0].description)
    }
    return conflict
  }

  func endAll<Content: Sendable>(
    _ type: String?, _ make: @escaping (StoredRecord) throws -> Content,
    _ content: (Content, Conflict) throws -> SeaCore.Content,
    _ rule: (Content?, Content?, Content?) throws -> Content?
  ) throws -> [ResolvedConflict] {
    try engine.locked {
      let reader = ConflictReader(instances: try Instances(engine), make: make)
      var all: [(id: String, settled: Settled)] = []
      try engine.conflicts.forEach(type: type) { conflict in
        try engine.settings.checkStop()
        if conflict.hasPurged { return true }
        let client = conflict.sides.first(where: \.isOwn) ?? conflict.sides[0]
        let server = conflict.sides.first { !$0.isOwn && $0.leaf.revision != client.leaf.revision } ?? conflict.sides[1]
        let kept = try rule(
          reader.content(of: server, in: conflict), reader.content(of: client, in: conflict),
          reader.content(of: conflict.base, in: conflict))
        all.append(conflict.settled(as: try kept.map { try content($0, conflict) } ?? .deleted))
        return true
      }
      return try end(all)
    }
  }

  private func end(_ all: [(id: String, settled: Settled)]) throws -> [ResolvedConflict] {
    if all.isEmpty { return [] }
    let made = Dictionary(all.map { (Array($0.id.utf8), $0.settled) }) { $1 }
    return try engine.conflicts.resolve(all.map(\.id), .made(made), label: Ending.label).map(ResolvedConflict.init)
  }
}

extension Conflict {
  fileprivate func settled(as content: SeaCore.Content) -> (id: String, settled: Settled) {
    (id, Settled(content, leaves: leaves, how: .manual))
  }
}

extension SeaRecord {
  /// What the record says, on top of what all versions together say.
  func content(in conflict: Conflict) throws -> SeaCore.Content {
    guard id == conflict.id else {
      throw SeaError(.usage, "record '\(id)' cannot end the conflict of '\(conflict.id)'", ["id": id])
    }
    let fields = try RecordEncoder.properties(of: self)
    return SeaCore.Content(type: Self.recordType, body: try fields.applied(to: conflict.merged.body))
  }
}

/// How a conflict is to end, without a look at what the revisions say.
public enum ConflictResolution: Sendable, Hashable {
  /// As the revision that wins everywhere says.
  case winner
  /// As this instance wrote.
  case ours
  /// As the others wrote; they have to be one.
  case theirs
  /// As one of the revisions says.
  case take(Revision)
  /// Property by property: what merges by itself, then what is chosen for a path (names joined by dots, or a JSON Pointer), then
  /// `otherwise`. What nothing decides is an error with the code `conflict`.
  case merge([String: PropertyChoice] = [:], otherwise: PropertyChoice? = nil)

  func core() throws -> Resolution {
    switch self {
    case .winner: return .winner
    case .ours: return .ours
    case .theirs: return .theirs
    case .take(let revision): return .take(revision.description)
    case .merge(let picks, let otherwise):
      // The last one that fits counts: a path comes behind those that it lies within.
      let paths = try picks.map { (path: try PropertyPath($0.key), choice: $0.value.core) }
      return .merge(
        MergeChoices(prefer: otherwise?.core, picks: paths.sorted { $0.path.names.count < $1.path.names.count }))
    }
  }
}

/// What decides about a property where revisions clash.
public enum PropertyChoice: Sendable, Hashable {
  /// What it said before.
  case base
  /// What the revision says that wins everywhere.
  case winner
  /// What this instance wrote.
  case ours
  /// What the others wrote.
  case theirs
  /// What one of the revisions says.
  case take(Revision)
  /// What was written last, by the order in which instances heard of each other.
  case newest
  /// The greatest number or latest date.
  case greatest
  /// The smallest number or earliest date.
  case smallest
  /// The elements of all arrays.
  case union
  /// The longest text, array or data.
  case longest

  var core: MergeChoices.Choice {
    switch self {
    case .base: .base
    case .winner: .revision("winner")
    case .ours: .revision("ours")
    case .theirs: .revision("theirs")
    case .take(let revision): .revision(revision.description)
    case .newest: .policy(.newest)
    case .greatest: .policy(.max)
    case .smallest: .policy(.min)
    case .union: .policy(.union)
    case .longest: .policy(.longest)
    }
  }
}

/// What became of a conflict.
public struct ResolvedConflict: Sendable, Hashable, Identifiable {
  /// Which record it is.
  public let id: String
  /// The revision that has taken in the others; nil if there was no conflict, or it is open still.
  public let revision: Revision?
  /// Whether the record is deleted since.
  public let isDeleted: Bool
  /// Whether nothing has decided about all of its properties. Then nothing was written of it.
  public let isOpen: Bool
  /// How many revisions still disagree: one cannot take in all.
  public let remaining: Int

  init(unchanged id: String) { (self.id, revision, isDeleted, isOpen, remaining) = (id, nil, false, false, 0) }

  init(_ resolved: Resolved) {
    (id, revision) = (resolved.id, resolved.revision.map(Revision.init))
    (isDeleted, isOpen, remaining) = (resolved.isDeleted, resolved.open != nil, resolved.left)
  }
}

extension Record {
  /// What the record says, as the end of a conflict: counters and sets are those of all versions with what was done to them here.
  func content(in conflict: Conflict) throws -> Content {
    guard id == conflict.id else {
      throw SeaError(.usage, "record '\(id)' cannot end the conflict of '\(conflict.id)'", ["id": id])
    }
    let merged = conflict.merged.body?.members ?? Members()
    var kept: Set<String> = []
    let members = properties.map { name, value in
      let old = merged[name]
      switch (value.unlabelled, old?.unlabelled) {
      case (.counter, .counter?), (.set, .set?):
        kept.insert(name)
        return (name, old!)
      default: return (name, value.stored)
      }
    }
    return Content(type: type, body: try changes.applied(to: .dictionary(Members(members)), only: kept))
  }
}
