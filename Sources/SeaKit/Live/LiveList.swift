internal import SeaCore
internal import SeaEngine

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

/// Where the records of a query stand, and what a change does to that. The cost of a change is that of looking at its records and of
/// moving what stands behind them; it does not read the others.
///
/// It is used by one task at a time, on the thread of a lane (`@unchecked`).
final class ListFollower<Element: Sendable>: @unchecked Sendable {
  private typealias Place = (keys: [SortKey], id: String)

  private var query: Query<Element>
  private var places: [Place] = []
  /// By the bytes of the ids: two spellings of one letter are two ids.
  private var revisions: [[UInt8]: (keys: [SortKey], revision: RevisionID)] = [:]
  private var position: FeedPosition?

  /// If more records have changed at once, all are read.
  private static var most: Int { 1000 }

  init(_ query: Query<Element>) {
    self.query = query
    // It goes on, whatever names records come to have.
    self.query.takesSlips = true
  }

  /// What has become of the list since this was called last; nil for nothing.
  func step(_ engine: Engine) throws -> ListUpdate<Element>? {
    try engine.atOneState {
      let core = try query.core(engine)
      guard let position, let changed = try changed(engine, since: position) else { return try all(engine, core) }
      if changed.isEmpty { return nil }
      guard !core.looksElsewhere, query.most == nil, changed.count <= Self.most else {
        return try all(engine, core)
      }
      let differences = try update(engine, core, changed)
      return differences.isEmpty ? nil : .differences(differences)
    }
  }

  /// The ids of what has changed, each once; nil if that cannot be told.
  private func changed(_ engine: Engine, since position: FeedPosition) throws -> [String]? {
    var filter = FeedFilter()
    filter.withValues = false
    filter.limit = Self.most + 1
    var seen: Set<[UInt8]> = []
    var ids: [String] = []
    do {
      self.position = try engine.feed.forEach(after: position, filter) {
        if seen.insert(Array($0.id.utf8)).inserted { ids.append($0.id) }
        return true
      }
    } catch KitError.positionUnknown {
      self.position = nil
      return nil
    }
    return ids
  }

  private func all(_ engine: Engine, _ core: RecordQuery) throws -> ListUpdate<Element>? {
    position = try engine.feed.end()
    var elements: [Element] = []
    let before = places
    let known = revisions
    (places, revisions) = ([], [:])
    try engine.queries.forEach(core) { view in
      if let most = query.mostMade, elements.count >= most { return }
      guard let stored = try StoredRecord(view), let element = try query.element(stored) else { return }
      let keys = try core.keys(of: view, in: engine.queries)
      places.append((keys, view.id))
      revisions[Array(view.id.utf8)] = (keys, view.revision)
      elements.append(element)
    }
    let isSame =
      !before.isEmpty && before.elementsEqual(places) { UTF8Text.equal($0.id, $1.id) }
      && revisions.allSatisfy { known[$0.key]?.revision == $0.value.revision }
    return isSame ? nil : .all(elements)
  }

  private func update(
    _ engine: Engine, _ core: RecordQuery, _ changed: [String]
  ) throws -> [ListDifference<Element>] {
    let matching = try engine.queries.matching(changed, core, takesNames: true)
    var differences: [ListDifference<Element>] = []
    for id in changed {
      let key = Array(id.utf8)
      let old = revisions[key]
      let from = old.map { place(of: ($0.keys, id), core) }
      let view = matching.contains(key) ? try engine.records.view(id) : nil
      var made: (view: RecordView, element: Element)?
      if let view, let stored = try StoredRecord(view), core.isOfType(view.type), core.refers(view) {
        if let old, old.revision == view.revision, stored.conflicts.isEmpty { continue }
        made = try query.element(stored).map { (view, $0) }
      }
      guard let (view, element) = made else {
        guard let from else { continue }
        places.remove(at: from)
        revisions[key] = nil
        differences.append(.remove(at: from))
        continue
      }
      let keys = try core.keys(of: view, in: engine.queries)
      if let from { places.remove(at: from) }
      let to = place(of: (keys, id), core)
      places.insert((keys, id), at: to)
      revisions[key] = (keys, view.revision)
      switch from {
      case nil: differences.append(.insert(element, at: to))
      case to?: differences.append(.update(element, at: to))
      case let from?: differences.append(.move(element, from: from, to: to))
      }
    }
    return differences
  }

  /// Where a record stands, or would.
  private func place(of wanted: Place, _ core: RecordQuery) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if core.precedes(places[middle], wanted) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A step from one state of a list to the next. Steps are done one after another: each index is of the list as the one before left it.
public enum ListDifference<Element> {
  /// An element that is there since.
  case insert(Element, at: Int)
  /// An element that is there no more.
  case remove(at: Int)
  /// An element that says something else, in the same place.
  case update(Element, at: Int)
  /// An element that says something else, and so stands elsewhere: it is taken out first, and put in at the second place then.
  case move(Element, from: Int, to: Int)
}

extension ListDifference: Sendable where Element: Sendable {}

/// What has become of a list.
public enum ListUpdate<Element> {
  /// All of it: at the beginning, and when more has changed than stays.
  case all([Element])
  /// What is different.
  case differences([ListDifference<Element>])

  /// Does to a list what was done.
  public func apply(to list: inout [Element]) {
    switch self {
    case .all(let elements): list = elements
    case .differences(let differences):
      for one in differences {
        switch one {
        case .insert(let element, let at): list.insert(element, at: at)
        case .remove(let at): list.remove(at: at)
        case .update(let element, let at): list[at] = element
        case .move(let element, let from, let to):
          list.remove(at: from)
          list.insert(element, at: to)
        }
      }
    }
  }
}

extension ListUpdate: Sendable where Element: Sendable {}
