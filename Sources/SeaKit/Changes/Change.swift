internal import SeaCore
internal import SeaEngine

/// A position in the changes feed of this database. Positions have no meaning in other copies of the database.
public struct Position: Sendable, Hashable, Codable, LosslessStringConvertible {
  let core: FeedPosition

  init(_ core: FeedPosition) { self.core = core }

  /// The position before all changes.
  public static let start = Position(FeedPosition.start)

  /// Parses the ``description`` of a position, or returns nil for any other string.
  public init?(_ description: String) {
    guard let core = FeedPosition(description) else { return nil }
    self.core = core
  }

  /// A short string that a program can store in order to continue from this position later.
  public var description: String { core.description }

  /// Encodes the position as a string.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the position from a string.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}

/// A change to one record, made by this instance or another instance.
public struct Change: Sendable, Hashable {
  /// The effect of a change.
  public enum Effect: String, CaseIterable, Sendable, Codable {
    /// The record was created, changed, or deleted.
    case created, updated, deleted
    /// The deleted record exists again.
    case restored
    /// The conflict of the record was resolved, and the record exists.
    case resolved
    /// A revision arrived but did not become the winner. The record is unchanged, but may be in conflict.
    case lost
    /// The content was purged.
    case purged
    /// The record no longer has a valid revision.
    case removed
  }

  /// The position after this change.
  public let position: Position
  /// The id of the record.
  public let id: String
  /// The type of the record; nil if it has no type or the type is no longer known.
  public let type: String?
  /// The effect of the change on the record.
  public let effect: Effect
  /// The previous winning revision; nil if there was none.
  public let old: Revision?
  /// The new winning revision; nil if no valid revision is left.
  public let new: Revision?
  /// Whether the record is now in conflict.
  public let isConflict: Bool
  /// Whether this instance wrote the change. If false, it arrived from another instance.
  public let isOwn: Bool
  /// The changed properties; nil if these are no longer known.
  public let properties: Properties?

  /// The names of the changed properties of a record.
  public struct Properties: Sendable, Hashable {
    /// The names of the added properties.
    public var added: [String] = []
    /// The names of the properties whose values changed.
    public var changed: [String] = []
    /// The names of the removed properties.
    public var deleted: [String] = []

    /// Creates a description of changed properties.
    public init(added: [String] = [], changed: [String] = [], deleted: [String] = []) {
      (self.added, self.changed, self.deleted) = (added, changed, deleted)
    }
  }

  init(_ change: FeedChange) {
    position = Position(change.position)
    (id, type) = (change.id, change.type)
    effect = Effect(rawValue: change.effect.rawValue) ?? .updated
    (old, new) = (change.old.map(Revision.init), change.new.map(Revision.init))
    (isConflict, isOwn) = (change.isConflict, change.isOwn)
    properties = change.difference.map { difference in
      var properties = Properties()
      for one in difference.changes {
        switch (one.old, one.new) {
        case (nil, _): properties.added.append(one.name)
        case (_, nil): properties.deleted.append(one.name)
        default: properties.changed.append(one.name)
        }
      }
      return properties
    }
  }
}
