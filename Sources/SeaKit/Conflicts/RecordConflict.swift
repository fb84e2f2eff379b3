internal import SeaCore
internal import SeaEngine

/// What the revisions of a record say that disagree: as records that the program need not know, or as those of a type.
///
///     for conflict in try await database.conflicts.all(of: Bird.self) {
///       guard var bird = conflict.merged else { continue }
///       bird.name = conflict.versions.compactMap(\.content?.name).joined(separator: " or ")
///       try await database.conflicts.resolve(conflict, with: bird)
///     }
public struct RecordConflict<Content: Sendable>: Sendable, Identifiable {
  /// How revisions disagree.
  public enum Kind: String, Sendable, CaseIterable, Codable {
    /// Each has changed the record.
    case edits
    /// One has deleted what another one has changed.
    case deletion
    /// The same record was made twice.
    case additions
    /// They give it different types.
    case types
  }

  /// Which record it is.
  public let id: String
  /// The type that its winner has; nil if it has none.
  public let type: String?
  /// How they disagree.
  public let kind: Kind
  /// The nearest revision that all of them come from; nil if they were made independently.
  public let base: ConflictVersion<Content>?
  /// What disagrees, the winner first: two or more.
  public let versions: [ConflictVersion<Content>]
  /// All versions that are not deleted, merged property by property; where they clash it says what the winner says. Nil if what they
  /// said was purged.
  public let merged: Content?
  /// Where they clash. All else merges by itself.
  public let clashes: [ConflictClash]
  /// How many more revisions disagree, which one resolution cannot take in: they are a conflict again afterwards.
  public let waiting: Int

  /// What this instance wrote; nil if it wrote none of them.
  public var own: ConflictVersion<Content>? { versions.first(where: \.isOwn) }
  /// The best of those that others wrote.
  public var foreign: ConflictVersion<Content>? { versions.first { !$0.isOwn } }

  var leaves: [RevisionID] { versions.map(\.revision.core) }
}

/// One of the revisions of a record that disagree, or the one that they come from.
public struct ConflictVersion<Content: Sendable>: Sendable {
  /// Which revision it is.
  public let revision: Revision
  /// What it says; nil if it deletes the record, or what it said was purged.
  public let content: Content?
  /// Whether it deletes the record.
  public let isDeleted: Bool
  /// Who wrote it.
  public let author: Instance?
  /// When, by the clock of who wrote it.
  public let time: Timestamp?
  /// Whether this instance wrote it; what an undo has put back is that of who wrote it first.
  public let isOwn: Bool
}

/// A place of a record about which its revisions say different things, and nothing decides between them.
public struct ConflictClash: Sendable, Hashable {
  /// A JSON Pointer (RFC 6901); `/_type` is the type, and the empty one the whole record, as where one side deleted it.
  public let path: String
  /// What stood there before; nil for nothing.
  public let base: Value?
  /// What stands there, in the order of the versions; nil for nothing.
  public let values: [Value?]
}

/// Makes conflicts of what the engine says of them.
struct ConflictReader<Content: Sendable> {
  let instances: Instances
  let make: (StoredRecord) throws -> Content

  func read(_ conflict: Conflict) throws -> RecordConflict<Content> {
    RecordConflict(
      id: conflict.id, type: conflict.sides[0].type ?? conflict.row.type, kind: kind(conflict.kind),
      base: try conflict.base.map { try version($0, of: conflict, []) },
      versions: try conflict.sides.map { try version($0, of: conflict, conflict.leaves) },
      merged: try merged(conflict),
      clashes: (conflict.hasDeletion ? [conflict.whole] : conflict.clashes).map { one in
        ConflictClash(
          path: one.pointer, base: one.base.map { Value(stored: $0) },
          values: one.values.map { $0.map { Value(stored: $0) } })
      }, waiting: conflict.waiting)
  }

  func merged(_ conflict: Conflict) throws -> Content? {
    try content(conflict.merged, conflict.leaves[0], of: conflict, conflict.leaves)
  }

  func content(of side: Conflict.Side?, in conflict: Conflict) throws -> Content? {
    guard let side else { return nil }
    return try content(
      SeaCore.Content(type: side.type, body: side.body), side.leaf.revision, of: conflict, conflict.leaves)
  }

  private func version(
    _ side: Conflict.Side, of conflict: Conflict, _ leaves: [RevisionID]
  ) throws -> ConflictVersion<Content> {
    ConflictVersion(
      revision: Revision(side.leaf.revision),
      content: try content(SeaCore.Content(type: side.type, body: side.body), side.leaf.revision, of: conflict, leaves),
      isDeleted: side.leaf.kind != .put, author: side.author.map { instances[$0.instance] },
      time: side.author.map { Timestamp(milliseconds: $0.time) }, isOwn: side.isOwn)
  }

  private func content(
    _ content: SeaCore.Content, _ revision: RevisionID, of conflict: Conflict, _ leaves: [RevisionID]
  ) throws -> Content? {
    guard let body = content.body else { return nil }
    return try make(
      StoredRecord(
        id: conflict.id, type: content.type, revision: revision, conflicts: leaves.filter { $0 != revision },
        properties: body.members ?? Members()))
  }

  private func kind(_ kind: Conflict.Kind) -> RecordConflict<Content>.Kind {
    switch kind {
    case .edit: .edits
    case .deletion: .deletion
    case .addition: .additions
    case .type: .types
    }
  }
}

extension StoredRecord {
  /// Of a type that the program asks for.
  static func typed<Wanted: SeaRecord>(_ type: Wanted.Type) -> @Sendable (StoredRecord) throws -> Wanted {
    { stored in
      guard stored.isOf(type) else {
        throw SeaError.badProperty(stored.id, "_type", "is '\(stored.type ?? "")', and not '\(Wanted.recordType)'")
      }
      return try stored.decoded(as: Wanted.self)
    }
  }
}
