import SeaCore
import SeaStore

/// The changes of records in this database, in the order in which they took effect. Every change has a sequence number.
/// A reader that has seen all changes up to a sequence number can request later changes.
///
/// A sequence number is valid only in its own database. `since` refuses a number that this database has not issued or
/// has forgotten.
package final class Feed {
  let history: History
  private let queries: Queries
  var store: Store { history.store }

  package init(_ history: History, _ queries: Queries) {
    self.history = history
    self.queries = queries
  }

  package func end() throws -> FeedPosition {
    try store.feed.lastRow().map { FeedPosition(number: $0.last, tag: $0.tag) } ?? .start
  }

  /// Returns a number that changes whenever another process writes to the database.
  package func foreignWrites() throws -> Int { try store.foreignWrites() }

  package func lastBlock() throws -> Int64 { try store.blocks.lastSequence() }

  package func ownBlocks() throws -> UInt32? {
    try store.branches.chain(history.author.folder.instance)?.head.index
  }

  /// Parses a sequence number; `now` means the end of the feed, and 0 its beginning.
  /// - Throws: `positionUnknown` for a number that has been forgotten or is from another database; `badPosition`.
  package func position(_ text: String) throws -> FeedPosition {
    if text == "now" { return try end() }
    guard let position = FeedPosition(text) else { throw KitError.badPosition(text) }
    guard try isKnown(position) else { throw KitError.positionUnknown(text) }
    return position
  }

  /// Returns the point in time right after all changes up to a sequence number. Includes the whole transaction of the
  /// last change.
  /// - Throws: `positionUnknown`.
  package func moment(_ position: FeedPosition) throws -> Moment {
    guard try isKnown(position) else { throw KitError.positionUnknown(position.description) }
    return Moment(after: try position.number == 0 ? 0 : store.feed.block(upTo: position.number) ?? 0)
  }

  private func isKnown(_ position: FeedPosition) throws -> Bool {
    try position.number == 0 || store.feed.row(at: position.number)?.tag == position.tag
  }

  /// Visits the changes after a sequence number until `body` returns false.
  /// - Parameter last: the last sequence number to visit.
  /// - Returns: the last sequence number that was read.
  @discardableResult
  package func forEach(
    after start: FeedPosition, through last: Int64 = .max, _ filter: FeedFilter = FeedFilter(),
    _ body: (FeedChange) throws -> Bool
  ) throws -> FeedPosition {
    try store.snapshot {
      guard try isKnown(start) else { throw KitError.positionUnknown(start.description) }
      var run = FeedWalk(self, filter, queries)
      return try run.visit(after: start, through: last, body)
    }
  }

  package func forEach(numbers: ClosedRange<Int64>, _ body: (FeedChange) throws -> Void) throws {
    guard let before = try numbers.lowerBound == 1 ? .start : position(at: numbers.lowerBound - 1) else { return }
    try forEach(after: before, through: numbers.upperBound) {
      try body($0)
      return true
    }
  }

  private func position(at number: Int64) throws -> FeedPosition? {
    try store.feed.row(at: number).map { FeedPosition(number: number, tag: $0.tag) }
  }

  package var hasAdded: Bool { store.feed.hasAdded }
  package func drainAdded() -> [ClosedRange<Int64>] { store.feed.drainAdded() }
}

private struct FeedWalk {
  private let feed: Feed
  private let filter: FeedFilter
  private let queries: Queries
  private var waiting: [FeedChange] = []
  private var count = 0
  private var reached: FeedPosition

  private static let page = 256

  private struct Enough: Error {}

  init(_ feed: Feed, _ filter: FeedFilter, _ queries: Queries) {
    self.feed = feed
    self.filter = filter
    self.queries = queries
    reached = .start
  }

  mutating func visit(
    after start: FeedPosition, through last: Int64, _ body: (FeedChange) throws -> Bool
  ) throws -> FeedPosition {
    reached = start
    if filter.limit == 0 { return reached }
    var at = start.number
    do {
      while at < last, let row = try feed.store.feed.row(after: at), row.first <= last {
        try report(row, max(row.first, at + 1)...min(row.last, last), body)
        at = min(row.last, last)
        if waiting.isEmpty { reached = FeedPosition(number: at, tag: row.tag) }
      }
      try handOn(body)
      if let row = try feed.store.feed.row(at: at) { reached = FeedPosition(number: at, tag: row.tag) }
    } catch is Enough {}
    return reached
  }

  private mutating func report(
    _ row: FeedRow, _ wanted: ClosedRange<Int64>, _ body: (FeedChange) throws -> Bool
  ) throws {
    let block = try row.block.flatMap { try feed.store.blocks.block(sequence: $0) }
    var notes = FeedNotes(feed.store, wanted)
    var next = row.first
    if let block, let changes = try changes(of: block) {
      try changes.forEach { record in
        defer { next += 1 }
        guard wanted.contains(next) else { return }
        if let note = try notes.next(at: next) {
          try report(note, row, block, record, body)
        } else {
          try report(record, at: next, row, block, body)
        }
      }
    }
    while let note = try notes.next() { try report(note, row, block, nil, body) }
  }

