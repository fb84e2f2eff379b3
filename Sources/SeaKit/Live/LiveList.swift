public import Observation

/// A list of a query's records that stays up to date while instances sync and other processes write.
///
///     let list = LiveList(database, Bird.all.order(by: "name"))
///     list.onUpdate = { list, update in … }
///
/// The list belongs to the main actor and is empty until the first update. Updates arrive as differences, which a user
/// interface can animate. The work is done on a thread of the database, and its cost depends on the number of changed
/// records, not on the length of the list. A query that has a limit or also depends on other records runs again after
/// each change.
///
/// The list is also `Observable`: code that reads it within `withObservationTracking` is notified of changes.
@MainActor public final class LiveList<Element: Sendable>: Observable {
  private struct State {
    var elements: [Element] = []
    var unreadable: [UnreadableRecord] = []
    var isLoaded = false
    var failure: (any Error)?
  }

  private var current = State()
  private let observed = ObservationRegistrar()
  private var state: State {
    observed.access(self, keyPath: \.state)
    return current
  }

  /// The records, in the order of the query.
  public var elements: [Element] { state.elements }
  /// The records of the query that cannot be decoded as the type. They are not in the list until they are corrected.
  public var unreadable: [UnreadableRecord] { state.unreadable }
  /// Whether the first result has arrived. Until then, the list is empty.
  public var isLoaded: Bool { state.isLoaded }
  /// The error that ended the updates; nil as long as they continue.
  public var failure: (any Error)? { state.failure }
  /// A closure that is called with each update, and once with nil if the updates fail.
  public var onUpdate: ((LiveList, ListUpdate<Element>?) -> Void)?
  private var task: Task<Void, Never>?

  /// Creates a list that follows a query until the list is stopped or released.
  public init(_ database: Database, _ query: Query<Element>) {
    let updates = database.updates(of: query)
    task = Task { [weak self] in
      do {
        for try await update in updates {
          guard let self else { return }
          self.change(update) {
            update.apply(to: &$0.elements)
            ($0.unreadable, $0.isLoaded) = (update.unreadable, true)
          }
        }
      } catch is CancellationError {} catch { self?.change(nil) { $0.failure = error } }
    }
  }

  isolated deinit { task?.cancel() }

  /// Stops the updates; the list keeps its content.
  public func stop() { task?.cancel() }

  private func change(_ update: ListUpdate<Element>?, _ body: (inout State) -> Void) {
    observed.withMutation(of: self, keyPath: \.state) { body(&current) }
    onUpdate?(self, update)
  }
}

/// A record that stays up to date: a ``LiveList`` with one element.
@MainActor public final class LiveRecord<Element: Sendable>: Observable {
  private let list: LiveList<Element>

  /// The current record; nil before the first update, if there is no such record, or if it cannot be decoded.
  public var element: Element? { list.elements.first }
  /// The record and the error if the record cannot be decoded as the type; otherwise nil.
  public var unreadable: UnreadableRecord? { list.unreadable.first }
  /// Whether the first result has arrived.
  public var isLoaded: Bool { list.isLoaded }
  /// The error that ended the updates; nil as long as they continue.
  public var failure: (any Error)? { list.failure }
  /// A closure that is called after each change, and once if the updates fail.
  public var onUpdate: ((LiveRecord) -> Void)?

  private init(_ database: Database, _ query: Query<Element>, id: String) {
    list = LiveList(database, query.where("_id = \(id)"))
    list.onUpdate = { [weak self] _, _ in self.map { $0.onUpdate?($0) } }
  }

  /// Stops the updates; the record keeps its content.
  public func stop() { list.stop() }
}

extension LiveRecord where Element: SeaRecord {
  /// Creates an object that follows the record with this id, decoded as a type.
  public convenience init(_ database: Database, _ type: Element.Type = Element.self, id: String) {
    self.init(database, Element.all, id: id)
  }
}

extension LiveRecord where Element == Record {
  /// Creates an object that follows the record with this id.
  public convenience init(_ database: Database, id: String) {
    self.init(database, Query.records(), id: id)
  }
}
