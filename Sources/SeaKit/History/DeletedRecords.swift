internal import SeaCore
internal import SeaEngine

/// A record that is deleted, and whose history still has its content.
public struct DeletedRecord: Sendable, Hashable, Identifiable {
  /// The id of the record.
  public let id: String
  /// The type that the record had; nil if it had none or the type is not known.
  public let type: String?
}

extension Database.History {
  /// Returns deleted records, in the order of their ids. To restore one, revert it to the revision before the deletion.
  /// - Parameters:
  ///   - type: the type that the records had; nil for all.
  ///   - id: the id after which the list begins; nil to begin with the first.
  ///   - limit: the maximum number of records.
  public func deletedRecords(
    of type: String? = nil, after id: String? = nil, limit: Int = 100
  ) async throws -> [DeletedRecord] {
    try await database.reading { engine in
      var filter = RecordFilter()
      (filter.types, filter.after, filter.withDeleted) = (type.map { [$0] } ?? [], id, true)
      var all: [DeletedRecord] = []
      if limit < 1 { return [] }
      try engine.records.forEachRow(filter) { row in
        try engine.settings.checkStop()
        if row.isDeleted { all.append(DeletedRecord(id: row.id, type: row.type)) }
        return all.count < limit
      }
      return all
    }
  }
}
