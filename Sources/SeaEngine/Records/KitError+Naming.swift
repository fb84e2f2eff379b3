import SeaCore

extension KitError {
  /// Runs `body`, and adds the record's ID to errors about the record's content.
  static func naming<Result>(
    _ id: @autoclosure () -> UnsafeBufferPointer<UInt8>, _ body: () throws -> Result
  ) throws -> Result {
    try naming(String(decoding: id(), as: UTF8.self), body)
  }

  /// Runs `body`. If the block becomes too large, throws an error with the number of records.
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
