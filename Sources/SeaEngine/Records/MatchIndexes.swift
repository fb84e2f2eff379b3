import SeaCore
import SeaStore

/// Indexes for `TYPE:PROP=VALUE`. Changes by other processes are read from the changes feed.
package final class MatchIndexes {
  private var indexes: [MatchIndex.Property: MatchIndex] = [:]
  private var asked: Set<MatchIndex.Property> = []
  private var state = State()
  /// How many times all records of a type have been read.
  package private(set) var builds = 0

  private struct State: Equatable {
    var writes = 0
    var last: Int64 = 0
    /// The version of the tables. A rebuild gives records new numbers.
    var tables = 0
    var position: Int64 = 0
    var tag: Int64 = 0

    init() {}

    init(_ store: Store) throws {
      (writes, tables) = (try store.foreignWrites(), try store.tableVersion())
      last = try store.blocks.lastSequence()
      try updatePosition(store)
    }

    mutating func updatePosition(_ store: Store) throws {
      guard let row = try store.feed.lastRow() else { return }
      (position, tag) = (row.last, row.tag)
    }
  }

  var isEmpty: Bool { indexes.isEmpty }

  /// Returns whether `candidates` can be used. An index is built when a property is searched for the second time.
  func isReady(for match: RecordText.Match, _ records: Records) throws -> Bool {
    let store = records.store
    let now = try State(store)
    if now != state {
      if try !indexes.isEmpty && !follow(to: now, records) { indexes = [:] }
      state = now
    }
    let property = MatchIndex.Property(match)
    if indexes[property] != nil { return true }
    guard !asked.insert(property).inserted else { return false }
    builds += 1
    var index = MatchIndex(match)
    let filter = RecordFilter(type: match.type)
    try store.records.forEachRecord(filter) { row in
      if let leaf = try store.records.winner(of: row), let body = try store.records.body(of: leaf) {
        try index.add(type: row.type, body: body, number: row.key)
      }
      return true
    }
    indexes[property] = index
    return true
  }

  func candidates(_ match: RecordText.Match) -> [Int64] {
    indexes[MatchIndex.Property(match)]?.candidates(match) ?? []
  }

  func remove(_ gone: Set<Int64>, _ match: RecordText.Match) {
    indexes[MatchIndex.Property(match)]?.remove(gone, match)
  }

  // MARK: - Updating the indexes

  /// Adds the content of a new block. Call this in the transaction that writes the block.
  /// - Parameter last: the sequence number of the previous block.
  func add(_ ids: some Sequence<String>, behind last: Int64, _ records: Records) throws {
    guard !indexes.isEmpty, last == state.last else { return }
    for id in ids { try add(id, records) }
    state.last = try records.store.blocks.lastSequence()
    try state.updatePosition(records.store)
  }

  private func add(_ id: String, _ records: Records) throws {
    let store = records.store
    guard let row = try store.records.record(id), let leaf = try store.records.winner(of: row),
      let body = try store.records.body(of: leaf)
    else { return }
    for property in indexes.keys { try indexes[property]!.add(type: row.type, body: body, number: row.key) }
  }

  /// Adds the changes since the last update.
  /// - Returns: false if the feed no longer contains these changes.
  private func follow(to now: State, _ records: Records) throws -> Bool {
    guard now.tables == state.tables, state.position <= now.position else { return false }
    let feed = records.store.feed
    if state.position > 0, try feed.row(at: state.position)?.tag != state.tag { return false }
    var at = state.position
    while at < now.position, let row = try feed.row(after: at) {
      if let block = row.block, try !add(block: block, records) { return false }
      var from = row.first
      while let last = try add(from: from, through: row.last, records) { from = last + 1 }
      at = row.last
    }
    return true
  }

  private func add(from position: Int64, through last: Int64, _ records: Records) throws -> Int64? {
    let notes = try position > last ? [] : records.store.feed.notes(from: position, through: last)
    for one in notes { try add(one.id, records) }
    return notes.last?.position
  }

  private func add(block sequence: Int64, _ records: Records) throws -> Bool {
    let store = records.store
    guard let row = try store.blocks.block(sequence: sequence), row.state == .applied,
      let bytes = try store.content.clearBytes(of: row)
    else { return false }
    return try bytes.withUnsafeBytes { bytes in
      guard let payload = try? BlockReader.payload(ofKept: bytes) else { return false }
      let items = UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...])
      for change in payload.changes { try add(String(decoding: items[change.id], as: UTF8.self), records) }
      return true
    }
  }
}