  /// Returns nil for an invalid block that cannot be read. The feed reports the effects of such a block where they were
  /// computed.
  private func changes(of block: BlockRow) throws -> OperationChanges? {
    do { return try feed.history.changes(of: block) } catch {
      guard block.state != .applied, block.state != .purged else { throw error }
      return nil
    }
  }

  /// Reports a record in the simplest case: the block extended the previous winner, and the record's only leaf is in
  /// the block.
  private mutating func report(
    _ record: OperationChanges.Record, at position: Int64, _ row: FeedRow, _ block: BlockRow,
    _ body: (FeedChange) throws -> Bool
  ) throws {
    guard let first = record.changes.first, let last = record.changes.last else { return }
    var state: FeedState = last.kind == .put ? [] : .isDead
    let known = try feed.store.records.record(record.id)
    if let parent = first.parent, let known, let leaf = try feed.store.records.revision(parent, of: known),
      leaf.kind != .put
    {
      state.insert(.wasDead)
    }
    let note = FeedNote(
      position: position, id: record.id, type: record.types.last ?? nil, old: first.parent, new: last.revision,
      state: state)
    try add(note, row, block, known, lost: nil, body)
  }

  private mutating func report(
    _ note: FeedNote, _ row: FeedRow, _ block: BlockRow?, _ record: OperationChanges.Record?,
    _ body: (FeedChange) throws -> Bool
  ) throws {
    if note.state.contains(.nothing) { return }
    let came = record.flatMap { record in
      UTF8Text.equal(record.id, note.id) ? record.changes.last { $0.kind != .resolved }?.revision : nil
    }
    try add(note, row, block, feed.store.records.record(note.id), lost: came == note.new ? nil : came, body)
  }

  private mutating func add(
    _ note: FeedNote, _ row: FeedRow, _ block: BlockRow?, _ record: RecordRow?, lost: RevisionID?,
    _ body: (FeedChange) throws -> Bool
  ) throws {
    let records = feed.store.records
    let effect = FeedChange.Effect(note.state, old: note.old, new: note.new)
    func leaf(_ revision: RevisionID?) throws -> Leaf? {
      try record.flatMap { row in try revision.flatMap { try records.revision($0, of: row) } }
    }
    let (old, new) = (try leaf(note.old), try leaf(note.new))
    let content = try (new ?? old).map { try records.front(of: $0) }
    var change = FeedChange(
      position: FeedPosition(number: note.position, tag: row.tag), id: note.id, type: content?.type ?? note.type,
      effect: effect, old: note.old, new: note.new, lost: effect == .lost ? lost : nil,
      isConflict: note.state.contains(.isConflict), block: block,
      isOwn: block?.instance == feed.history.author.folder.instance)
    if !filter.types.isEmpty {
      // Also include a record that no longer has the type.
      var types = [change.type]
      if let old, new != nil { types.append(try records.front(of: old).type) }
      let isUnknown = content == nil && note.type == nil
      guard isUnknown || types.contains(where: { $0.map(isWanted) ?? false }) else { return }
    }
    if filter.withValues { try compare(old, new, &change) }
    waiting.append(change)
    if filter.query == nil || waiting.count == FeedWalk.page { try handOn(body) }
  }

  private func isWanted(_ type: String) -> Bool { filter.types.contains { UTF8Text.equal($0, type) } }

  private func compare(_ old: Leaf?, _ new: Leaf?, _ change: inout FeedChange) throws {
    change.isPurged = old?.isPurged == true || new?.isPurged == true
    guard !change.isPurged, let new, (old == nil) == (change.old == nil), change.old != change.new else { return }
    change.difference = try feed.history.difference(from: old, to: new)
  }

  private mutating func handOn(_ body: (FeedChange) throws -> Bool) throws {
    guard !waiting.isEmpty else { return }
    let page = waiting
    waiting = []
    var holds: Set<[UInt8]>?
    if let query = filter.query { holds = try queries.matching(page.map(\.id), query, takesNames: filter.takesNames) }
    for change in page {
      if let holds, !holds.contains(Array(change.id.utf8)),
        try feed.store.records.record(change.id).map({ !$0.isDeleted }) ?? false
      {
        continue
      }
      reached = change.position
      count += 1
      guard try body(change), count < filter.limit ?? .max else { throw Enough() }
    }
  }
}

private struct FeedNotes {
  private let store: Store
  private var left: ClosedRange<Int64>?
  private var page: ArraySlice<FeedNote> = []

  init(_ store: Store, _ positions: ClosedRange<Int64>) {
    self.store = store
    left = positions
  }

  /// Returns the next note. If a sequence number is given, returns only a note with this number.
  mutating func next(at position: Int64? = nil) throws -> FeedNote? {
    if page.isEmpty, let range = left {
      page = try store.feed.notes(from: range.lowerBound, through: range.upperBound)[...]
      left = page.last.flatMap { $0.position < range.upperBound ? ($0.position + 1)...range.upperBound : nil }
    }
    guard let note = page.first, position.map({ note.position <= $0 }) ?? true else { return nil }
    return page.popFirst()
  }
}
