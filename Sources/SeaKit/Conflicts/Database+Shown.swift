import SeaCore
import SeaStore

extension Database {
  /// The body of a record's winner as it is shown: counters and sets as all live leaves together say.
  /// - Parameter leaves: the record's leaves, best first.
  func shownBody(_ row: RecordRow, _ leaves: [Leaf], _ body: [UInt8]) throws -> [UInt8] {
    guard row.live > 1 else { return body }
    let own = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
    guard own.hasStates, let shown = try join(row, leaves).shown?.body else { return body }
    var writer = ByteWriter(capacity: body.count)
    _ = try shown.encodeBody(into: &writer)
    return writer.array()
  }

  /// What all live leaves say together.
  func join(_ row: RecordRow, _ leaves: [Leaf]) throws -> LiveJoin {
    let history = RecordHistory(store, row, leaves)
    let live = try leaves.filter { $0.kind == .put }.map { leaf in
      (leaf.revision, try history.content(of: leaf.revision) ?? .deleted)
    }
    // A long history is walked only where that can change anything.
    let isAll = LiveJoin.dependsOnHistory(live.map(\.1))
    return try live.reduce(LiveJoin()) { join, leaf in
      let seen = isAll ? try history.ancestors(of: leaf.0) : []
      return join.joined(LiveJoin(leaf.0, leaf.1, seen: seen))
    }
  }
}
