import SeaCore
import SeaSystem

/// Reads a bundle (sea-bundle(5)) in a single pass and rejects anything that violates the format.
///
/// Memory use is limited for any input. Files are created only by the visitor, except that a manifest larger than
/// 8 MiB needs an unnamed file.
package final class BundleReader {
  /// The maximum number of zero bytes after the end, because other programs pad the last record.
  private static let mostPadding: Int64 = 1 << 20

  private let input: BundleInput
  private let pieces: ReadAhead
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
  private var known: (manifest: BundleManifest, digest: Digest, list: Spool)?
  package private(set) var promise = ManifestSummary()
  private let temporary: String

  /// - Parameters:
  /// - temporary: a folder that holds a large manifest while it is being read.
  ///   - direct: whether to bypass the cache.
  /// - Throws: `missingVolume` or `system`.
  package init(_ source: BundleSource, temporary: String, direct: Bool = false) throws {
    self.temporary = temporary
    input = try BundleInput(source, direct: direct)
    pieces = try ReadAhead(try BundleStream(input))
  }

  /// Reads and checks the whole manifest. The members themselves are not checked yet.
  package func manifest() throws -> BundleManifest {
    if let known { return known.manifest }
    let size = try manifestSize()
    var reader = ManifestReader(temporary: temporary)
    try content(BundlePath.manifest, size) { try reader.consume($0) }
    let (manifest, digest) = try reader.finish()
    known = (manifest, digest, reader.list)
    promise = reader.promise
    return manifest
  }

  /// Visits the members that the manifest lists, in order. The members themselves are not checked yet.
  package func forEachPromised(_ body: (BundleMember) throws -> Void) throws {
    _ = try manifest()
    guard let known else { return }
    var lines = ManifestLines(known.list)
    while let member = try lines.next() { try body(member) }
  }

  private func manifestSize() throws -> Int64 {
    let name = BundlePath.manifest
    var header = [UInt8](repeating: 0, count: TarHeader.size)
    let have = try fill(&header)
    let isNamed = header.starts(with: Array(name.utf8) + [0])
    let within = header.withUnsafeBytes { BundleCompression(magic: UnsafeRawBufferPointer(rebasing: $0[..<have])) }
    guard within == .none else { throw BundleError.compression(.feature) }
    guard have == header.count else {
      // The header is even too short for a name, so the expected member is unknown.
      guard isNamed || have == 0 else { throw BundleError.notABundle }
      throw early(name, Int64(0), nil)
    }
    guard isNamed else { throw BundleError.notABundle }
    guard let size = header.withUnsafeBytes({ TarHeader.size(of: $0) }),
      header == TarHeader.bytes(name, size: size)
    else { throw BundleError.badHeader(name) }
    guard size <= BundleManifest.largest else { throw BundleError.tooLarge(.manifest) }
    return size
  }

  /// Reads all members, passing them to the visitor. Returns the manifest and the digest, which identifies the bundle.
  /// - Throws: errors of the visitor, and `BundleError`. After an error, the content must not be trusted.
  package func read(_ visitor: BundleVisitor) throws -> (manifest: BundleManifest, digest: Digest) {
    _ = try manifest()
    guard let known else { throw BundleError.notABundle }
    var lines = ManifestLines(known.list)
    let hash = SharedHash()
    var header = [UInt8](repeating: 0, count: TarHeader.size)
    while let member = try lines.next() {
      let name = member.path.text
      try expect(name, member.size, &header, after: member.path)
      try visitor.begin(member)
      hash.restart()
      var walk = member.path.blocks.map { BlockWalk(count: Int($0.last - $0.first) + 1) }
      try content(name, member.size) { piece in
        hash.update(piece)
        walk?.consume(piece)
        try visitor.bytes(piece)
      }
      guard hash.digest() == member.sha256 else { throw BundleError.wrongDigest(name) }
      guard walk?.isWhole != false else { throw BundleError.wrongSize(name) }
      try visitor.end(member)
    }
    let end = Array("\(known.digest)\n".utf8)
    try expect(BundlePath.end, Int64(end.count), &header, after: nil)
    var text: [UInt8] = []
    try content(BundlePath.end, Int64(end.count)) { text.append(contentsOf: $0) }
    guard text == end else { throw BundleError.wrongDigest(BundlePath.end) }
    try zeros()
    return (known.manifest, known.digest)
  }

  private func expect(_ name: String, _ size: Int64, _ header: inout [UInt8], after path: BundlePath?) throws {
    let right = TarHeader.bytes(name, size: size)
    guard try fill(&header) == header.count else { throw early(name, 0, size) }
    if header == right { return }
    let (there, its) = header.withUnsafeBytes { (TarHeader.name(of: $0), TarHeader.size(of: $0)) }
    guard let its, header == TarHeader.bytes(there, size: its) else {
      // The header is actually the first of the two zero blocks that end a tar.
      throw header == TarHeader.zeros ? BundleError.missing(name) : BundleError.badHeader(there)
    }
    guard there != name else { throw BundleError.wrongSize(name) }
    if there == BundlePath.end { throw BundleError.missing(name) }
    guard let other = BundlePath(there) else { throw BundleError.unexpected(there) }
    guard let path else { throw BundleError.unexpected(there) }
    throw other < path ? BundleError.outOfOrder(there) : BundleError.missing(name)
  }

  /// Passes the content of a member to `body` and skips the padding of its last record, which must be zeros.
  private func content(_ name: String, _ size: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var left = size
    while left > 0 {
      guard try some() else { throw early(name, size - left, size) }
      let count = Int(min(left, Int64(rest.count)))
      try body(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      drop(count)
      left -= Int64(count)
    }
    var padding = Int((512 - size % 512) % 512)
    while padding > 0 {
      guard try some() else { throw early(name, size, size) }
      let count = min(padding, rest.count)
      guard TarHeader.areZeros(UnsafeRawBufferPointer(rebasing: rest[..<count])) else {
        throw BundleError.badHeader(name)
      }
      drop(count)
      padding -= count
    }
  }

  /// Reads the end, which must consist of two records of zeros and up to 1 MiB of zero padding.
  private func zeros() throws {
    var count: Int64 = 0
    while try some() {
      guard TarHeader.areZeros(rest) else { throw BundleError.trailing }
      count += Int64(rest.count)
      guard count <= BundleReader.mostPadding else { throw BundleError.tooLarge(.padding) }
      drop(rest.count)
    }
    guard !isCut, count >= 1024, count % 512 == 0 else { throw early(BundlePath.end, 65, nil) }
  }

  private func drop(_ count: Int) { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }

  /// Reads more bytes into `rest` if it is empty. Returns false at the end, even a premature one.
  private func some() throws -> Bool {
    if !rest.isEmpty { return true }
    do {
      rest = try pieces.next()
    } catch is BundleStream.Early {
      isCut = true
    }
    return !rest.isEmpty
  }

  private var isCut = false

  private func fill(_ header: inout [UInt8]) throws -> Int {
    var have = 0
    while have < header.count, try some() {
      let count = min(header.count - have, rest.count)
      header.withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[have...]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
      }
      drop(count)
      have += count
    }
    return have
  }

  private func early(_ name: String, _ have: Int64, _ want: Int64?) -> BundleError {
    input.early ?? .truncated(member: name, have: have, want: want)
  }
}

