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
    private let changes: Changes
    private var position: Position?
    private var page: ArraySlice<Change> = []

    init(_ changes: Changes) {
      self.changes = changes
      position = changes.start
    }

    /// The next change, as soon as there is one; nil if the task was cancelled.
    /// - Throws: `expired` if the database knows no such position any more, as of before a backup was restored: then what is there is to be
    ///   looked at as a whole.
    public mutating func next() async throws -> Change? {
      while page.isEmpty {
        if Task.isCancelled { return nil }
        let database = changes.database
        let count = try database.bell.count()
        let (from, type) = (position, changes.type)
        // It may be cancelled while it waits for its turn, too.
        do {
          let found = try await database.reading { try Changes.page($0, from, type) }
          (page, position) = (found.changes[...], found.reached)
        } catch is CancellationError { return nil }
        if page.isEmpty { await database.bell.wait(after: count) }
      }
      return page.popFirst()
    }
  }

  private static let most = 256

  /// - Parameter start: nil for the end.
  private static func page(
    _ engine: Engine, _ start: Position?, _ type: String?
  ) throws -> (changes: [Change], reached: Position) {
    guard let start else { return ([], Position(try engine.feed.end())) }
    var filter = FeedFilter()
    (filter.type, filter.limit) = (type, most)
    var changes: [Change] = []
    let reached = try engine.feed.forEach(after: start.core, filter) {
      changes.append(Change($0))
      return true
    }
    return (changes, Position(reached))
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
