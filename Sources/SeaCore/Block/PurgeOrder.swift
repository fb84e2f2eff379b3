/// What a control entry `purge` says: the payload of one block is to go.
///
/// It repeats what others need of the block when nobody has its payload any more: the header, the heads that it named, and
/// of every revision all but the body.
package struct PurgeOrder: Equatable, Sendable {
  /// A revision without its body.
  package struct Revision: Equatable, Sendable {
    package var id: String
    package var type: String?
    package var revision: RevisionID
    package var parent: RevisionID?
    package var merged: [RevisionID]
    package var kind: RevisionKind

    package init(
      id: String, type: String?, revision: RevisionID, parent: RevisionID?, merged: [RevisionID], kind: RevisionKind
    ) {
      self.id = id
      self.type = type
      self.revision = revision
      self.parent = parent
      self.merged = merged
      self.kind = kind
    }
  }

  package let block: BlockRef
  package let header: BlockHeader
  package let heads: [BlockRef]
  package let changes: [Revision]

  package init(_ instance: UUID, header: BlockHeader, heads: [BlockRef] = [], changes: [Revision] = []) {
    block = BlockRef(instance: instance, index: header.index, digest: header.hash)
    self.header = header
    self.heads = heads
    self.changes = changes
  }

  /// Whether this may be the header of a block that can be purged: an entry of control never goes.
  private var isPurgeable: Bool {
    let least = header.mode.contains(.sealed) ? SealedBlock.overhead + 1 : Payload.signatureSize + 1
    return header.mode.contains(.signed) && header.mode.isDisjoint(with: [.removed, .control, .orders])
      && header.index > 0 && header.index < .max && header.payloadSize >= least
  }

  init(_ reader: ControlEntry.FieldReader) throws(CoreError) {
    try reader.expect(pairs: 5)
    let instance = try reader.instance("instance")
    let bytes = try reader.bytes("header", exactly: BlockHeader.size)
    let read = bytes.withUnsafeBytes { bytes in try? BlockHeader(bytes) }
    guard let header = read else { throw reader.map.fail(.badReserved) }
    var cursor = try reader.cursor("heads")
    let heads = try Payload.heads(&cursor)
    guard !heads.contains(where: { $0.instance == instance }) else { throw cursor.fail(.badReserved) }
    cursor = try reader.cursor("changes")
    let count = try cursor.count(4, least: 6)
    guard count <= Payload.mostItems else { throw cursor.fail(.tooMany) }
    var changes: [Revision] = []
    for _ in 0..<count { changes.append(try Revision(&cursor)) }
    self.init(instance, header: header, heads: heads, changes: changes)
    guard isPurgeable else { throw reader.map.fail(.badReserved) }
  }

  func write(into w: inout ByteWriter) {
    w.cborMap(5)
    w.cborText("heads")
    w.cborHeads(heads)
    w.cborText("header")
    header.encoded().withUnsafeBytes { w.cborData($0) }
    w.cborText("changes")
    w.cborArray(changes.count)
    for change in changes { change.write(into: &w) }
    w.cborText("control")
    w.cborText("purge")
    w.cborText("instance")
    block.instance.withBytes { w.cborData($0) }
  }
}

extension PurgeOrder.Revision {
  /// `[id, type, revision, parent, merged, kind]`
  init(_ cursor: inout CBORCursor) throws(CoreError) {
    guard try cursor.expect(4) == 6 else { throw cursor.fail(.wrongLength) }
    let idBytes = try cursor.text()
    try Name.check(idBytes)
    var typeText: String?
    if !cursor.null() {
      let bytes = try cursor.text()
      try Name.check(bytes)
      typeText = String(decoding: bytes, as: UTF8.self)
    }
    let revision = try RevisionID(&cursor)
    let parent = cursor.null() ? nil : try RevisionID(&cursor)
    guard parent.map({ $0.depth < .max && revision.depth == $0.depth + 1 }) ?? (revision.depth == 1) else {
      throw cursor.fail(.outOfRange)
    }
    let count = try cursor.count(4, least: 35)
    guard count <= Change.mostMerged else { throw cursor.fail(.tooMany) }
    var merged: [RevisionID] = []
    for _ in 0..<count {
      let one = try RevisionID(&cursor)
      if let last = merged.last, !(last < one) { throw cursor.fail(.wrongOrder) }
      if one == parent { throw cursor.fail(.duplicateKey) }
      merged.append(one)
    }
    guard let kind = RevisionKind(try cursor.text()) else { throw cursor.fail(.badReserved) }
    self.init(
      id: String(decoding: idBytes, as: UTF8.self), type: typeText, revision: revision, parent: parent, merged: merged,
      kind: kind)
  }

  fileprivate func write(into w: inout ByteWriter) {
    w.cborArray(6)
    w.cborText(id)
    if let type { w.cborText(type) } else { w.cborNull() }
    revision.write(into: &w)
    if let parent { parent.write(into: &w) } else { w.cborNull() }
    w.cborArray(merged.count)
    for one in merged { one.write(into: &w) }
    w.cborText(kind.rawValue)
  }
}

extension BlockRef {
  /// Whether both are one block, in whichever branch somebody has it.
  package func isSame(_ other: BlockRef) -> Bool {
    instance == other.instance && index == other.index && digest == other.digest
  }
}

extension ControlEntry {
  /// The blocks that entries order to be purged, as the clear list has them.
  /// - Throws: `badReserved` if two name one block.
  static func ordered(_ controls: [ControlEntry]) throws(CoreError) -> [BlockRef] {
    var blocks: [BlockRef] = []
    for case .purge(let order) in controls { blocks.append(order.block) }
    blocks.sort(by: ClearList.precedes)
    for k in blocks.indices.dropFirst() where blocks[k - 1].isSame(blocks[k]) {
      throw .badEncoding(.duplicateKey, offset: 0)
    }
    return blocks
  }
}
