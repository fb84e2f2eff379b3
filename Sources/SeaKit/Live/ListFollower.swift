internal import SeaCore
internal import SeaEngine

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