/// Receives the members of a bundle while it is being read. The content must not be trusted until the reader has
/// returned.
package protocol BundleVisitor: AnyObject {
  func begin(_ member: BundleMember) throws
  /// Passes content of the current member. The memory is valid only during the call.
  func bytes(_ bytes: UnsafeRawBufferPointer) throws
  /// Ends the current member after its size and digest have been found to match the manifest.
  func end(_ member: BundleMember) throws
}

extension BundleReader {
  /// Reads the whole bundle and writes the wanted members into an empty folder, arranged like a container. Nothing is
  /// synced to disk, because the caller removes the folder after a failure.
  /// - Parameter isWhole: whether there must be enough disk space for all members.
  /// - Throws: `noSpace` before anything is written, and the errors of `read`.
  package func unpack(
    into folder: Directory, isWhole: Bool = true, _ wants: @escaping (BundleMember) throws -> Bool
  ) throws -> (manifest: BundleManifest, digest: Digest) {
    let manifest = try manifest()
    // Every file occupies whole pages, and folders need some space, too.
    if isWhole { try BundleFile.checkSpace(manifest.bytes + manifest.members * 4096, in: folder.path) }
    return try read(Unpacker(folder, wants))
  }
}

private final class Unpacker: BundleVisitor {
  private let top: Directory
  private let wants: (BundleMember) throws -> Bool
  private var folder: Directory
  private var folderPath = ""
  private var file: File?

