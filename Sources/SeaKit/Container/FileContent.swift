internal import SeaSystem

/// The bytes of a file that a ``Container`` is to write, in pieces of about 1 MiB or less. Iterate only once.
///
///     for try await piece in content { try await upload.send(piece) }
///
/// If the content ends prematurely, the loop throws. In that case, the container must not create the file.
public struct FileContent: AsyncSequence, Sendable {
  /// The bytes of one piece.
  public typealias Element = [UInt8]

  /// The size of the whole content in bytes.
  public let size: Int64
  private let read: @Sendable () async throws -> [UInt8]?

  init(size: Int64, _ next: @escaping @Sendable () async throws -> [UInt8]?) { (self.size, read) = (size, next) }

  /// Content whose pieces come from a closure, to call a container directly.
  /// - Parameters:
  ///   - size: the total size of the pieces in bytes.
  ///   - next: returns the next piece; nil at the end.
  public static func pieces(
    size: Int64, _ next: @escaping @Sendable () async throws -> [UInt8]?
  ) -> FileContent { FileContent(size: size, next) }

  /// Creates content from bytes in memory, as one piece.
  public init(_ bytes: [UInt8]) {
    let rest = Guarded<[UInt8]?>(bytes.isEmpty ? nil : bytes)
    self.init(size: Int64(bytes.count)) {
      rest.with { rest in
        defer { rest = nil }
        return rest
      }
    }
  }

  /// Reads the whole content into memory.
  public func bytes() async throws -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(Int(clamping: Swift.min(size, 1 << 30)))
    for try await piece in self { all += piece }
    return all
  }

  /// Returns an iterator that continues after the last piece that was read.
  public func makeAsyncIterator() -> Iterator { Iterator(read: read) }

  /// An iterator over the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let read: @Sendable () async throws -> [UInt8]?

    /// Returns the next piece; nil at the end.
    /// - Throws: an error if the content is incomplete.
    public mutating func next() async throws -> [UInt8]? { try await read() }
  }
}
