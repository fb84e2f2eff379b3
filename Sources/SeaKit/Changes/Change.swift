internal import SeaCore
internal import SeaEngine

/// A place in the order in which changes came to count on this device. It is of this database here, and of no copy elsewhere.
public struct Position: Sendable, Hashable, Codable, LosslessStringConvertible {
  let core: FeedPosition

  init(_ core: FeedPosition) { self.core = core }

  /// Before all changes.
  public static let start = Position(FeedPosition.start)

  /// - Parameter description: as it was printed. Nil of anything else.
  public init?(_ description: String) {
    guard let core = FeedPosition(description) else { return nil }
    self.core = core
  }

  /// A short text, to be kept by a program that goes on from here another time.
  public var description: String { core.description }

  /// As text.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// The other way.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}

/// A step of one record from one state to the next, as it came to count here, own or from elsewhere.
public struct Change: Sendable, Hashable {
  /// What happened to a record.
  public enum Effect: String, CaseIterable, Sendable, Codable {
    /// It was made, changed, or deleted.
    case created, updated, deleted
    /// It was deleted and is there again.
    case restored
    /// Its conflict has ended, and it is there.
    case resolved
    /// A revision came that did not win: it is as it was, and may be in conflict.
    case lost
    /// What it said was purged.
    case purged
    /// Nothing of it counts any more.
    case removed
  }

  /// Where to go on behind this change.
  public let position: Position
  /// Which record it is.
  public let id: String
  /// Its type; nil if it has none, or it is not known any more.
  public let type: String?
  /// What happened to it.
  public let effect: Effect
  /// The revision that was its winner before; nil if there was none.
  public let old: Revision?
  /// The winner since; nil if nothing of it counts any more.
  public let new: Revision?
  /// Whether it is in conflict since.
  public let isConflict: Bool
  /// Whether this instance has written it: else it has arrived from another one.
  public let isOwn: Bool
  /// Which properties have changed; nil if that cannot be told any more.
  public let properties: Properties?

  /// The names of the properties of a record that have changed.
  public struct Properties: Sendable, Hashable {
    /// Those that are there since.
    public var added: [String] = []
    /// Those that say something else.
    public var changed: [String] = []
    /// Those that are gone.
    public var deleted: [String] = []

    /// Those that are named.
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
