package enum RevisionKind: String, Sendable {
  case put
  case delete
  /// The end of a branch of revisions whose content was merged into another leaf.
  case resolved
}

/// One revision in a block, consisting of ranges in the payload and the revision id.
///
/// The CBOR form is an array of six items: id, type or null, parent or null, merged, kind, and body or null. The digest
/// of a revision is SHA-256(0x87 ‖ "sea rev v1" as CBOR text ‖ the six encoded items).
package struct Change: Sendable {
  private var start: UInt32, end: UInt32
  private var idStart: UInt32, idEnd: UInt32
  private var typeStart: UInt32, typeEnd: UInt32
  private var mergedStart: UInt32, mergedEnd: UInt32
  private var bodyStart: UInt32
  package private(set) var mergedCount: Int16
  package private(set) var kind: RevisionKind
  package private(set) var hasReferences: Bool
  /// Whether the change comes from a purge order. Such a change has no body, regardless of its kind.
  package private(set) var isOrdered = false
  package private(set) var parent: RevisionID?
  package private(set) var revision: RevisionID

  /// The range of the six items, not including the array head.
  package var items: Range<Int> { Int(start)..<Int(end) }
  package var id: Range<Int> { Int(idStart)..<Int(idEnd) }
  package var type: Range<Int>? { typeEnd == 0 ? nil : Int(typeStart)..<Int(typeEnd) }
  package var merged: Range<Int> { Int(mergedStart)..<Int(mergedEnd) }
  package var body: Range<Int>? { kind == .put && !isOrdered ? Int(bodyStart)..<Int(end) : nil }

  package static let mostMerged = 64
  private static let digestPrefix: [UInt8] = [0x87, 0x6A] + Array("sea rev v1".utf8)

  package static func digest(items: UnsafeRawBufferPointer) -> Digest {
    var hash = SHA256()
    hash.update(digestPrefix)
    hash.update(items)
    return hash.digest()
  }

  package init(_ cursor: inout CBORCursor) throws(CoreError) {
    precondition(cursor.end <= BlockHeader.largestBlock)
    let start = cursor.offset
    try self.init(front: &cursor)
    if kind == .put {
      hasReferences = try cursor.skipBody()
    } else {
      guard cursor.null() else { throw cursor.fail(.unexpectedType) }
    }
    end = UInt32(cursor.offset)
    let depth = parent.map { $0.depth &+ 1 } ?? 1
    guard depth != 0 else { throw cursor.fail(.outOfRange) }
    let digest = Change.digest(
      items: UnsafeRawBufferPointer(start: cursor.base + start, count: cursor.offset - start))
    revision = RevisionID(depth: depth, digest: digest)
  }

  init(remains cursor: inout CBORCursor) throws(CoreError) {
    let revision = try RevisionID(&cursor)
    try self.init(front: &cursor)
    self.revision = revision
    isOrdered = true
  }

  /// Reads the items up to and including the kind. The caller sets the revision id.
  private init(front cursor: inout CBORCursor) throws(CoreError) {
    let start = cursor.offset
    let idBytes = try cursor.text()
    try Name.check(idBytes)
    let idEnd = cursor.offset
    var type = (start: 0, end: 0)
    if !cursor.null() {
      let typeBytes = try cursor.text()
      try Name.check(typeBytes)
      type = (cursor.offset - typeBytes.count, cursor.offset)
    }
    let parent = cursor.null() ? nil : try RevisionID(&cursor)
    let mergedCount = try cursor.count(4, least: 35)
    guard mergedCount <= Change.mostMerged else { throw cursor.fail(.tooMany) }
    let mergedStart = cursor.offset
    var last: RevisionID?
    for _ in 0..<mergedCount {
      let one = try RevisionID(&cursor)
      if let last, !(last < one) { throw cursor.fail(.wrongOrder) }
      if one == parent { throw cursor.fail(.duplicateKey) }
      last = one
    }
    let mergedEnd = cursor.offset
    guard let kind = RevisionKind(try cursor.text()) else { throw cursor.fail(.badReserved) }
    self.init(
      items: start..<cursor.offset, id: idEnd - idBytes.count..<idEnd, type: type.start..<type.end, parent: parent,
      merged: mergedStart..<mergedEnd, mergedCount: mergedCount, kind: kind, body: cursor.offset, hasReferences: false,
      revision: RevisionID(depth: 1, digest: .zero))
  }
}

