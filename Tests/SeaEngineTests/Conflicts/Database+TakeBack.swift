import SeaCore
import SeaEngine
import SeaStore

extension Database {
  /// Undoes the merge that is the winner of a record, for this record alone.
  /// - Returns: the written revisions; none if there is no such merge, or if it is already undone.
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
