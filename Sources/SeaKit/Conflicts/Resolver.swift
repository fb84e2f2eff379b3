internal import SeaCore
internal import SeaEngine

/// A way to resolve conflicts: a strategy, or a function of the program.
///
///     let heaviest = Resolver.function(of: Boat.self) { conflict in
///       guard var kept = conflict.merged else { return .leaveOpen }
///       kept.tons = conflict.versions.compactMap(\.content?.tons).max() ?? kept.tons
///       return .keep(kept)
///     }
///     try await database.sync(resolving: [heaviest])
///
/// Begin with `merged`, which has the changes of all versions. A single version lacks what only the others changed.
///
/// If a sync uses a resolver, the function should return the same result on every instance. It must then depend only on
/// the contents of the versions, and not on their order, on ``RecordConflict/own``, or on the time. If two instances
/// return different results, these are a new conflict, and only the instance that wrote the winner resolves it.
public struct Resolver: Sendable {
  /// The decision about a conflict.
  public enum Decision<Content: Sendable>: Sendable {
    /// Resolves the conflict with this content, which replaces all properties of its type. Increments of counters and
    /// elements of sets are kept.
    case keep(Content)
    /// Resolves the conflict by deleting the record.
    case delete
    /// Leaves the conflict open.
    case leaveOpen
  }

  private let type: String?
  private let makeDecision: @Sendable (Instances) -> SeaEngine.Decision

  private init<Content: Sendable>(
    _ type: String?, _ make: @escaping @Sendable (StoredRecord) throws -> Content,
    _ content: @escaping @Sendable (Content, Conflict) throws -> SeaCore.Content,
    _ body: @escaping @Sendable (RecordConflict<Content>) throws -> Decision<Content>
  ) {
    self.type = type
    makeDecision = { instances in
      let reader = ConflictReader(instances: instances, make: make)
      return .content { conflict in
        let readConflict = try reader.read(conflict)
        let decision: Decision<Content>
        do { decision = try body(readConflict) } catch { throw Failure(error: error) }
        return switch decision {
        case .keep(let kept): try content(kept, conflict)
        case .delete: .deleted
        case .leaveOpen: nil
        }
      }
    }
  }

  private init(_ type: String?, _ resolution: ConflictResolution) {
    self.type = type
    makeDecision = { _ in
      do { return .resolution(try resolution.core()) } catch { return .content { _ in throw error } }
    }
  }

  /// Returns a resolver that uses a strategy. A conflict that the strategy does not decide stays open.
  /// - Parameters:
  ///   - resolution: the strategy.
  ///   - type: the type of the records; nil for all.
  public static func strategy(_ resolution: ConflictResolution, of type: String? = nil) -> Resolver {
    Resolver(type, resolution)
  }

  /// Returns a resolver that calls a function with each conflict.
  /// - Parameters:
  ///   - type: the type of the records; nil for all.
  ///   - body: returns the decision.
  public static func function(
    of type: String? = nil, _ body: @escaping @Sendable (RecordConflict<Record>) throws -> Decision<Record>
  ) -> Resolver {
    Resolver(type, { Record($0) }, { try $0.content(in: $1) }, body)
  }

  /// Returns a resolver that calls a function with each conflict of records of a type. A version that cannot be decoded
  /// as the type is an error of this conflict.
  /// - Parameters:
  ///   - type: the type of the records.
  ///   - body: returns the decision.
  public static func function<Content: SeaRecord>(
    of type: Content.Type, _ body: @escaping @Sendable (RecordConflict<Content>) throws -> Decision<Content>
  ) -> Resolver {
    Resolver(Content.recordType, StoredRecord.typed(type), { try $0.content(in: $1) }, body)
  }

  /// An error that the program's function threw.
  struct Failure: Error { let error: any Error }
}

extension [Resolver] {
  /// Returns a function that finds the decision about a record: the one of the first resolver for its type.
  func decisions(_ engine: Engine) throws -> (RecordRow) -> Decision? {
    let instances = try Instances(engine)
    return { row in first { $0.isFor(row.type) }?.decision(instances) }
  }
}

extension Resolver {
  fileprivate func isFor(_ other: String?) -> Bool { type.map { UTF8Text.equal($0, other ?? "") } ?? true }

  fileprivate func decision(_ instances: Instances) -> SeaEngine.Decision { makeDecision(instances) }
}
