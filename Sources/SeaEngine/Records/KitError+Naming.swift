import SeaCore

extension KitError {
  /// Runs `body`, which makes the content of a record, and adds the record's id to its errors.
  static func naming<Result>(
    _ id: @autoclosure () -> UnsafeBufferPointer<UInt8>, _ body: () throws -> Result
  ) throws -> Result {
    try naming(String(decoding: id(), as: UTF8.self), body)
  }

  /// Runs `body`, which makes a block. If the block is too large, the error states the number of records.
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
