internal import SeaCore
internal import SeaEngine

extension Database {
  /// The conflicts of this database, and the ways to resolve them.
  public var conflicts: Conflicts { Conflicts(database: self) }

  /// Operations on records in conflict, available as `database.conflicts`.
  public struct Conflicts: Sendable { let database: Database }
}

extension Database.Conflicts {
  /// Returns the conflicts of all records, ordered by record id.
  /// - Parameter type: the type of the records; nil for all.
  public func all(of type: String? = nil) async throws -> [RecordConflict<Record>] {
    try await all(type) { Record($0) }
  }

  /// Returns the conflicts of all records of a type, ordered by record id.
  /// - Throws: `bad-data` if a version cannot be decoded as the type; the message names the record and the property.
  public func all<Content: SeaRecord>(of type: Content.Type) async throws -> [RecordConflict<Content>] {
    try await all(Content.recordType, StoredRecord.typed(type))
  }

  /// Returns the conflict of a record; nil if it has none.
  public func find(_ id: String) async throws -> RecordConflict<Record>? {
    try await find(id) { Record($0) }
  }

  /// Returns the conflict of a record of a type; nil if it has none.
  /// - Throws: `bad-data` if a version cannot be decoded as the type; the message names the property.
  public func find<Content: SeaRecord>(
    _ id: String, as type: Content.Type
  ) async throws -> RecordConflict<Content>? {
    try await find(id, StoredRecord.typed(type))
  }

  /// Returns the sorted ids of the records in conflict, without reading the records.
  public func ids(of type: String? = nil) async throws -> [String] {
    try await database.reading { try $0.conflicts.ids(type: type) }
  }

  /// Returns the number of records in conflict.
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

  /// Returns a sequence of the ids of all records in conflict, with a new element after each change.
  ///
  ///     for try await ids in database.conflicts.updates() { badge.count = ids.count }
  public func updates(of type: String? = nil) -> ConflictUpdates {
    ConflictUpdates(database: database, type: type)
  }
}

/// The ids of all records in conflict, once at the start and again after each change, until the task is cancelled. The
/// loop sleeps until this process or another process writes.
public struct ConflictUpdates: AsyncSequence, Sendable {
  /// The sorted ids of all records in conflict.
  public typealias Element = [String]

  let database: Database
  let type: String?

  /// Returns an iterator that starts with the current ids.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let updates: ConflictUpdates
    private var known: [String]?

    init(_ updates: ConflictUpdates) { self.updates = updates }

    /// Waits until the ids differ from the last element, then returns them; returns nil if the task was cancelled.
    public mutating func next() async throws -> [String]? {
      let (type, before) = (updates.type, known)
      let ids = try await updates.database.firstResult { engine in
        let ids = try engine.conflicts.ids(type: type)
        return ids == before ? nil : ids
      }
      if let ids { known = ids }
      return ids
    }
  }
}

extension Database.Conflicts {
  // MARK: - With given content

  /// Resolves a conflict with the given content. Increments of counters and elements of sets are kept.
  /// - Parameters:
  ///   - conflict: the conflict, as it was read.
  ///   - record: the complete content: usually `merged` of the conflict, with changes. Nil deletes the record.
  /// - Returns: the result.
  /// - Throws: `stale`, and nothing is written, if the conflict has changed or ended.
  @discardableResult
  public func resolve(
    _ conflict: RecordConflict<Record>, with record: Record?
  ) async throws -> ResolvedConflict {
    try await resolve(conflict.id, conflict.leaves) { try record?.content(in: $0) ?? .deleted }
  }

  /// Resolves a conflict with the given content. Properties unknown to the type are merged from all versions.
  /// - Parameters:
  ///   - conflict: the conflict, as it was read.
  ///   - record: the new values of its properties. Nil deletes the record.
  /// - Throws: `stale`, and nothing is written, if the conflict has changed or ended.
  @discardableResult
  public func resolve<Content: SeaRecord>(
    _ conflict: RecordConflict<Content>, with record: Content?
  ) async throws -> ResolvedConflict {
    try await resolve(conflict.id, conflict.leaves) { try record?.content(in: $0) ?? .deleted }
  }

  /// Resolves the conflict of a record with the given content.
  /// - Parameters:
  ///   - id: the id of the record.
  ///   - record: the complete content. If it was read, its revision must be one of the conflicting ones.
  /// - Returns: the result. Nothing is written if there is no conflict and the record is unchanged since it was read.
  /// - Throws: `stale`, and nothing is written, if it was read as another revision; `not-found` for an unknown id.
  @discardableResult
  public func resolve(_ id: String, with record: Record) async throws -> ResolvedConflict {
    try await database.writing { engine in
      try ConflictResolver(engine).end(id, nil, isCurrent: record.revision?.core) { try record.content(in: $0) }
    }
  }

  /// Resolves the conflict of a record of a type with the given content.
  /// - Throws: `not-found` if there is no such record.
  @discardableResult
  public func resolve(_ id: String, with record: some SeaRecord) async throws -> ResolvedConflict {
    try await resolve(id, nil) { try record.content(in: $0) }
  }

