import SeaCore
import SeaSystem

/// Reads a bundle of sea-bundle(5) once, from the start to the end, and refuses whatever is not as the page says.
///
/// Memory is bounded whatever comes; files are made only by a visitor, and one without a name for a manifest of more
/// than 8 MiB.
package final class BundleReader {
  /// Zeros behind the end that are still taken: other programs fill up their last record.
  private static let mostPadding: Int64 = 1 << 20

  private let input: BundleInput
  private let pieces: ReadAhead
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
  private var known: (manifest: BundleManifest, digest: Digest, list: Spool)?
  /// What the manifest says of the members together, once it has been read.
  package private(set) var promise = BundlePromise()
  private let temporary: String

  /// - Parameters:
  ///   - temporary: a folder for a large manifest while it is being read.
  ///   - direct: past the cache, from the medium.
  /// - Throws: `missingVolume`, `system`.
  package init(_ source: BundleSource, temporary: String, direct: Bool = false) throws {
    self.temporary = temporary
    input = try BundleInput(source, direct: direct)
    pieces = try ReadAhead(try BundleStream(input))
  }

  /// What the bundle says about itself. All of the manifest has been read and is in its form; whether the members are as
  /// it says is not known yet.
  package func manifest() throws -> BundleManifest {
    if let known { return known.manifest }
    let size = try manifestSize()
    var reader = ManifestReader(temporary: temporary)
    try content(BundlePath.manifest, size) { try reader.take($0) }
    let (manifest, digest) = try reader.finish()
    known = (manifest, digest, reader.list)
    promise = reader.promise
    return manifest
  }

  /// The members that the manifest names, in order. Whether they are as it says is not known yet.
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
      // Too short even for a name: nobody knows what it was to be.
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

  /// Reads everything that is left, members to the visitor, and returns what the bundle is: its manifest, and the digest
  /// of that, which names it.
  /// - Throws: what the visitor throws, and `BundleError`. Then nothing of the bundle may be believed.
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
        walk?.take(piece)
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

  /// The next header must be that of the member which the manifest names next.
  private func expect(_ name: String, _ size: Int64, _ header: inout [UInt8], after path: BundlePath?) throws {
    let right = TarHeader.bytes(name, size: size)
    guard try fill(&header) == header.count else { throw early(name, 0, size) }
    if header == right { return }
    let (there, its) = header.withUnsafeBytes { (TarHeader.name(of: $0), TarHeader.size(of: $0)) }
    guard let its, header == TarHeader.bytes(there, size: its) else {
      // The two blocks of zeros that end a tar.
      throw header == TarHeader.zeros ? BundleError.missing(name) : BundleError.badHeader(there)
    }
    guard there != name else { throw BundleError.wrongSize(name) }
    if there == BundlePath.end { throw BundleError.missing(name) }
    guard let other = BundlePath(there) else { throw BundleError.unexpected(there) }
    guard let path else { throw BundleError.unexpected(there) }
    throw other < path ? BundleError.outOfOrder(there) : BundleError.missing(name)
  }

  /// Hands over the content of a member and passes over what fills up its last record, which must be zeros.
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

  /// Two records of zeros, at most 1 MiB of them, and nothing else.
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

  /// Whether there is something in `rest`; false at the end, be it the right one or not.
  private func some() throws -> Bool {
    if !rest.isEmpty { return true }
    do {
      rest = try pieces.next()
    } catch is BundleStream.Early {
      isCut = true
    }
    return !rest.isEmpty
  }

  /// The stream ended before its own end.
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

/// What becomes of a bundle's members while they are read. Nothing may be believed before the reader has returned.
package protocol BundleVisitor: AnyObject {
  /// A member that the manifest names begins.
  func begin(_ member: BundleMember) throws
  /// Content of that member; the memory is valid during the call only.
  func bytes(_ bytes: UnsafeRawBufferPointer) throws
  /// It is there with its whole size and the digest that the manifest has.
  func end(_ member: BundleMember) throws
}
