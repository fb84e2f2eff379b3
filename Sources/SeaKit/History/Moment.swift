internal import SeaCore
internal import SeaEngine

extension Database {
  /// A point in time in the history of this database.
  public enum Moment: Sendable, Hashable {
    /// The state after all changes that had arrived by this time, according to this device's clock.
    case time(Timestamp)
    /// The state after an operation of this instance.
    case operation(History.Operation)
    /// The state after all changes up to this position, including the entire transaction of the last change.
    case position(Position)

    func core(_ engine: Engine) throws -> SeaCore.Moment {
      switch self {
      case .time(let time): try engine.history.moment(.time(time.milliseconds, time.description))
      case .operation(let operation): try engine.history.moment(operation.name)
      case .position(let position): try engine.feed.moment(position.core)
      }
    }
  }

  /// Runs `body` on the database as it was at a point in time. The call takes longer the more records have changed
  /// since then.
  /// - Throws: `not-found` for an unknown operation, `expired` for an unknown position, and the errors of `read`.
  @discardableResult
  public func read<Result: Sendable>(
    at moment: Moment, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
  ) async throws -> Result {
    try await reading { engine in
      try engine.atOneState(at: moment.core(engine)) {
        let transaction = ReadTransaction(engine)
        defer { transaction.end() }
        return try body(transaction)
      }
    }
  }
}

extension Database.History {
  /// Returns the records of a query at a point in time.
  public func fetch<Element: Sendable>(_ query: Query<Element>, at moment: Database.Moment) async throws -> [Element] {
    try await database.read(at: moment) { try $0.fetch(query) }
  }

  /// Returns the record with this id at a point in time, decoded as a type; nil if there was none, or if its type was
  /// different.
  public func fetch<Wanted: SeaRecord>(
    _ type: Wanted.Type = Wanted.self, id: String, at moment: Database.Moment
  ) async throws -> Wanted? {
    try await database.read(at: moment) { try $0.fetch(type, id: id) }
  }

  /// Returns the record with this id at a point in time; nil if there was none.
  public func record(_ id: String, at moment: Database.Moment) async throws -> Record? {
    try await database.read(at: moment) { try $0.record(id) }
  }

  /// Returns the number of records that a query selected at a point in time.
  public func count<Element>(_ query: Query<Element>, at moment: Database.Moment) async throws -> Int {
    try await database.read(at: moment) { try $0.count(query) }
  }
}