  init(_ top: Directory, _ wants: @escaping (BundleMember) throws -> Bool) {
    self.top = top
    self.wants = wants
    folder = top
  }

  func begin(_ member: BundleMember) throws {
    guard try wants(member) else { return }
    // Only paths that the layout allows reach this point, so there is no `..`, no link and no leading slash.
    let path = member.path.text
    try bundleSystem { () throws(SystemError) in
      try enter(Path.parent(path))
      file = try folder.file(Path.name(path), [.write, .create, .exclusive], mode: 0o600)
    }
  }

  private func enter(_ path: String) throws(SystemError) {
    guard path != folderPath else { return }
    var next = top
    for name in path.split(separator: "/") where name != "." {
      try next.createDirectory(String(name), mode: 0o700)
      next = try next.directory(String(name))
    }
    (folder, folderPath) = (next, path)
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { return }
    try bundleSystem { () throws(SystemError) in try file.write(bytes) }
  }

  func end(_ member: BundleMember) throws {
    guard let file else { return }
    self.file = nil
    try bundleSystem { () throws(SystemError) in try file.close() }
  }
}

/// Counts the blocks of a member, using the sizes in their headers. Nothing else is checked.
struct BlockWalk {
  private var left: Int
  private var header: [UInt8] = []
  private var skipping: Int64 = 0
  private var isBroken = false

  init(count: Int) { left = count }

  var isWhole: Bool { left == 0 && skipping == 0 && header.isEmpty && !isBroken }

  mutating func consume(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position < bytes.count, !isBroken {
      if skipping > 0 {
        let count = min(skipping, Int64(bytes.count - position))
        skipping -= count
        position += Int(count)
        continue
      }
      guard left > 0 else {
        isBroken = true
        return
      }
      let count = min(BlockHeader.size - header.count, bytes.count - position)
      header.append(contentsOf: bytes[position..<position + count])
      position += count
      guard header.count == BlockHeader.size else { return }
      let size = header.withUnsafeBytes { BlockHeader.blockSize($0) }
      isBroken = size == nil
      skipping = Int64(size ?? BlockHeader.size) - Int64(BlockHeader.size)
      header.removeAll(keepingCapacity: true)
      left -= 1
    }
  }
}

/// Returns the tar of a bundle in pieces, while another thread decompresses the next piece.
final class ReadAhead {
  /// The pieces are large because each piece requires a thread switch, which can take long on a busy machine.
  private static let piece = 4 << 20

  private let stream: BundleStream
  private let worker: Worker
  private let buffers: [UnsafeMutableRawBufferPointer]
  private var filling = 0
  private var isFilling = false
  private let result = Outcome()

  /// The result of the worker thread. Other threads read the result only while the worker thread is idle.
  private final class Outcome: @unchecked Sendable {
    var count = 0
    var failure: (any Error)?
  }

