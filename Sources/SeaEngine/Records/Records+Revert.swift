import SeaCore
import SeaStore

extension Records {
  /// Adds to a batch what makes a record say again what a revision of it said: all of it, or what stood at some paths.
  ///
  /// Counters and sets are changed to what they were, as who writes a record anew changes them.
  /// - Throws: `revisionDeleted`, `contentPurged`, `propertyNotFound` of a path that is neither here nor there.
  package func addRevert(
    to found: Found, _ paths: [PropertyPath], _ precondition: Precondition, in batch: WriteBatch
  ) throws {
    let id = found.row.id
    if found.leaf.isPurged { throw KitError.contentPurged(id: id, found.leaf.revision) }
    let view = try view(found)
    guard found.leaf.kind == .put, let body = view.body else {
      throw KitError.revisionDeleted(id: id, found.leaf.revision)
    }
    let then = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }.draft
    if paths.isEmpty {
      try batch.addEdit(id, type: view.type, precondition, mustExist: false) { _ in then }
      return
    }
    try batch.addEdit(id, type: nil, precondition, mustExist: true) { now in
      var record = now ?? .empty
      for path in paths {
        if let value = then[path] {
          try record.set(value, at: path)
        } else if record[path] != nil {
          record.remove(at: path)
        } else {
          throw KitError.propertyNotFound(id: id, path: path.description)
        }
      }
      return record
    }
  }

  /// The revision upon which the winner of a record was written.
  package func previous(_ row: RecordRow) throws -> Found {
    Found(row: row, leaf: try revision("~1", of: row))
  }
}
