/// Changes to the set of valid key slots of an encrypted database.
package struct EpochChange: Hashable, Sendable {
  package let epoch: UInt32
  /// Distinguishes two keys with the same epoch number.
  package let key: Digest
  /// The key slots that become valid, sorted and without duplicates.
  package let slots: [Digest]
  /// The key slots, of any epoch, that become invalid, sorted and without duplicates.
  package let ended: [Digest]
  /// The instances that can open `slots`, sorted and without duplicates.
  package let readers: [UUID]

  package static let mostSlots = 10_000

  /// - Throws: `badBlock(.badPayload)` if the values cannot be encoded: epoch 0, no slots in either list, too many
  ///   slots, or a digest in both lists.
  package init(
    epoch: UInt32, key: Digest, slots: some Sequence<Digest>, readers: some Sequence<UUID> = [],
    ended: some Sequence<Digest> = []
  ) throws(CoreError) {
    self.epoch = epoch
    self.key = key
    self.readers = Set(readers).sorted()
    self.slots = Set(slots).sorted()
    self.ended = Set(ended).sorted()
    guard isSound else { throw .badBlock(.badPayload) }
  }

  init(_ reader: ControlEntry.FieldReader) throws(CoreError) {
    var digest = try reader.cursor("key")
    key = try digest.digest()
    var number = try reader.cursor("epoch")
    let value = try number.expect(0)
    guard value <= UInt64(UInt32.max) else { throw number.fail(.outOfRange) }
    epoch = UInt32(value)
    var list = try reader.cursor("slots")
    slots = try EpochChange.digests(&list)
    list = try reader.cursor("ended")
    ended = try EpochChange.digests(&list)
    list = try reader.cursor("readers")
    readers = try ControlEntry.instances(&list, atMost: EpochChange.mostSlots)
    guard isSound else { throw reader.map.fail(.badReserved) }
  }

  private var isSound: Bool {
    epoch >= 1 && !(slots.isEmpty && ended.isEmpty)
      && max(slots.count, ended.count, readers.count) <= EpochChange.mostSlots && Set(slots).isDisjoint(with: ended)
  }

  private static func digests(_ list: inout CBORCursor) throws(CoreError) -> [Digest] {
    let count = try list.count(4, least: 2 + Digest.size)
    guard count <= mostSlots else { throw list.fail(.tooMany) }
    var digests: [Digest] = []
    digests.reserveCapacity(count)
    for _ in 0..<count {
      let digest = try list.digest()
      if let last = digests.last, !(last < digest) { throw list.fail(.wrongOrder) }
      digests.append(digest)
    }
    return digests
  }

  func write(into writer: inout ByteWriter) {
    writer.cborMap(6)
    writer.cborText("key")
    key.withBytes { writer.cborData($0) }
    writer.cborText("ended")
    EpochChange.write(ended, into: &writer)
    writer.cborText("epoch")
    writer.cborHead(0, UInt64(epoch))
    writer.cborText("slots")
    EpochChange.write(slots, into: &writer)
    writer.cborText("control")
    writer.cborText("epoch")
    writer.cborText("readers")
    ControlEntry.write(readers, into: &writer)
  }

  private static func write(_ digests: [Digest], into writer: inout ByteWriter) {
    writer.cborArray(digests.count)
    for digest in digests { digest.withBytes { writer.cborData($0) } }
  }
}
