internal import SeaEngine

/// The content of an asset in pieces of about 1 MiB at most, in their order.
///
/// No more than two are in memory, however slow the loop is; a loop that is left early reads no further. Whether the content is what the
/// records say is known at its end: if it is not, the loop throws, and what it was given is not to be used.
public struct AssetPieces: AsyncSequence, Sendable {
  /// Bytes.
  public typealias Element = [UInt8]

  let database: Database
  let asset: Asset

  /// From the beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One loop over the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    private let pieces: AssetPieces
    private var reading: Reading?

    init(_ pieces: AssetPieces) { self.pieces = pieces }

    /// The next piece; nil at the end.
    /// - Throws: `asset-missing` if the content is not on this device, `bad-asset` if it is not what the records say, `CancellationError` if
    ///   the task is cancelled.
    public mutating func next() async throws -> [UInt8]? {
      let reading = try self.reading ?? Reading(pieces)
      self.reading = reading
      return try await reading.queue.next()
    }
  }

  /// Reads on a thread of its own as long as somebody loops.
  private final class Reading: Sendable {
    let queue = PieceQueue()

    init(_ pieces: AssetPieces) throws {
      let (lane, queue, asset) = (try pieces.database.readers.fresh(), queue, pieces.asset)
      Task.detached {
        do {
          try await lane.run { engine in try engine.read(asset) { try queue.put(Array($0)) } }
          queue.finish(nil)
        } catch { queue.finish(error) }
      }
    }

    deinit { queue.cancel() }
  }
}
