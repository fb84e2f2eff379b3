/// What a revision does to its record.
package enum RevisionKind: String, Sendable {
  case put
  /// A user's deletion.
  case delete
  /// The end of a branch whose content another leaf has taken in.
  case resolved
}

/// One revision as it stands in a block: ranges of the payload, and the revision that its bytes are.
///
/// As CBOR an array of six: id, type or null, parent or null, merged, kind, body or null. The digest of a revision is
/// SHA-256(0x87 ‖ "sea rev v1" as CBOR text ‖ the six items as they stand).
package struct Change: Sendable {
  /// The bytes of the six items, without the array's head.
  package var items: Range<Int>
  package var id: Range<Int>
  package var type: Range<Int>?
  package var parent: RevisionID?
  /// The merged array's items, after its head.
  package var merged: Range<Int>
  package var mergedCount: Int
  package var kind: RevisionKind
  package var body: Range<Int>?
  /// Whether the body refers to a record.
  package var hasReferences: Bool
  package var revision: RevisionID

  package static let mostMerged = 64
  private static let digestPrefix: [UInt8] = [0x87, 0x6A] + Array("sea rev v1".utf8)

  /// SHA-256 over the prefix and the six items.
  package static func digest(items: UnsafeRawBufferPointer) -> Digest {
    var hash = SHA256()
    hash.update(digestPrefix)
    hash.update(items)
    return hash.digest()
  }

  /// Reads the change at the cursor, whose array head has been read already.
  package init(_ cursor: inout CBORCursor) throws(CoreError) {
    let start = cursor.offset
    let idBytes = try cursor.text()
    try Name.check(idBytes)
    id = cursor.offset - idBytes.count..<cursor.offset
    if cursor.null() {
      type = nil
    } else {
      let typeBytes = try cursor.text()
      try Name.check(typeBytes)
      type = cursor.offset - typeBytes.count..<cursor.offset
    }
    parent = cursor.null() ? nil : try RevisionID(&cursor)
    mergedCount = try cursor.count(4, least: 35)
    guard mergedCount <= Change.mostMerged else { throw cursor.fail(.tooMany) }
    let mergedStart = cursor.offset
    var last: RevisionID?
    for _ in 0..<mergedCount {
      let one = try RevisionID(&cursor)
      if let last, !(last < one) { throw cursor.fail(.wrongOrder) }
      if one == parent { throw cursor.fail(.duplicateKey) }
      last = one
    }
    merged = mergedStart..<cursor.offset
    let kindBytes = try cursor.text()
    guard let kind = RevisionKind(rawValue: String(decoding: kindBytes, as: UTF8.self)) else {
      throw cursor.fail(.badReserved)
    }
    self.kind = kind
    if kind == .put {
      let bodyStart = cursor.offset
      hasReferences = try cursor.skipBody()
      body = bodyStart..<cursor.offset
    } else {
      guard cursor.null() else { throw cursor.fail(.unexpectedType) }
      hasReferences = false
      body = nil
    }
    items = start..<cursor.offset
    let depth = parent.map { $0.depth &+ 1 } ?? 1
    guard depth != 0 else { throw cursor.fail(.outOfRange) }
    let digest = Change.digest(items: UnsafeRawBufferPointer(start: cursor.base + start, count: items.count))
    revision = RevisionID(depth: depth, digest: digest)
  }
}

extension RevisionID {
  /// `[depth, digest]`
  package init(_ cursor: inout CBORCursor) throws(CoreError) {
    guard try cursor.expect(4) == 2 else { throw cursor.fail(.wrongLength) }
    let depth = try cursor.expect(0)
    guard depth >= 1, depth <= UInt64(UInt32.max) else { throw cursor.fail(.outOfRange) }
    let digest = try cursor.data(exactly: Digest.size)
    self.init(depth: UInt32(depth), digest: Digest(UnsafeRawPointer(digest.baseAddress!)))
  }

  package func write(into writer: inout ByteWriter) {
    writer.cborArray(2)
    writer.cborHead(0, UInt64(depth))
    digest.withBytes { writer.cborData($0) }
  }
}

extension Change {
  /// Writes the six items of a change, without the array's head, and names the revision that they are.
  /// - Parameters:
  ///   - merged: sorted, without `parent`, at most 64.
  ///   - body: canonical; nil exactly when `kind` is not `put`.
  package static func write(
    into writer: inout ByteWriter, id: UnsafeBufferPointer<UInt8>, type: UnsafeBufferPointer<UInt8>?,
    parent: RevisionID?, merged: [RevisionID] = [], kind: RevisionKind, body: UnsafeBufferPointer<UInt8>?,
    hasReferences: Bool
  ) -> Change {
    precondition(merged.count <= Change.mostMerged && (body != nil) == (kind == .put))
    let start = writer.count
    writer.cborText(id)
    let idRange = writer.count - id.count..<writer.count
    var typeRange: Range<Int>?
    if let type {
      writer.cborText(type)
      typeRange = writer.count - type.count..<writer.count
    } else {
      writer.cborNull()
    }
    if let parent { parent.write(into: &writer) } else { writer.cborNull() }
    writer.cborArray(merged.count)
    let mergedStart = writer.count
    for one in merged { one.write(into: &writer) }
    let mergedRange = mergedStart..<writer.count
    writer.cborText(kind.rawValue)
    let bodyStart = writer.count
    if let body { writer.append(body) } else { writer.cborNull() }
    let items = start..<writer.count
    let digest = Change.digest(items: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(writer.bytes)[items]))
    return Change(
      items: items, id: idRange, type: typeRange, parent: parent, merged: mergedRange, mergedCount: merged.count,
      kind: kind, body: body == nil ? nil : bodyStart..<writer.count, hasReferences: hasReferences,
      revision: RevisionID(depth: (parent?.depth ?? 0) + 1, digest: digest))
  }

  /// The same change where its bytes stand `distance` further on.
  package func moved(by distance: Int) -> Change {
    func shift(_ range: Range<Int>) -> Range<Int> { range.lowerBound + distance..<range.upperBound + distance }
    var copy = self
    copy.items = shift(items)
    copy.id = shift(id)
    copy.type = type.map(shift)
    copy.merged = shift(merged)
    copy.body = body.map(shift)
    return copy
  }

  private init(
    items: Range<Int>, id: Range<Int>, type: Range<Int>?, parent: RevisionID?, merged: Range<Int>, mergedCount: Int,
    kind: RevisionKind, body: Range<Int>?, hasReferences: Bool, revision: RevisionID
  ) {
    self.items = items
    self.id = id
    self.type = type
    self.parent = parent
    self.merged = merged
    self.mergedCount = mergedCount
    self.kind = kind
    self.body = body
    self.hasReferences = hasReferences
    self.revision = revision
  }
}