  private func resolve(
    _ id: String, _ leaves: [RevisionID]?, _ content: @escaping @Sendable (Conflict) throws -> SeaCore.Content
  ) async throws -> ResolvedConflict {
    try await database.writing { try ConflictResolver($0).end(id, leaves, content) }
  }

  // MARK: - By a strategy

  /// Resolves a conflict with a strategy.
  /// - Throws: `stale` if the conflict has changed or was resolved after it was read, `conflict` if the strategy cannot
  ///   decide. In both cases, nothing is written.
  @discardableResult
  public func resolve<Content>(
    _ conflict: RecordConflict<Content>, _ resolution: ConflictResolution
  ) async throws -> ResolvedConflict {
    let (id, leaves) = (conflict.id, conflict.leaves)
    return try await database.writing { try ConflictResolver($0).end(id, leaves, resolution) }
  }

  /// Resolves conflicts with a strategy, in one block: all of them or none.
  /// - Parameters:
  ///   - conflicts: the conflicts, as they were read.
  ///   - resolution: the strategy.
  ///   - partially: whether to resolve the decided conflicts even if others stay open.
  /// - Returns: the results, in the order of the conflicts.
  /// - Throws: `stale` if one of the conflicts has changed or ended, `conflict` if the strategy does not decide all of
  ///   them. In both cases, nothing is written.
  @discardableResult
  public func resolve<Content>(
    _ conflicts: [RecordConflict<Content>], _ resolution: ConflictResolution, partially: Bool = false
  ) async throws -> [ResolvedConflict] {
    let wanted = conflicts.map { (id: $0.id, leaves: $0.leaves) }
    return try await database.writing { try ConflictResolver($0).end(wanted, resolution, partially) }
  }

  /// Resolves the conflict of a record with a strategy. A record without a conflict remains unchanged.
  /// - Throws: `conflict` if the strategy leaves a property undecided; `not-found` if there is no such record.
  @discardableResult
  public func resolve(_ id: String, _ resolution: ConflictResolution) async throws -> ResolvedConflict {
    try await resolve([id], resolution)[0]
  }

  /// Resolves the conflicts of records by a strategy, in one block: all of them or none.
  /// - Parameters:
  ///   - ids: the ids of the records.
  ///   - resolution: the strategy.
  ///   - partially: whether to resolve the decided conflicts even if others stay open.
  /// - Returns: the results, in the order of the ids.
  /// - Throws: `conflict` if the strategy does not decide all conflicts; `not-found` if there is no such record.
  @discardableResult
  public func resolve(
    _ ids: [String], _ resolution: ConflictResolution, partially: Bool = false
  ) async throws -> [ResolvedConflict] {
    try await database.writing { engine in
      try engine.conflicts.resolve(
        ids, resolution.core(), label: ConflictResolver.label, ResolveOptions(isPartial: partially)
      ).map(ResolvedConflict.init)
    }
  }

  // MARK: - By resolvers

  /// Resolves all conflicts with resolvers, in one block, while no one else writes.
  ///
  ///     try await database.conflicts.resolveAll(.strategy(.winner, of: "boat"))
  /// - Parameter resolvers: the resolvers. The first one for the type of a record decides about its conflict.
  /// - Returns: the results. A conflict stays open if no resolver decides it, or if some of its content was purged.
  /// - Throws: the errors of functions, and `bad-data` if a version cannot be decoded; then no conflict is resolved.
  @discardableResult
  public func resolveAll(_ resolvers: Resolver...) async throws -> [ResolvedConflict] {
    do {
      return try await database.writing { try ConflictResolver($0).endAll(resolvers) }
    } catch let failure as Resolver.Failure { throw failure.error }
  }
}

struct ConflictResolver {
  /// The message of the transactions in the history.
  static let label = "resolve"
  private let engine: Engine

  init(_ engine: Engine) { self.engine = engine }

