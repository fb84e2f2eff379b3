import SeaCore
import SeaStore

/// How much there is, of what, and from whom.
package struct Statistics: Sendable {
  /// The types of live records by name, and how many there are of each.
  package var types: [(type: String?, count: Int)] = []
  package var conflicts = 0
  /// Revisions whose parent has not arrived.
  package var waiting = 0
  package var totals: Totals
  /// All blocks together.
  package var blocks = BlockTotal()
  /// What each instance has written, who changed most first.
  package var authors: [(instance: UUID, name: String, total: BlockTotal)] = []
  package var containers: [ContainerStatus] = []

  package var records: Int { types.reduce(0) { $0 + $1.count } }
}

extension Database {
  /// Reads one state of the database, no content and nothing beyond its own store, and takes no lock.
  package func statistics() throws -> Statistics {
    try store.snapshot {
      var all = Statistics(totals: try store.totals())
      all.types = try records.types()
      all.conflicts = try conflicts.count()
      all.waiting = try store.records.countWaiting()
      all.containers = try containers.statuses(probe: false)
      let names = try members.names()
      all.authors = all.totals.authors.map { ($0.key, names[$0.key] ?? "", $0.value) }.sorted { a, b in
        let (x, y) = (a.total, b.total)
        return (y.changes, y.blocks, a.instance) < (x.changes, x.blocks, b.instance)
      }
      for one in all.authors { all.blocks.add(one.total) }
      return all
    }
  }
}
