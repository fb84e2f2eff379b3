internal import SeaSystem

/// The bytes of a file that a ``Container`` is to keep: a sequence of pieces of about 1 MiB at most. It can be gone through once.
///
///     for try await piece in content { try await upload.send(piece) }
///
/// Where not all of it comes, because the other side has stopped, the loop throws: then no file may appear.
public struct FileContent: AsyncSequence, Sendable {
  /// Bytes.
  public typealias Element = [UInt8]

  /// How many bytes it has.
  public let size: Int64
  private let take: @Sendable () async throws -> [UInt8]?

  /// - Parameter next: gives the next piece; nil behind the last one.
  init(size: Int64, _ next: @escaping @Sendable () async throws -> [UInt8]?) { (self.size, take) = (size, next) }

  /// Content whose pieces come from a closure: for who calls a container himself.
  /// - Parameters:
  ///   - size: how many bytes all pieces have.
  ///   - next: gives the next piece; nil behind the last one.
  public static func pieces(
    size: Int64, _ next: @escaping @Sendable () async throws -> [UInt8]?
  ) -> FileContent { FileContent(size: size, next) }

  /// Bytes that are in memory, as one piece.
  public init(_ bytes: [UInt8]) {
    let rest = Guarded<[UInt8]?>(bytes.isEmpty ? nil : bytes)
    self.init(size: Int64(bytes.count)) {
      rest.with { rest in
        defer { rest = nil }
        return rest
      }
    }
  }

  /// All of it: in memory, up to 1 GiB.
  public func bytes() async throws -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(Int(clamping: Swift.min(size, 1 << 30)))
    for try await piece in self { all += piece }
    return all
  }

  /// From where the last loop has ended.
  public func makeAsyncIterator() -> Iterator { Iterator(take: take) }

  /// One loop over the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let take: @Sendable () async throws -> [UInt8]?

    /// The next piece; nil at the end.
    /// - Throws: if not all of it comes.
    public mutating func next() async throws -> [UInt8]? { try await take() }
  }
}
