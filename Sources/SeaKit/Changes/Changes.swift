internal import SeaCore
internal import SeaEngine

/// What changes, as it changes, own and foreign: first what stands behind a position already, then all that comes, until the task is
/// cancelled.
///
///     for try await change in database.changes(since: position) { … ; position = change.position }
///
/// Each loop over it begins at the position and is for itself. Nothing is kept for who does not ask: a slow reader is behind, and misses
/// nothing. It sleeps until something is written, here or by another process.
public struct Changes: AsyncSequence, Sendable {
  /// Steps of records.
  public typealias Element = Change

  let database: Database
  let start: Position?
  let type: String?

  /// From its beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One loop over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let database: Database
    private let walk: Walk
    private var page: ArraySlice<Change> = []

    init(_ changes: Changes) {
      database = changes.database
      walk = Walk(from: changes.start, changes.type)
    }

    /// The next change, as soon as there is one; nil if the task was cancelled.
    /// - Throws: `expired` if the database knows no such position any more, as of before a backup was restored: then what is there is to be
    ///   looked at as a whole.
    public mutating func next() async throws -> Change? {
      if page.isEmpty {
        guard let found = try await database.found({ [walk] in try walk.step($0) }) else { return nil }
        page = found[...]
      }
      return page.popFirst()
    }
  }

  /// How far one loop has come. It is used by one task at a time, on the thread of a lane (`@unchecked`).
  private final class Walk: @unchecked Sendable {
    private var position: Position?
    private let type: String?

    private static let most = 256

    /// - Parameter start: nil for the end.
    init(from start: Position?, _ type: String?) { (position, self.type) = (start, type) }

    /// What stands behind what was given out; nil if there is nothing yet.
    func step(_ engine: Engine) throws -> [Change]? {
      guard let start = position else {
        position = Position(try engine.feed.end())
        return nil
      }
      var filter = FeedFilter()
      (filter.type, filter.limit) = (type, Walk.most)
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
  /// The position behind all that has changed until now.
  public func position() async throws -> Position { try await reading { Position(try $0.feed.end()) } }

  /// What changes from now on.
  /// - Parameter type: of records of one type alone, and of those that become or have been of it.
  public func changes(of type: String? = nil) -> Changes { Changes(database: self, start: nil, type: type) }

  /// What has changed since a position, and what changes from now on.
  public func changes(since position: Position, of type: String? = nil) -> Changes {
    Changes(database: self, start: position, type: type)
  }
}
