/// The heads that an instance has seen in a container. They help readers that cannot list folders efficiently.
///
///     ["sea heads v1", databaseID, containerID, instanceID, time, [[instanceID, fork, index, hash], …]]
///       || Ed25519 signature over these bytes
///
/// A hint may be outdated, and anyone with write access can restore an old hint. Hints must be used only to skip work
/// that will be done again soon.
package struct HeadsHint: Equatable, Sendable {
  package let database: UUID
  package let container: UUID
  package let instance: UUID
  /// The time in milliseconds since 1970, according to the author's clock.
  package let time: Int64
  package let heads: [BlockRef]

  package static let largest = 65536
  private static let title = "sea heads v1"
  /// The smallest encoding of a head: an array of four, 16 bytes, null, an index and 32 bytes.
  private static let shortestHead = 1 + 17 + 1 + 1 + 34

  package init(database: UUID, container: UUID, instance: UUID, time: Int64, heads: [BlockRef]) {
    self.database = database
    self.container = container
    self.instance = instance
    self.time = time
    self.heads = heads.sorted { $0.branch < $1.branch }
  }

  /// Parses and verifies a file from the folder `heads`.
  /// - Parameters:
  /// - instance: the instance id that is the name of the file.
  /// - key: the Ed25519 key of the instance's chain.
  package init?(_ bytes: [UInt8], of instance: UUID, key: [UInt8], in container: UUID, of database: UUID) {
    guard bytes.count <= HeadsHint.largest, bytes.count > Ed25519.signatureSize else { return nil }
    let message = Array(bytes.dropLast(Ed25519.signatureSize))
    guard let hint = message.withUnsafeBufferPointer({ try? HeadsHint($0) }), hint.instance == instance,
      hint.database == database, hint.container == container,
      Ed25519.verify(Array(bytes.suffix(Ed25519.signatureSize)), message, key: key)
    else { return nil }
    self = hint
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) {
    var cursor = CBORCursor(bytes)
    guard try cursor.expect(4) == 6 else { throw cursor.fail(.wrongLength) }
    guard try cursor.text().elementsEqual(HeadsHint.title.utf8) else { throw cursor.fail(.badReserved) }
    database = try cursor.uuid()
    container = try cursor.uuid()
    instance = try cursor.uuid()
    time = try cursor.int()
    let count = try cursor.count(4, least: HeadsHint.shortestHead)
    var heads: [BlockRef] = []
    heads.reserveCapacity(count)
    for _ in 0..<count {
      guard try cursor.expect(4) == 4 else { throw cursor.fail(.wrongLength) }
      let owner = try cursor.uuid()
      let fork = cursor.null() ? nil : ForkID(try Array(cursor.data(exactly: ForkID.size)))
      let index = try cursor.expect(0)
      guard index < UInt64(UInt32.max) else { throw cursor.fail(.outOfRange) }
      let digest = try cursor.digest()
      let head = BlockRef(BranchID(owner, fork: fork), index: UInt32(index), digest: digest)
      if let last = heads.last { guard last.branch < head.branch else { throw cursor.fail(.wrongOrder) } }
      heads.append(head)
    }
    guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
    self.heads = heads
  }

  package func encoded(_ identity: Identity) throws(CoreError) -> [UInt8]? {
    let message = message
    guard message.count + Ed25519.signatureSize <= HeadsHint.largest else { return nil }
    return message + (try Ed25519.sign(message, seed: identity.signingSeed, key: identity.key))
  }

  private var message: [UInt8] {
    var writer = ByteWriter(capacity: 128 + heads.count * 64)
    writer.cborArray(6)
    writer.cborText(HeadsHint.title)
    for id in [database, container, instance] { id.withBytes { writer.cborData($0) } }
    writer.cborInt(time)
    writer.cborArray(heads.count)
    for head in heads {
      writer.cborArray(4)
      head.instance.withBytes { writer.cborData($0) }
      if let fork = head.branch.fork {
        fork.withBytes { writer.cborData($0) }
      } else {
        writer.cborNull()
      }
      writer.cborHead(0, UInt64(head.index))
      head.digest.withBytes { writer.cborData($0) }
    }
    return writer.array()
  }
}
