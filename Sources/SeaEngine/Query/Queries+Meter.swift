extension Queries {
  /// What tells how far it has come to write the records of a query; nil if nobody looks.
  /// - Parameters:
  ///   - what: what they are written to.
  ///   - times: how often each is read.
  package func meter(_ query: RecordQuery, _ what: String, times: Int = 1) throws -> WorkMeter? {
    // How many a condition holds for is known when all of them were found.
    try WorkMeter(records.author.folder.settings.report, .writing, what) {
      try query.condition == nil ? times * count(query) : nil
    }
  }
}
