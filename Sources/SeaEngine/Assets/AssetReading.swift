import SeaContainer
import SeaCore
import SeaSystem

/// Reads content from beginning to end, and determines its media type and digest.
struct AssetReading: ~Copyable {
  private let file: File
  private let before: FileStatus
  private var size: Int64 { before.size }
  private let name: String
  private let report: WorkReport?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
  private var content: ContentDigest
  private var offset: Int64 = 0
  private var mime = ContentType.unknown

  /// - Parameter before: the status of the file at the time its size was determined.
  init(_ file: File, _ before: FileStatus, name: String, report: WorkReport?) {
    self.file = file
    self.before = before
    self.name = name
    self.report = report
    content = ContentDigest(forSize: before.size)
  }

  deinit { buffer.deallocate() }

  /// Copies up to `room` further bytes of content, in the form in which they are stored.
  /// - Returns: the size and the SHA-256 of the stored form.
  mutating func copy(
    upTo room: Int64, _ sealer: PieceSeal.Sealer?, to draft: AssetDraft?
  ) throws -> (size: Int64, digest: Digest) {
    var sealer = sealer
    var out: [UInt8] = []
    // An unencrypted file with the whole content need not be hashed twice.
    let isContent = sealer == nil && offset == 0 && size <= room && !AssetReference.hasPieces(size)
    var stored = SHA256()
    var written: Int64 = 0
    func write(_ bytes: UnsafeRawBufferPointer) throws {
      if !isContent { stored.update(bytes) }
      try draft?.write(bytes, at: written)
      written += Int64(bytes.count)
    }
    let end = min(offset + room, size)
    while offset < end {
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), end - offset))]),
        at: offset)
      guard count > 0 else { throw KitError.fileChanged(name) }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if offset == 0 { mime = ContentType.of(bytes) }
      content.update(bytes)
      if sealer == nil {
        try write(bytes)
      } else {
        try sealer?.update(bytes, into: &out)
        try out.withUnsafeBytes { try write($0) }
        out.removeAll(keepingCapacity: true)
      }
      offset += Int64(count)
      report?(Work(.adding, name, done: offset, of: size))
    }
    if sealer != nil {
      try sealer?.finish(into: &out)
      try out.withUnsafeBytes { try write($0) }
    }
    return (written, isContent ? content.digest() : stored.digest())
  }

  /// The list of pieces after all content was copied; nil if content of this size has none.
  var list: PieceList? { content.list }

  mutating func finish() throws -> (mime: String, digest: Digest) {
    guard try file.status().isUnchanged(since: before) else { throw KitError.fileChanged(name) }
    if size == 0 { mime = ContentType.of(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return (mime, content.digest())
  }
}
