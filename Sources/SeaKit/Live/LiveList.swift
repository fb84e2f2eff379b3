public import Observation

/// The records of a query as a list that keeps itself current, while instances sync and other processes write.
///
///     let list = LiveList(database, Bird.all.order(by: "name"))
///     list.onUpdate = { list, update in … }
///
/// It lives on the main actor, as what shows it does, and is empty until the first update. What changes comes as differences, which an
/// animated list can show. The work is done on a thread of the database; a change of some records costs what these cost, whatever the
/// length of the list, unless the query has a limit or looks at other records: then it is asked again.
///
/// It is `Observable`, too: who reads it within `withObservationTracking` hears when it is another one.
@MainActor public final class LiveList<Element: Sendable>: Observable {
  /// The records, in their order.
  public var elements: [Element] {
    observed.access(self, keyPath: \.elements)
    return current
  }
  /// What ended it; nil while it goes on.
  public var failure: (any Error)? {
    observed.access(self, keyPath: \.failure)
    return ended
  }
  private var current: [Element] = []
  private var ended: (any Error)?
  private let observed = ObservationRegistrar()
  /// Called after each change of `elements`, with what was different; and once when it fails, with nil.
  public var onUpdate: ((LiveList, ListUpdate<Element>?) -> Void)?
  private var task: Task<Void, Never>?

  /// Begins to follow a query; it ends with this object.
  public init(_ database: Database, _ query: Query<Element>) {
    let updates = database.updates(of: query)
    task = Task { [weak self] in
      do {
        for try await update in updates {
          guard let self else { return }
          self.take(update)
        }
      } catch { self?.fail(error) }
    }
  }

  isolated deinit { task?.cancel() }

  /// Ends it: the list stays as it is.
  public func stop() { task?.cancel() }

  private func take(_ update: ListUpdate<Element>) {
    observed.withMutation(of: self, keyPath: \.elements) { update.apply(to: &current) }
    onUpdate?(self, update)
  }

  private func fail(_ error: any Error) {
    if error is CancellationError { return }
    observed.withMutation(of: self, keyPath: \.failure) { ended = error }
    onUpdate?(self, nil)
  }
}

/// One record that keeps itself current, as `LiveList` does.
@MainActor public final class LiveRecord<Element: Sendable>: Observable {
  /// The record as it is; nil while there is none, or before the first update.
  public var element: Element? {
    observed.access(self, keyPath: \.element)
    return current
  }
  /// What ended it; nil while it goes on.
  public var failure: (any Error)? {
    observed.access(self, keyPath: \.failure)
    return ended
  }
  private var current: Element?
  private var ended: (any Error)?
  private let observed = ObservationRegistrar()
  /// Called after each change.
  public var onUpdate: ((LiveRecord) -> Void)?
  private var task: Task<Void, Never>?

  private init(_ updates: ListUpdates<Element>) {
    task = Task { [weak self] in
      do {
        for try await update in updates {
          guard let self else { return }
          self.take(update)
        }
      } catch { self?.fail(error) }
    }
  }

  isolated deinit { task?.cancel() }

  /// Ends it: the record stays as it is.
  public func stop() { task?.cancel() }

  private func take(_ update: ListUpdate<Element>) {
    var list = current.map { [$0] } ?? []
    update.apply(to: &list)
    observed.withMutation(of: self, keyPath: \.element) { current = list.first }
    onUpdate?(self)
  }

  private func fail(_ error: any Error) {
    if error is CancellationError { return }
    observed.withMutation(of: self, keyPath: \.failure) { ended = error }
    onUpdate?(self)
  }
}

extension LiveRecord where Element: SeaRecord {
  /// Begins to follow the record with an id as a type.
  public convenience init(_ database: Database, _ type: Element.Type = Element.self, id: String) {
    self.init(database.updates(of: Element.all.where("_id = \(id)")))
  }
}

extension LiveRecord where Element == Record {
  /// Begins to follow the record with an id.
  public convenience init(_ database: Database, id: String) {
    self.init(database.updates(of: Query.records().where("_id = \(id)")))
  }
}

/// What becomes of the records of a query: all of them first, then what is different, as it changes, until the task is cancelled.
public struct ListUpdates<Element: Sendable>: AsyncSequence, Sendable {
  let database: Database
  let query: Query<Element>

  /// From the beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One loop over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let database: Database
    private let follower: ListFollower<Element>

    init(_ updates: ListUpdates) {
      database = updates.database
      follower = ListFollower(updates.query)
    }

    /// The next update, as soon as something of the list is different; nil if the task was cancelled.
    public mutating func next() async throws -> ListUpdate<Element>? {
      try await database.found { [follower] in try follower.step($0) }
    }
  }
}

extension Database {
  /// The records of a query, and what becomes of them.
  public func updates<Element: Sendable>(of query: Query<Element>) -> ListUpdates<Element> {
    ListUpdates(database: self, query: query)
  }
}
