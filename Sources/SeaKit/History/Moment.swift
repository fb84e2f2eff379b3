internal import SeaCore
internal import SeaEngine

extension Database {
  /// A moment of the past.
  public enum Moment: Sendable, Hashable {
    /// When all had arrived that had arrived until then by the clock of this device.
    case time(Timestamp)
    /// Right after this instance did something.
    case operation(History.Operation)
    /// When what `changes` gave up to there had arrived, with all that was written together with the last of it.
    case position(Position)

    func core(_ engine: Engine) throws -> SeaCore.Moment {
      switch self {
      case .time(let time): try engine.history.moment(.time(time.milliseconds, time.description))
      case .operation(let operation): try engine.history.moment(operation.name)
      case .position(let position): try engine.feed.moment(position.core)
      }
    }
  }

  /// Runs `body` on the database as it was at a moment: its records, queries and counts are those of then. It takes what all records take
  /// that had changed since, once.
  /// - Throws: `not-found` if this instance did no such operation, `expired` if the database does not know the position, and what `read` throws.
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
  /// The records of a query, as they were at a moment.
  public func fetch<Element: Sendable>(_ query: Query<Element>, at moment: Database.Moment) async throws -> [Element] {
    try await database.read(at: moment) { try $0.fetch(query) }
  }

  /// The record with this id as a type, as it was at a moment; nil if there was none, or it was of another type.
  public func fetch<Wanted: SeaRecord>(
    _ type: Wanted.Type = Wanted.self, id: String, at moment: Database.Moment
  ) async throws -> Wanted? {
    try await database.read(at: moment) { try $0.fetch(type, id: id) }
  }

  /// The record with this id, as it was at a moment; nil if there was none.
  public func record(_ id: String, at moment: Database.Moment) async throws -> Record? {
    try await database.read(at: moment) { try $0.record(id) }
  }

  /// How many records a query meant at a moment.
  public func count<Element>(_ query: Query<Element>, at moment: Database.Moment) async throws -> Int {
    try await database.read(at: moment) { try $0.count(query) }
  }
}
