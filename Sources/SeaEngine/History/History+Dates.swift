import SeaCore
import SeaStore

extension History {
  /// Of the properties for which a record has a date in another one, a dictionary: those that have been given another value since, by a
  /// revision that left the date as it was, and the time of that by its author's clock. What was purged says nothing.
  ///
  /// It takes time in proportion to the revisions back to the one where the last of them was decided.
  /// - Parameters:
  ///   - dates: the property that has the dates.
  ///   - revision: what the record says.
  package func outdated(
    _ dates: String, of id: String, at revision: RevisionID
  ) throws -> [(name: String, time: Int64)] {
    guard let row = try store.records.record(id), var leaf = try store.records.revision(revision, of: row),
      var now = try members(of: leaf), let said = now[dates]?.members
    else { return [] }
    var open = said.keys.filter { now[$0] != nil && !UTF8Text.equal($0, dates) }
    var outdated: [(name: String, time: Int64)] = []
    while !open.isEmpty, let parent = leaf.parentRevision, let before = try store.records.revision(parent, of: row),
      let then = try members(of: before)
    {
      for name in open {
        let hasItsDate = then[dates]?.members?[name] == now[dates]?.members?[name]
        // As it is shown: the state of a set or counter names revisions.
        let isSame = try then[name]?.json() == now[name]?.json()
        guard !hasItsDate || !isSame else { continue }
        open.removeAll { UTF8Text.equal($0, name) }
        if hasItsDate, let block = try store.blocks.block(sequence: leaf.sequence) {
          outdated.append((name, block.time))
        }
      }
      (leaf, now) = (before, then)
    }
    return outdated
  }

  /// Nil of what was purged.
  private func members(of leaf: Leaf) throws -> Members? {
    leaf.isPurged ? nil : try store.content(of: leaf).body?.members ?? Members()
  }
}
