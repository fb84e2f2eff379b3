internal import SeaCore
internal import SeaEngine

/// A block of the history: what was written together.
public struct LoggedTransaction: Sendable, Hashable {
  /// Who wrote it.
  public let author: Instance
  /// Its number among those of its author, from 0; a fork has several with one number.
  public let index: UInt32
  /// When, by the clock of who wrote it.
  public let time: Timestamp
  /// The word for it.
  public let label: String?
  /// How many revisions of records it has, as far as it can be read here.
  public let changes: Int

  init(_ block: BlockRow, _ instances: Instances) {
    author = instances[block.instance]
    index = block.ref.index
    time = Timestamp(milliseconds: block.time)
    label = block.label
    changes = Int(block.changes)
  }
}

extension Database.History {
  /// What this instance did in one transaction: what can be taken back.
  public struct Operation: Sendable, Hashable, Identifiable {
    /// Whether it is in effect.
    public enum State: String, Sendable, CaseIterable, Codable {
      /// It is.
      case done
      /// Some of its records have been taken back.
      case partly
      /// All of it was taken back.
      case undone
    }

    /// `op:` and 16 hexadecimal digits.
    public let id: String
    /// When, by the clock of this device.
    public let time: Timestamp
    /// The word for it.
    public let label: String?
    /// How many revisions of records it has.
    public let changes: Int
    /// Whether it was in effect when it was read.
    public let state: State

    init(_ operation: SeaEngine.Operation) {
      id = operation.name
      time = Timestamp(milliseconds: operation.block.time)
      label = operation.block.label
      changes = Int(operation.block.changes)
      state = State(rawValue: operation.state.rawValue) ?? .done
    }

    var name: OperationName { .digest(String(id.dropFirst(3))) }
  }

  /// What an operation does to a record.
  public enum Effect: String, Sendable, CaseIterable, Codable {
    /// It was made, changed, or deleted.
    case created, updated, deleted
    /// An undo brought back what was before.
    case restored
    /// Somebody ended its conflict.
    case resolved
    /// Its conflict ended by itself.
    case merged
    /// An undo brought its conflict back.
    case reopened

    init(_ effect: SeaEngine.Operation.Effect) { self = Effect(rawValue: effect.rawValue) ?? .updated }
  }

  /// What an operation did to one record with one revision.
  public struct OperationChange: Sendable, Hashable {
    /// Which record it is.
    public let id: String
    /// The type that it has since.
    public let type: String?
    /// What was done.
    public let effect: Effect
    /// The revision that was written.
    public let revision: Revision
    /// What is different from before; nil if that cannot be told, as of what was purged.
    public let differences: [PropertyDifference]?

    init(_ change: RevisionChange) throws {
      (id, type, effect) = (change.id, change.type, Effect(change.effect))
      revision = Revision(change.revision)
      differences = try change.difference.map(PropertyDifference.all)
    }
  }

  /// What an undo did.
  public struct Undo: Sendable, Hashable {
    /// What was taken back of one record.
    public struct Record: Sendable, Hashable, Identifiable {
      /// Which record it is.
      public let id: String
      /// What became of it; nil if there was nothing to take back.
      public let effect: Effect?
      /// What was written.
      public let revisions: [Revision]
    }

    /// What was taken back, as it was before.
    public let operation: Operation
    /// Its records.
    public let records: [Record]

    init(_ undone: Undone) {
      operation = Operation(undone.operation)
      records = undone.records.map {
        Record(id: $0.id, effect: $0.effect.map(Effect.init), revisions: $0.revisions.map(Revision.init))
      }
    }
  }
}