  init(_ stream: BundleStream) throws(BundleError) {
    self.stream = stream
    worker = try bundleSystem { () throws(SystemError) in try Worker() }
    buffers = (0..<2).map { _ in .allocate(byteCount: ReadAhead.piece, alignment: 4096) }
  }

  deinit {
    worker.wait()
    for buffer in buffers { buffer.deallocate() }
  }

  /// Returns the next piece, valid until the next call; the piece is empty at the end. If an error occurs, any bytes
  /// read before it are returned first.
  func next() throws -> UnsafeRawBufferPointer {
    if !isFilling, result.failure == nil { fill() }
    worker.wait()
    isFilling = false
    let piece = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffers[filling])[..<result.count])
    if let failure = result.failure {
      guard !piece.isEmpty else { throw failure }
      result.count = 0
      return piece
    }
    if !piece.isEmpty {
      filling = 1 - filling
      fill()
    }
    return piece
  }

  private func fill() {
    nonisolated(unsafe) let buffer = buffers[filling]
    nonisolated(unsafe) let stream = stream
    let result = result
    isFilling = true
    worker.start {
      result.count = 0
      do {
        while result.count < buffer.count {
          let count = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[result.count...]))
          if count == 0 { break }
          result.count += count
        }
      } catch { result.failure = error }
    }
  }
}

/// The only form of header in a bundle: ustar (POSIX.1-1988), for a regular file, with all fields fixed except name and
/// size.
struct TarHeader {
  static let size = 512
  static let zeros = [UInt8](repeating: 0, count: size)

  /// The header without name, size and checksum, and the sum of its bytes. For the sum, the checksum bytes count as
  /// spaces.
  private static let form: (bytes: [UInt8], sum: Int64) = {
    var bytes = zeros
    func put(_ text: String, _ offset: Int) {
      bytes.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    put("000644 ", 100)
    put("000000 ", 108)
    put("000000 ", 116)
    put("            ", 124)
    put(String(ArchiveOutput.modified, radix: 8) + " ", 136)
    put("        ", 148)
    put("0", 156)
    put("ustar\u{0}00", 257)
    put("000000 ", 329)
    put("000000 ", 337)
    let sum = bytes.reduce(0) { $0 + Int64($1) } - 11 * 0x20
    bytes[154] = 0
    return (bytes, sum)
  }()

  /// Returns the header for a name of at most 100 bytes and a size below 2^33.
  static func bytes(_ name: String, size: Int64) -> [UInt8] {
    var header = form.bytes
    var sum = form.sum
    var name = name
    header.withUnsafeMutableBytes { header in
      name.withUTF8 { name in
        header.copyMemory(from: UnsafeRawBufferPointer(name))
        for byte in name { sum += Int64(byte) }
      }
      sum += putOctal(size, digits: 11, at: 124, in: header)
      _ = putOctal(sum, digits: 6, at: 148, in: header)
    }
    return header
  }

  private static func putOctal(
    _ value: Int64, digits: Int, at offset: Int, in header: UnsafeMutableRawBufferPointer
  ) -> Int64 {
    var rest = value
    var sum: Int64 = 0
    for k in (0..<digits).reversed() {
      let digit = 0x30 + UInt8(rest & 7)
      header[offset + k] = digit
      sum += Int64(digit)
      rest >>= 3
    }
    return sum
  }

  static func areZeros(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, size)
      let same = zeros.withUnsafeBytes {
        sameBytes(UnsafeRawBufferPointer(rebasing: rest[..<count]), UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
      guard same else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }

  static func name(of header: UnsafeRawBufferPointer) -> String {
    String(decoding: header[..<100].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns the size in the header if it consists of eleven octal digits.
  static func size(of header: UnsafeRawBufferPointer) -> Int64? {
    let digits = header[124..<135]
    guard digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 << 3 | Int64($1 - 0x30) }
  }
}
