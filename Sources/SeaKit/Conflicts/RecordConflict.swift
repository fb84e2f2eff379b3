internal import SeaCore
internal import SeaEngine

/// The conflicting revisions of a record, with their content as `Record` or as your own type.
///
///     for conflict in try await database.conflicts.all(of: Bird.self) {
///       guard var bird = conflict.merged else { continue }
///       bird.name = conflict.versions.compactMap(\.content?.name).joined(separator: " or ")
///       try await database.conflicts.resolve(conflict, with: bird)
///     }
public struct RecordConflict<Content: Sendable>: Sendable, Identifiable {
  /// How the revisions conflict.
  public enum Kind: String, Sendable, CaseIterable, Codable {
    /// Each revision changed the record.
    case edits
    /// One revision deleted the record, and another changed it.
    case deletion
    /// Records with the same id were created independently.
    case additions
    /// The revisions have different types.
    case types
  }

  /// The id of the record.
  public let id: String
  /// The record type of the winner; nil if it has no type.
  public let type: String?
  /// How the revisions of this record conflict.
  public let kind: Kind
  /// The nearest common ancestor; nil if the versions were created independently.
  public let base: ConflictVersion<Content>?
  /// The conflicting revisions, two or more, beginning with the winner.
  public let versions: [ConflictVersion<Content>]
  /// The merged content of all versions that are not deleted; nil if the content was purged. Conflicting properties
  /// have the winner's values.
  public let merged: Content?
  /// The conflicting properties. All other properties merge automatically.
  public let clashes: [ConflictClash]
  /// The number of further conflicting revisions, which remain in conflict because there are too many for a single
  /// resolution.
  public let waiting: Int

  /// The version that this instance wrote; nil if there is none.
  public var own: ConflictVersion<Content>? { versions.first(where: \.isOwn) }
  /// The highest-ranking version among those that other instances wrote; nil if there is none.
  public var foreign: ConflictVersion<Content>? { versions.first { !$0.isOwn } }

  var leaves: [RevisionID] { versions.map(\.revision.core) }
}

/// A conflicting revision of a record, or the common ancestor.
public struct ConflictVersion<Content: Sendable>: Sendable {
  /// The id of the revision.
  public let revision: Revision
  /// The content; nil if the revision deletes the record or the content was purged.
  public let content: Content?
  /// Whether the revision deletes the record.
  public let isDeleted: Bool
  /// The instance that wrote the content; nil if unknown. Content that an undo restored belongs to its original author.
  public let author: Instance?
  /// The time at which the author wrote the content, according to the author's clock; nil if unknown.
  public let time: Timestamp?
  /// Whether this instance wrote the content.
  public let isOwn: Bool
}

/// A property that has different values in the conflicting revisions, with no rule to decide between them.
public struct ConflictClash: Sendable, Hashable {
  /// The path of the property, as a JSON Pointer (RFC 6901). `/_type` is the record type. The empty pointer is the
  /// whole record, and is used if one version deletes the record.
  public let path: String
  /// The value in the common ancestor; nil if the property is absent there.
  public let base: Value?
  /// The values in the order of the versions; nil for a version without the property.
  public let values: [Value?]
}

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
      isDeleted: side.leaf.kind != .put, author: side.owner.map { instances[$0.instance] },
      time: side.owner.map { Timestamp(milliseconds: $0.time) }, isOwn: side.isOwn)
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
  static func typed<Wanted: SeaRecord>(_ type: Wanted.Type) -> @Sendable (StoredRecord) throws -> Wanted {
    { stored in
      guard stored.isOf(type) else {
        throw SeaError.badProperty(stored.id, "_type", "is '\(stored.type ?? "")', not '\(Wanted.recordType)'")
      }
      return try stored.decoded(as: Wanted.self)
    }
  }
}
