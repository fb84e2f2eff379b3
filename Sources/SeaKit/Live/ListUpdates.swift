internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// The records of a query, followed by their changes, until the task is cancelled.
public struct ListUpdates<Element: Sendable>: AsyncSequence, Sendable {
  let database: Database
  let query: Query<Element>

  /// Returns an iterator that starts with all records.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let database: Database
    private let follower: ListFollower<Element>

    init(_ updates: ListUpdates) {
      database = updates.database
      follower = ListFollower(updates.query)
    }

    /// Waits until the list changes, then returns the update; returns nil if the task was cancelled.
    public mutating func next() async throws -> ListUpdate<Element>? {
      try await database.firstResult { [follower] in try follower.step($0) }
    }
  }
}

extension Database {
  /// Returns the records of a query, followed by their changes as they occur.
  public func updates<Element: Sendable>(of query: Query<Element>) -> ListUpdates<Element> {
    ListUpdates(database: self, query: query)
  }
}

/// Uses the sort keys of a query's records to compute how its result has changed, reading only changed records. Only
/// one task uses the object at a time, so sharing it is safe (`@unchecked`).
final class ListFollower<Element: Sendable>: @unchecked Sendable {
  private typealias Place = (keys: [SortKey], id: String)

  private let query: Query<Element>
  private var hasRun = false
  private var places: [Place] = []
  /// The dictionary is keyed by the bytes of the id, because two different ids can be equal as strings.
  private var revisions: [[UInt8]: (keys: [SortKey], revision: RevisionID)] = [:]
  private var position: FeedPosition?
  private var unreadable: [[UInt8]: UnreadableRecord] = [:]
  /// The undecodable records that the current step has found.
  private let found = Guarded<[UnreadableRecord]>([])

  /// If more records than this change at once, the whole query runs again.
  private static var most: Int { 1000 }

  init(_ query: Query<Element>) {
    self.query = query.skippingUndecodable { [found, report = query.reportSkipped] id, error in
      found.with { $0.append(UnreadableRecord(id: id, error: error)) }
      report?(id, error)
    }
  }

  /// Returns the update since the last call; nil if nothing changed.
  func step(_ engine: Engine) throws -> ListUpdate<Element>? {
    try engine.atOneState {
      let core = try query.core(engine)
      found.with { $0 = [] }
      guard let position, let changed = try changed(engine, since: position) else { return try all(engine, core) }
      if changed.isEmpty { return nil }
      guard !core.dependsOnOtherRecords, query.maximumCount == nil, changed.count <= Self.most else {
        return try all(engine, core)
      }
      let differences = try update(engine, core, changed)
      var isSame = true
      for id in changed where unreadable.removeValue(forKey: Array(id.utf8)) != nil { isSame = false }
      if noteFound() { isSame = false }
      return differences.isEmpty && isSame ? nil : made(.differences(differences))
    }
  }

  /// Adds the undecodable records that this step has found, and returns whether there were any.
  private func noteFound() -> Bool {
    let new = found.with { $0 }
    for one in new { unreadable[Array(one.id.utf8)] = one }
    return !new.isEmpty
  }

  private func made(_ content: ListUpdate<Element>.Content) -> ListUpdate<Element> {
    ListUpdate(content: content, unreadable: unreadable.values.sorted { UTF8Text.less($0.id, $1.id) })
  }

  /// Returns the ids of the changed records, without duplicates; nil if the position is unknown.
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
    let (known, unread) = (revisions, unreadable)
    (places, revisions, unreadable) = ([], [:], [:])
    let most = query.decodedLimit ?? .max
    func add(_ element: Element, _ id: String, _ revision: RevisionID, _ keys: [SortKey]) throws {
      places.append((keys, id))
      revisions[Array(id.utf8)] = (keys, revision)
      elements.append(element)
      if elements.count >= most { throw Enough() }
    }
    var decoding = BodyDecoding()
    do {
      guard most > 0 else { throw Enough() }
      try engine.queries.forEachInPlace(core) { record in
        try query.visit(record, &decoding) {
          try add($0, String(decoding: record.id, as: UTF8.self), record.revision, [])
        }
      } _: { view in
        guard let stored = try StoredRecord(view), let element = try query.element(stored) else { return }
        try add(element, view.id, view.revision, core.keys(of: view, in: engine.queries))
      }
    } catch is Enough {}
    _ = noteFound()
    defer { hasRun = true }
    let isSame =
      hasRun && before.elementsEqual(places) { UTF8Text.equal($0.id, $1.id) }
      && revisions.allSatisfy { known[$0.key]?.revision == $0.value.revision }
      && unread.mapValues { "\($0.error)" } == unreadable.mapValues { "\($0.error)" }
    return isSame ? nil : made(.all(elements))
  }

  private func update(
    _ engine: Engine, _ core: RecordQuery, _ changed: [String]
  ) throws -> [ListDifference<Element>] {
    let matching = try engine.queries.matching(changed, core, takesNames: true)
    var differences: [ListDifference<Element>] = []
    for id in changed {
      let key = Array(id.utf8)
      let old = revisions[key]
      let from = old.map { lowerBound(of: ($0.keys, id), core) }
      let view = matching.contains(key) ? try engine.records.view(id) : nil
      var made: (view: RecordView, element: Element)?
      if let view, let stored = try StoredRecord(view), core.filter.selects(type: view.type), core.refers(view) {
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
      let to = lowerBound(of: (keys, id), core)
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

  /// Returns the index of a record in the list, or the index at which to insert it.
  private func lowerBound(of wanted: Place, _ core: RecordQuery) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if core.precedes(places[middle], wanted) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A step from one state of a list to the next. Apply the steps in order, because each index refers to the result of
/// the previous step.
public enum ListDifference<Element> {
  /// An element was added.
  case insert(Element, at: Int)
  /// An element was removed.
  case remove(at: Int)
  /// An element changed in place.
  case update(Element, at: Int)
  /// An element changed and moved. Remove the old element at `from`, then insert the new one at `to`.
  case move(Element, from: Int, to: Int)
}

extension ListDifference: Sendable where Element: Sendable {}

/// A record that cannot be decoded as the type of a query.
public struct UnreadableRecord: Sendable, Identifiable {
  /// The id of the record.
  public let id: String
  /// The error, which names the property.
  public let error: any Error
}

/// An update of a list.
public struct ListUpdate<Element> {
  /// The new content of a list.
  public enum Content {
    /// The whole list, sent at the beginning and whenever the query runs again.
    case all([Element])
    /// The differences from the previous list.
    case differences([ListDifference<Element>])
  }

  /// The new content.
  public let content: Content
  /// All records of the query that cannot be decoded as the type, sorted by id. They are not in the list.
  public let unreadable: [UnreadableRecord]

  /// Applies the update to a list.
  public func apply(to list: inout [Element]) {
    switch content {
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

extension ListUpdate.Content: Sendable where Element: Sendable {}
