internal import SeaCore
internal import SeaEngine

/// All instances' changes since a position, followed by new changes as they arrive, until the task is cancelled.
///
///     for try await change in database.changes(since: position) { … ; position = change.position }
///
/// Each loop starts at that position. Changes are read from the database, so even a slow loop does not miss any. The
/// loop sleeps until this process or another process writes.
public struct Changes: AsyncSequence, Sendable {
  /// A change to a record.
  public typealias Element = Change

  let database: Database
  let start: Position?
  let types: [String]

  /// Returns an iterator that starts at the position.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let database: Database
    private let walk: Walk
    private var page: ArraySlice<Change> = []

    init(_ changes: Changes) {
      database = changes.database
      walk = Walk(from: changes.start, changes.types)
    }

    /// Waits for the next change and returns it; returns nil if the task was cancelled.
    /// - Throws: `expired` if the position is unknown, for example after a restore. In that case, the caller must read
    ///   all records again.
    public mutating func next() async throws -> Change? {
      if page.isEmpty {
        guard let found = try await database.firstResult({ [walk] in try walk.step($0) }) else { return nil }
        page = found[...]
      }
      return page.popFirst()
    }
  }

  /// The position of one loop. Only one task uses the object at a time, so sharing it is safe (`@unchecked`).
  private final class Walk: @unchecked Sendable {
    private var position: Position?
    private let types: [String]

    private static let most = 256

    /// - Parameter start: the position to start from; nil for the end of the feed.
    init(from start: Position?, _ types: [String]) { (position, self.types) = (start, types) }

    func step(_ engine: Engine) throws -> [Change]? {
      guard let start = position else {
        position = Position(try engine.feed.end())
        return nil
      }
      var filter = FeedFilter()
      (filter.types, filter.limit) = (types, Walk.most)
      var changes: [Change] = []
      position = Position(
        try engine.feed.forEach(after: start.core, filter) {
          changes.append(Change($0))
          return true
        })
      return changes.isEmpty ? nil : changes
    }
  }
}

extension Database {
  /// Returns the position after all existing changes.
  public func position() async throws -> Position { try await reading { Position(try $0.feed.end()) } }

  /// Returns the changes from now on.
  /// - Parameter type: the type of the record before or after the change; nil for all types.
  public func changes(of type: String? = nil) -> Changes {
    Changes(database: self, start: nil, types: type.map { [$0] } ?? [])
  }

  /// Returns the changes from now on to records that have, or had, one of these types; none for all types.
  public func changes(of types: [any SeaRecord.Type]) -> Changes {
    Changes(database: self, start: nil, types: types.map { $0.recordType })
  }

  /// Returns the changes after a position, including future changes.
  public func changes(since position: Position, of type: String? = nil) -> Changes {
    Changes(database: self, start: position, types: type.map { [$0] } ?? [])
  }

  /// Returns the changes after a position to records that have, or had, one of these types (none for all types), including future
  /// changes.
  public func changes(since position: Position, of types: [any SeaRecord.Type]) -> Changes {
    Changes(database: self, start: position, types: types.map { $0.recordType })
  }
}
