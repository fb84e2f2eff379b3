internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// The source of the content of a new asset.
public struct AssetContent: Sendable {
  enum Source: Sendable {
    case bytes([UInt8])
    case file(String)
    case pieces(@Sendable (_ sink: ([UInt8]) async throws -> Void) async throws -> Void)
  }

  let source: Source
  let mimeType: String?

  /// Bytes in memory.
  /// - Parameters:
  ///   - bytes: the content.
  ///   - mimeType: the MIME type, such as `image/jpeg`; nil to detect it from the content.
  public static func bytes(_ bytes: [UInt8], mimeType: String? = nil) -> AssetContent {
    AssetContent(source: .bytes(bytes), mimeType: mimeType)
  }

  /// A regular file of any size, which is read piece by piece. Anything else throws `usage` when it is saved.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - mimeType: the MIME type, such as `image/jpeg`; nil to detect it from the content.
  public static func file(_ path: String, mimeType: String? = nil) -> AssetContent {
    AssetContent(source: .file(path), mimeType: mimeType)
  }

  /// A sequence of pieces of any size. The next piece is requested only after the last one is on disk.
  /// - Parameters:
  ///   - pieces: the pieces of the content.
  ///   - mimeType: the MIME type, such as `image/jpeg`; nil to detect it from the content.
  public static func pieces<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, mimeType: String? = nil
  ) -> AssetContent where Pieces.Element == [UInt8] {
    AssetContent(
      source: .pieces { sink in for try await piece in pieces { try await sink(piece) } }, mimeType: mimeType)
  }

  /// Creates the content from a closure that returns one byte array of any size at a time.
  /// - Parameters:
  /// - next: returns the next bytes, or nil at the end.
  ///   - mimeType: the MIME type, such as `image/jpeg`; nil to detect it from the content.
  public static func pieces(
    mimeType: String? = nil, _ next: @escaping @Sendable () async throws -> [UInt8]?
  ) -> AssetContent {
    AssetContent(
      source: .pieces { sink in while let piece = try await next() { try await sink(piece) } }, mimeType: mimeType)
  }

  /// Copies content arriving in pieces into a file, so that the engine can read it without running the caller's code.
  func readable(in folder: String) async throws -> ReadableContent {
    switch source {
    case .bytes(let bytes): return ReadableContent(.bytes(bytes), mimeType)
    case .file(let path): return ReadableContent(.path(path), mimeType)
    case .pieces(let give):
      let spool = try Spool(folder)
      try await give { try await spool.append($0) }
      return ReadableContent(.spool(spool), mimeType)
    }
  }

  struct ReadableContent: Sendable {
    enum Source: Sendable {
      case bytes([UInt8])
      case path(String)
      case spool(Spool)
    }

    private let source: Source
    private let mimeType: String?

    init(_ source: Source, _ mimeType: String?) { (self.source, self.mimeType) = (source, mimeType) }

    func staged(by engine: Engine, named name: String) throws -> StagedAsset {
      let staged: StagedAsset
      switch source {
      case .path(let path):
        // Opening a pipe without a writer would block forever, and an endless device would fill the disk.
        let file = try File(path, [.read, .nonBlocking])
        guard try file.status().kind == .file else {
          throw SeaError(
            .usage, "'\(path)' is not a regular file; add other content in pieces", ["path": path])
        }
        staged = try engine.assets.stage(.file(file), named: path)
      case .spool(let spool): staged = try engine.assets.stage(.file(spool.file), named: name)
      case .bytes(let bytes):
        var done = 0
        staged = try engine.assets.stage(
          .stream { buffer in
            let count = min(buffer.count, bytes.count - done)
            bytes[done..<done + count].withUnsafeBytes { buffer.copyMemory(from: $0) }
            done += count
            return count
          }, named: name)
      }
      if let mimeType { staged.setMediaType(mime: mimeType) }
      return staged
    }
  }
}

/// An unnamed temporary file. It is read only after the one thread that writes it has finished, so sharing it is safe
/// (`@unchecked`).
final class Spool: @unchecked Sendable {
  let file: File
  private let lane: SerialThread

  /// Creates the file on the same file system as `folder`.
  init(_ folder: String) throws {
    do { file = try File.nameless(in: folder) } catch { throw SeaError(error) }
    lane = try SerialThread.made()
  }

  func append(_ piece: [UInt8]) async throws {
    try Task.checkCancellation()
    try await lane.result { [self] _ in try file.write(piece) }
  }
}