  /// - Parameters:
  /// - leaves: the expected conflicting revisions; nil to accept any. If the revisions differ, the call throws `stale`.
  ///   - isCurrent: the revision of the given content, if it was read from the database.
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
      return ResolvedConflict(try engine.conflicts.resolve([id], resolution.core(), label: ConflictResolver.label)[0])
    }
  }

  func end(
    _ wanted: [(id: String, leaves: [RevisionID])], _ resolution: ConflictResolution, _ isPartial: Bool
  ) throws -> [ResolvedConflict] {
    try engine.locked {
      for one in wanted { _ = try find(one.id, one.leaves) }
      return try engine.conflicts.resolve(
        wanted.map(\.id), resolution.core(), label: ConflictResolver.label, ResolveOptions(isPartial: isPartial)
      ).map(ResolvedConflict.init)
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

  func endAll(_ resolvers: [Resolver]) throws -> [ResolvedConflict] {
    try engine.locked {
      let decide = try resolvers.decisions(engine)
      var all: [(id: String, settled: Settled)] = []
      try engine.conflicts.forEach { conflict in
        try engine.settings.checkStop()
        guard !conflict.hasPurged, let decision = decide(conflict.row) else { return true }
        if let settled = try engine.conflicts.settled(conflict, decision) { all.append((conflict.id, settled)) }
        return true
      }
      return try end(all)
    }
  }

  private func end(_ all: [(id: String, settled: Settled)]) throws -> [ResolvedConflict] {
    if all.isEmpty { return [] }
    let made = Dictionary(all.map { (Array($0.id.utf8), $0.settled) }) { $1 }
    return try engine.conflicts.resolve(all.map(\.id), .made(made), label: ConflictResolver.label).map(
      ResolvedConflict.init)
  }
}

extension Conflict {
  fileprivate func settled(as content: SeaCore.Content) -> (id: String, settled: Settled) {
    (id, Settled(content, leaves: leaves, how: .manual))
  }
}

extension SeaRecord {
  /// Returns the merged content of all versions, with the properties of this record replaced.
  func content(in conflict: Conflict) throws -> SeaCore.Content {
    guard id == conflict.id else {
      throw SeaError(.usage, "record '\(id)' cannot resolve the conflict of '\(conflict.id)'", ["id": id])
    }
    let fields = try RecordEncoder.properties(of: self)
    return SeaCore.Content(type: Self.recordType, body: try fields.applied(to: conflict.merged.body))
  }
}

/// A strategy for resolving a conflict without inspecting its content.
public enum ConflictResolution: Sendable, Hashable {
  /// Keeps the winner, which is the same revision on all instances.
  case winner
  /// Keeps the revision that this instance wrote.
  case ours
  /// Keeps the revision that other instances wrote. There must be exactly one.
  case theirs
  /// Keeps the given revision.
  case take(Revision)
  /// Merges the record property by property. The dictionary contains a choice for the path of each conflicting property
  /// (names joined by dots, or a JSON Pointer), and `otherwise` applies to all other paths. If a property remains
  /// undecided, the call throws `conflict`.
  case merge([String: PropertyChoice] = [:], otherwise: PropertyChoice? = nil)

  func core() throws -> Resolution {
    switch self {
    case .winner: return .winner
    case .ours: return .ours
    case .theirs: return .theirs
    case .take(let revision): return .take(revision.description)
    case .merge(let picks, let otherwise):
      // The last matching path takes precedence, so longer paths come last.
      let paths = try picks.map { (path: try PropertyPath($0.key), choice: $0.value.core) }
      return .merge(
        MergeChoices(prefer: otherwise?.core, picks: paths.sorted { $0.path.names.count < $1.path.names.count }))
    }
  }
}

/// A choice for a conflicting property.
public enum PropertyChoice: Sendable, Hashable {
  /// The value in the common ancestor.
  case base
  /// The value in the winner.
  case winner
  /// The value that this instance wrote.
  case ours
  /// The value that other instances wrote.
  case theirs
  /// The value in the given revision.
  case take(Revision)
  /// The value that was written last, according to the causal order of the blocks.
  case newest
  /// The greatest number or latest date.
  case greatest
  /// The smallest number or earliest date.
  case smallest
  /// The changed lines of all versions of a text.
  case text

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
    case .text: .policy(.text)
    }
  }
}

/// The result of resolving the conflict of a record.
public struct ResolvedConflict: Sendable, Hashable, Identifiable {
  /// The id of the record.
  public let id: String
  /// The revision that replaces the conflicting revisions; nil if there was no conflict or it remains unresolved.
  public let revision: Revision?
  /// Whether the record is now deleted.
  public let isDeleted: Bool
  /// Whether the conflict remains unresolved because some properties are undecided.
  public let isOpen: Bool
  /// The number of revisions that are still in conflict because there are too many for a single resolution.
  public let remaining: Int

  init(unchanged id: String) { (self.id, revision, isDeleted, isOpen, remaining) = (id, nil, false, false, 0) }

  init(_ resolved: Resolved) {
    (id, revision) = (resolved.id, resolved.revision.map(Revision.init))
    (isDeleted, isOpen, remaining) = (resolved.isDeleted, resolved.open != nil, resolved.left)
  }
}

extension Record {
  /// Returns the content that resolves a conflict with this record. Changes to counters and sets are applied to the
  /// values merged from all versions.
  func content(in conflict: Conflict) throws -> Content {
    guard id == conflict.id else {
      throw SeaError(.usage, "record '\(id)' cannot resolve the conflict of '\(conflict.id)'", ["id": id])
    }
    let merged = conflict.merged.body?.members ?? Members()
    var kept: Set<String> = []
    let members = properties.map { name, value in
      let old = merged[name]
      switch (value.unlabeled, old?.unlabeled) {
      case (.counter, .counter?), (.set, .set?):
        kept.insert(name)
        return (name, old!)
      default: return (name, value.stored)
      }
    }
    return Content(type: type, body: try changes.applied(to: .dictionary(Members(members)), only: kept))
  }
}
