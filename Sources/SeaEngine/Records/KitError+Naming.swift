import SeaCore

extension KitError {
  /// Runs what makes a record's content, and says which record it is that cannot be.
  static func naming<Result>(
    _ id: @autoclosure () -> UnsafeBufferPointer<UInt8>, _ body: () throws -> Result
  ) throws -> Result {
    try naming(String(decoding: id(), as: UTF8.self), body)
  }

  /// Runs what makes a block, and says of how many records one would be that has no room.
  static func fitting<Result>(_ records: @autoclosure () -> Int, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch CoreError.badBlock(.badSize) {
      throw KitError.transactionTooLarge(records: records())
    }
  }

  static func naming<Result>(_ id: @autoclosure () -> String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch CoreError.counterOverflow(let names) {
      throw KitError.badValue(id: id(), path: PropertyPath(names: names).description, reason: .outOfRange)
    }
  }
}
