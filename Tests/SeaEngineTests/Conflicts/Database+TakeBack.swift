import SeaCore
import SeaEngine
import SeaStore

extension Database {
  /// Undoes the merge that a record has as its winner, for this record alone.
  /// - Returns: the revisions that this wrote; none if there is no such merge, or it is undone already.
  @discardableResult
  func takeBack(_ id: String) throws -> [RevisionID] {
    let row = try records.find(id)
    guard let merge = try store.records.leaves(of: row).first, merge.kind == .put,
      try !store.records.change(of: merge).merged.isEmpty,
      let block = try store.blocks.block(sequence: merge.sequence)
    else { return [] }
    do {
      return try history.undo(.digest("\(block.digest)"), only: [id]).records.flatMap(\.revisions)
    } catch {
      guard case KitError.operation = error else { throw error }
      return []
    }
  }
}
