import SeaCore

/// The data of a block for display: the header and, if it can be decrypted, the content.
package struct InspectedBlock: Sendable {
  package struct Change: Sendable {
    package var id: String
    package var type: String?
    package var revision: RevisionID
    package var parent: RevisionID?
    package var merged: [RevisionID]
    package var kind: RevisionKind
    package var size: Int
  }

  package var ref: BlockRef
  package var header: BlockHeader
  package var size: Int
  package var time: Int64?
  package var label: String?
  /// The blocks of other instances that the author had seen.
  package var heads: [BlockRef]
  /// The numbers of revisions and control entries; nil if the content cannot be read.
  package var changeCount: Int?
  package var controlCount: Int?
  package var changes: [Change] = []
  package var name: String?
  /// Whether all earlier blocks that were read are present and complete. A pull stops at the first block that is not.
  package var isReached = true
  package var fault: CoreError?

  package static let mostChanges = 200

  /// - Parameters:
  ///   - keys: the keys to try for decryption.
  ///   - most: the maximum number of revisions to read.
  /// - Throws: the fault of the header.
  package init(
    _ bytes: UnsafeRawBufferPointer, in branch: BranchID, keys: KeyRing?, most: Int = mostChanges
  ) throws(CoreError) {
    header = try BlockHeader(bytes)
    guard bytes.count == header.blockSize else { throw .badBlock(.badSize) }
    size = bytes.count
    ref = BlockRef(branch, index: header.index, digest: header.hash)
    let content = BlockReader.content(of: bytes, of: branch.instance, keys: keys)
    (heads, fault) = (header.heads(in: bytes), content.fault)
    guard let payload = content.payload else { return }
    (time, label) = (payload.time, payload.label)
    (changeCount, controlCount) = (payload.changes.count, payload.controls.count)
    if case .instance(let announced, _, _, _)? = payload.controls.first { name = announced }
    var found: [Change] = []
    content.withClear(bytes) { clear in
      let said = UnsafeBufferPointer(rebasing: clear.bindMemory(to: UInt8.self)[BlockHeader.size...])
      for change in payload.changes.prefix(most) { found.append(Change(change, said)) }
    }
    changes = found
  }
}

extension InspectedBlock.Change {
  fileprivate init(_ change: SeaCore.Change, _ bytes: UnsafeBufferPointer<UInt8>) {
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    id = text(change.id)
    type = change.type.map(text)
    (revision, parent, kind) = (change.revision, change.parent, change.kind)
    size = change.body?.count ?? 0
    var cursor = CBORCursor(UnsafeBufferPointer(rebasing: bytes[change.merged]))
    merged = (0..<change.mergedCount).compactMap { _ in try? RevisionID(&cursor) }
  }
}

extension BlockHeader {
  /// The fields with their places in the block and their values in words.
  package var fields: [(name: String, range: Range<Int>, value: String)] {
    [
      ("magic", 0..<3, "SEA"), ("mode", 3..<4, mode.words.joined(separator: " ")),
      ("payload size", 4..<8, "\(payloadSize)"), ("index", 8..<12, "\(index)"), ("Lamport time", 12..<16, "\(lamport)"),
      ("heads", 16..<20, "\(heads)"), ("previous", 20..<52, "the block before it"),
      ("data", 52..<84, "digests of heads and content, and signature"),
    ]
  }
}

extension BlockHeader.Mode {
  package var words: [String] {
    let known: [(BlockHeader.Mode, String)] = [
      (.sealed, "sealed"), (.compressed, "compressed"), (.signed, "signed"), (.removed, "removed"),
      (.control, "control"), (.orders, "orders"), (.init(rawValue: 0x40), "0x40"), (.init(rawValue: 0x80), "0x80"),
    ]
    return known.filter { contains($0.0) }.map(\.1)
  }
}
