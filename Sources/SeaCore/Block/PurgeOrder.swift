/// A control entry that orders the payload of one block to be purged. The entry repeats each of the block's revisions
/// without the body.
package struct PurgeOrder: Equatable, Sendable {
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
  package let changes: [Revision]

  package init(_ block: BlockRef, changes: [Revision] = []) {
    self.block = block
    self.changes = changes
  }

  init(_ reader: ControlEntry.FieldReader) throws(CoreError) {
    let instance = try reader.instance("instance")
    var cursor = try reader.cursor("index")
    let index = try cursor.expect(0)
    guard index > 0, index < UInt64(UInt32.max) else { throw cursor.fail(.outOfRange) }
    cursor = try reader.cursor("digest")
    let digest = try cursor.digest()
    cursor = try reader.cursor("changes")
    let count = try cursor.count(4, least: 6)
    guard count <= Payload.mostItems else { throw cursor.fail(.tooMany) }
    var changes: [Revision] = []
    for _ in 0..<count { changes.append(try Revision(&cursor)) }
    self.init(BlockRef(instance: instance, index: UInt32(index), digest: digest), changes: changes)
  }

  func write(into w: inout ByteWriter) {
    w.cborMap(5)
    w.cborText("index")
    w.cborHead(0, UInt64(block.index))
    w.cborText("digest")
    block.digest.withBytes { w.cborData($0) }
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
  /// Reads `[id, type, revision, parent, merged, kind]`.
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
  package func isSame(_ other: BlockRef) -> Bool {
    instance == other.instance && index == other.index && digest == other.digest
  }
}

extension ControlEntry {
  /// Returns the blocks that the entries order to be purged, sorted as in the clear list.
  /// - Throws: `badEncoding(.duplicateKey)` if two entries name the same block.
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
