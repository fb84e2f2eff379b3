import SeaCore
import SeaSystem

/// Writes a bundle (sea-bundle(5)) to a sink. The same data always produces the same bytes.
package final class BundleWriter {
  private let compression: BundleCompression
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private let temporary: String
  private let worker: Worker
  private let copied = PieceCopy()
  private static let smallPiece = 1 << 15

  /// - Parameters:
  /// - temporary: a folder that holds a large manifest while it is being written.
  ///   - sink: receives the bytes of the bundle in order.
  package init(
    _ compression: BundleCompression, temporary: String, sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    self.compression = compression
    self.sink = sink
    self.temporary = temporary
    worker = try bundleSystem { () throws(SystemError) in try Worker() }
  }

  /// Writes a whole bundle and computes its totals (blocks, assets, members, bytes).
  ///
  /// `members` is called twice and must provide the same members both times, sorted by path, with `infoMember` first.
  /// `content` must pass exactly the number of bytes announced.
  /// - Returns: the digest of the manifest, which identifies the bundle.
  /// - Throws: `outOfOrder`, `tooLarge`, errors of the closures, or `changedWhileWriting` if `members` or `content`
  ///   breaks these rules. After an error, the bytes in the sink do not form a bundle.
  package func write(
    _ manifest: BundleManifest, members: (_ each: (BundleMember) throws -> Void) throws -> Void,
    content: @escaping (_ member: BundleMember, _ give: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws -> Digest {
    var counted = manifest
    let list = Spool(in: temporary)
    let promised = try put(members, in: list, &counted)
    let head = Array(counted.headText.utf8)
    guard head.count <= BundleManifest.largestHead else { throw BundleError.tooLarge(.manifestHead) }
    let size = Int64(head.count) + list.size
    guard size <= BundleManifest.largest else { throw BundleError.tooLarge(.manifest) }

    let archive = try ArchiveOutput(compression, sink: sink)
    try archive.begin(BundlePath.manifest, size: size)
    var hash = SHA256()
    try head.withUnsafeBytes { bytes in
      hash.update(bytes)
      try archive.write(bytes)
    }
    try copy(list, to: archive, &hash)
    let digest = hash.digest()

    var kept = SHA256()
    try members { member in
      kept.update(BundleManifest.line(of: member))
      try self.write(member, to: archive, content)
    }
    guard kept.digest() == promised else { throw BundleError.changedWhileWriting(BundlePath.manifest) }
    try archive.begin(BundlePath.end, size: 65)
    try Array("\(digest)\n".utf8).withUnsafeBytes { try archive.write($0) }
    try archive.finish()
    return digest
  }

  private func put(
    _ members: (_ each: (BundleMember) throws -> Void) throws -> Void, in list: Spool, _ counted: inout BundleManifest
  ) throws -> Digest {
    var manifest = counted
    (manifest.blocks, manifest.assets, manifest.members, manifest.bytes) = (0, 0, 0, 0)
    var last: BundlePath?
    var lines = SHA256()
    try members { member in
      guard last.map(member.path.mayFollow) ?? (member == manifest.infoMember) else {
        throw BundleError.outOfOrder(member.path.text)
      }
      guard (0...Int64(Layout.largestFile)).contains(member.size) else {
        throw BundleError.tooLarge(.member(member.path.text))
      }
      guard manifest.members < BundleManifest.mostMembers else { throw BundleError.tooLarge(.members) }
      let line = BundleManifest.line(of: member)
      lines.update(line)
      try bundleSystem { () throws(SystemError) in try list.append((last == nil ? "" : ",\n") + line) }
      manifest.count(member)
      last = member.path
    }
    let end = (last == nil ? "" : "\n") + BundleManifest.listEnd + "\n"
    try bundleSystem { () throws(SystemError) in try list.append(end) }
    counted = manifest
    return lines.digest()
  }

  private func copy(_ list: Spool, to archive: ArchiveOutput, _ hash: inout SHA256) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var offset: Int64 = 0
    while offset < list.size {
      let count = try bundleSystem { () throws(SystemError) in
        try buffer.withMutableBytes { (bytes) throws(SystemError) in try list.read(into: bytes, at: offset) }
      }
      guard count > 0 else { throw BundleError.changedWhileWriting(BundlePath.manifest) }
      try buffer.withUnsafeBytes { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        hash.update(piece)
        try archive.write(piece)
      }
      offset += Int64(count)
    }
  }

  private func write(
    _ member: BundleMember, to archive: ArchiveOutput,
    _ content: (_ member: BundleMember, _ give: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let name = member.path.text
    try archive.begin(name, size: member.size)
    var left = member.size
    let hash = SharedHash()
    defer { worker.wait() }
    try content(member) { piece in
      guard Int64(piece.count) <= left else { throw BundleError.changedWhileWriting(name) }
      left -= Int64(piece.count)
      worker.wait()
      guard piece.count >= BundleWriter.smallPiece else {
        hash.update(piece)
        return try archive.write(piece)
      }
      // The worker hashes a copy so that the next piece can be read at the same time.
      copied.hold(piece)
      nonisolated(unsafe) let bytes = copied.bytes
      worker.start { hash.update(bytes) }
      try archive.write(piece)
    }
    worker.wait()
    guard left == 0, hash.digest() == member.sha256 else { throw BundleError.changedWhileWriting(name) }
  }
}

/// A hash that is updated by only one thread at a time.
final class SharedHash: @unchecked Sendable {
  private var hash = SHA256()

  func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }
  func digest() -> Digest { hash.digest() }
  func restart() { hash = SHA256() }
}

private final class PieceCopy {
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

  func hold(_ piece: UnsafeRawBufferPointer) {
    if buffer.count < piece.count {
      buffer.deallocate()
      buffer = .allocate(byteCount: piece.count, alignment: 64)
    }
    buffer.copyMemory(from: piece)
    bytes = UnsafeRawBufferPointer(rebasing: buffer[..<piece.count])
  }

  deinit { buffer.deallocate() }
}