extension RevisionKind {
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    // The three words differ in length.
    let kind: RevisionKind
    switch text.count {
    case 3: kind = .put
    case 6: kind = .delete
    case 8: kind = .resolved
    default: return nil
    }
    guard text.elementsEqual(kind.rawValue.utf8) else { return nil }
    self = kind
  }
}

extension RevisionID {
  /// Reads `[depth, digest]`.
  package init(_ cursor: inout CBORCursor) throws(CoreError) {
    guard try cursor.expect(4) == 2 else { throw cursor.fail(.wrongLength) }
    let depth = try cursor.expect(0)
    guard depth >= 1, depth <= UInt64(UInt32.max) else { throw cursor.fail(.outOfRange) }
    self.init(depth: UInt32(depth), digest: try cursor.digest())
  }

  package func write(into writer: inout ByteWriter) {
    writer.cborArray(2)
    writer.cborHead(0, UInt64(depth))
    digest.withBytes { writer.cborData($0) }
  }
}

extension Change {
  /// Writes the six items of a change without the array head, and returns the change with its revision id.
  /// - Parameters:
  /// - merged: the ids of the merged revisions: sorted, without `parent`, at most 64.
  /// - body: the canonical body; nil unless `kind` is `put`.
  package static func write(
    into writer: inout ByteWriter, id: UnsafeBufferPointer<UInt8>, type: UnsafeBufferPointer<UInt8>?,
    parent: RevisionID?, merged: [RevisionID] = [], kind: RevisionKind, body: UnsafeBufferPointer<UInt8>?,
    hasReferences: Bool
  ) -> Change {
    precondition(merged.count <= Change.mostMerged && (body != nil) == (kind == .put))
    let start = writer.count
    writer.cborText(id)
    let idEnd = writer.count
    var typeRange = 0..<0
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
    let mergedEnd = writer.count
    writer.cborText(kind.rawValue)
    let bodyStart = writer.count
    if let body { writer.append(body) } else { writer.cborNull() }
    let items = start..<writer.count
    let digest = Change.digest(items: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(writer.bytes)[items]))
    return Change(
      items: items, id: idEnd - id.count..<idEnd, type: typeRange, parent: parent, merged: mergedStart..<mergedEnd,
      mergedCount: merged.count, kind: kind, body: bodyStart, hasReferences: hasReferences,
      revision: RevisionID(depth: (parent?.depth ?? 0) + 1, digest: digest))
  }

  package mutating func move(by distance: Int) {
    func shift(_ offset: inout UInt32) { offset = UInt32(Int(offset) + distance) }
    shift(&start)
    shift(&end)
    shift(&idStart)
    shift(&idEnd)
    if typeEnd != 0 {
      shift(&typeStart)
      shift(&typeEnd)
    }
    shift(&mergedStart)
    shift(&mergedEnd)
    shift(&bodyStart)
  }

  private init(
    items: Range<Int>, id: Range<Int>, type: Range<Int>, parent: RevisionID?, merged: Range<Int>, mergedCount: Int,
    kind: RevisionKind, body: Int, hasReferences: Bool, revision: RevisionID
  ) {
    start = UInt32(items.lowerBound)
    end = UInt32(items.upperBound)
    idStart = UInt32(id.lowerBound)
    idEnd = UInt32(id.upperBound)
    typeStart = UInt32(type.lowerBound)
    typeEnd = UInt32(type.upperBound)
    self.parent = parent
    mergedStart = UInt32(merged.lowerBound)
    mergedEnd = UInt32(merged.upperBound)
    self.mergedCount = Int16(mergedCount)
    self.kind = kind
    bodyStart = UInt32(body)
    self.hasReferences = hasReferences
    self.revision = revision
  }
}
