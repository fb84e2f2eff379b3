import SeaCore

// What a program that links SeaEngine learns of changes: sea-changes(1) says what they are.

extension Database {
  /// The position behind all changes: what comes later stands behind it. It is of this database on this device.
  package func position() throws -> String { try feed.end().description }

  /// Visits the changes behind a position, own and foreign, in the order in which they came to count, until `body` returns false.
  /// Whoever takes every change knows of each record what there is.
  /// - Parameter position: from an earlier call; `0` for all that is known.
  /// - Returns: the position up to which everything was looked at.
  /// - Throws: an error if this database has not given the position, or something has happened since that the feed does not tell, as
  ///   a backup that was restored: then begin with `0`.
  @discardableResult
  package func forEachChange(since position: String, _ body: (RecordChange) throws -> Bool) throws -> String {
    var filter = FeedFilter()
    filter.withValues = false
    return try feed.forEach(after: feed.position(position), filter) { try body(RecordChange($0)) }.description
  }
}
