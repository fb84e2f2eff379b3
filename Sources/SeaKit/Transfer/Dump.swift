internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// The form in which records are dumped and loaded.
public enum DumpForm: Sendable, Hashable, CaseIterable {
  /// One JSON object per line, with the kinds of all values, as in sea-record(5). Loading restores the current state of
  /// the records, except their revisions.
  case full
  /// One JSON object per line with plain values, for programs that do not know Sea. The kinds of values such as dates
  /// and references are lost.
  case plain
  /// One JSON object per line for each revision, as `sea dump --history` writes it. Loading restores the revisions.
  case history
  /// The interchange form of Datastore with the kinds of all values, as in sea-datastore(5).
  case datastore
  /// The interchange form of Datastore without the kinds that the values imply.
  case compactDatastore
}

extension Database {
  /// Returns the records of a query as pieces of a file, in the form that `sea dump` writes.
  /// - Parameters:
  ///   - query: the records; for all records, use `dump(as:)`.
  ///   - form: the form. With `history`, the query can only select a type, and deleted records are included.
  public func dump<Element>(_ query: Query<Element>, as form: DumpForm = .full) -> DumpPieces {
    DumpPieces(database: self) { try $0.dump(query, form, $1) }
  }

  /// Returns all records as pieces of a file, in the form that `sea dump` writes.
  public func dump(as form: DumpForm = .full) -> DumpPieces { dump(Query.records(), as: form) }

  /// Writes the records of a query to a file, in the form that `sea dump` writes. The file appears under its name, or
  /// replaces an existing file, once it is complete.
  /// - Parameters:
  ///   - query: the records; for all records, use `dump(to:as:)`.
  ///   - path: the path of the file.
  ///   - form: the form. With `history`, the query can only select a type, and deleted records are included.
  ///   - progress: receives the number of records written so far.
  /// - Returns: the number of records or, with `history`, of revisions.
  /// - Throws: `usage` if the form does not fit the query, the errors of `fetch` for the condition, and errors of the
  ///   system.
  @discardableResult
  public func dump<Element>(
    _ query: Query<Element>, to path: String, as form: DumpForm = .full,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> Int {
    try await working(progress, opensReadOnly: true) { engine in
      try Location.checkWritable(path)
      let file = try AtomicFile(path)
      let count = try engine.dump(query, form) { try file.write($0) }
      try file.commit(replace: true)
      return count
    }
  }

  /// Writes all records to a file, in the form that `sea dump` writes. The file appears under its name, or replaces an
  /// existing file, once it is complete.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - form: the form.
  ///   - progress: receives the number of records written so far.
  /// - Returns: the number of records or, with `history`, of revisions.
  @discardableResult
  public func dump(
    to path: String, as form: DumpForm = .full, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> Int {
    try await dump(Query.records(), to: path, as: form, progress: progress)
  }
}

/// Records as pieces of a file. At most two pieces are in memory at a time, and reading stops when the loop ends early.
public struct DumpPieces: AsyncSequence, Sendable {
  /// The bytes of one piece. A piece can end within a line.
  public typealias Element = [UInt8]

  let database: Database
  let write: @Sendable (Engine, @escaping (UnsafeRawBufferPointer) throws -> Void) throws -> Int

  /// Returns an iterator that starts with the first piece.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator over the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    private let pieces: DumpPieces
    private var reading: PieceReading?

    init(_ pieces: DumpPieces) { self.pieces = pieces }

    /// Returns the next piece; nil at the end.
    /// - Throws: the errors of `dump(_:to:as:progress:)`, `CancellationError` if the task is cancelled.
    public mutating func next() async throws -> [UInt8]? {
      let reading = try self.reading ?? pieces.read()
      self.reading = reading
      return try await reading.next()
    }
  }

  /// Reads the records on a separate thread.
  private func read() throws -> PieceReading {
    let lane = try database.readers.newConnection()
    return PieceReading { [self] queue in
      _ = try await lane.run { engine in try write(engine) { try queue.put(Array($0)) } }
    }
  }
}

extension Engine {
  /// - Returns: the number of records or revisions.
  fileprivate func dump<Element>(
    _ query: Query<Element>, _ form: DumpForm, _ sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    try atOneState {
      if form == .history { return try dumpHistory(of: query, sink) }
      let query = try query.core(self)
      let meter = try queries.meter(query, "")
      let output = DumpOutput(sink)
      switch form {
      case .full, .plain, .history:
        let style = form == .plain ? JSONStyle { try? self.assets.plainFile($0) } : .compact
        let count = try queries.forEachInPlace(query) { record in
          // This ends the line, too.
          try JSONWriter.write(record: record, style: style, into: &output.writer)
          try output.flushIfFull()
          meter?.add()
        } _: { view in
          try view.writeJSON(style, into: &output.writer)
          try output.endLine()
          meter?.add()
        }
        try output.flush()
        return count
      case .datastore, .compactDatastore:
        let entities = EntityWriter(isCompact: form == .compactDatastore)
        output.writer.append("{\"entities\":[")
        var isFirst = true
        let count = try queries.forEach(query) { view in
          output.writer.append(isFirst ? "\n" : ",\n")
          isFirst = false
          func write(_ body: UnsafeBufferPointer<UInt8>?) throws {
            try history.write(entities, id: view.id, type: view.type, view.revision, body, into: &output.writer)
          }
          if let body = view.body { try body.withUnsafeBufferPointer(write) } else { try write(nil) }
          try output.flushIfFull()
          meter?.add()
        }
        output.writer.append(isFirst ? "]}\n" : "\n]}\n")
        try output.flush()
        return count
      }
    }
  }

  private func dumpHistory<Element>(
    of query: Query<Element>, _ sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    guard query.isWhole else {
      throw SeaError(.usage, "a dump of the history cannot have a condition, an order or a limit")
    }
    let output = DumpOutput(sink)
    var count = 0
    try records.forEachRevision(types: query.types) { revision in
      try settings.checkStop()
      if revision.isPurged { return }
      try revision.writeJSON(into: &output.writer)
      try output.endLine()
      count += 1
    }
    try output.flush()
    return count
  }
}

/// Collects small pieces of output.
private final class DumpOutput {
  var writer = ByteWriter(capacity: 1 << 16)
  private let sink: (UnsafeRawBufferPointer) throws -> Void

  init(_ sink: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.sink = sink }

  func endLine() throws {
    writer.byte(0x0A)
    try flushIfFull()
  }

  func flushIfFull() throws { if writer.count >= 1 << 16 { try flush() } }

  func flush() throws {
    if writer.count > 0 { try sink(UnsafeRawBufferPointer(writer.bytes)) }
    writer.truncate(to: 0)
  }
}
