/// The content of a verified block, or the part of it that this instance can decrypt and parse.
package struct BlockContent: Sendable {
  /// The payload; nil if nothing can be applied. Ranges start at the end of the clear form's header.
  package fileprivate(set) var payload: Payload?
  /// The clear form of an encrypted or compressed block, if the block could be opened.
  package fileprivate(set) var clear: [UInt8]?
  /// The header, heads, clear list and frames of a block that is both encrypted and compressed, if it could be opened.
  package fileprivate(set) var framed: [UInt8]?
  /// Whether the key that opened the block is unconfirmed. If so, control entries are read, but changes are hidden.
  package fileprivate(set) var isHidden = false
  package fileprivate(set) var key: EpochKey?
  /// The reason why there is no payload: `notReadable`, `noKey`, `badBlock(.badTag)` or `badBlock(.badPayload)`.
  package fileprivate(set) var fault: CoreError?

  package var isLocked: Bool {
    switch fault {
    case .noKey, .badBlock(.badTag): true
    default: false
    }
  }

  package func withClear(_ block: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    if let clear { clear.withUnsafeBytes { body($0) } } else { body(block) }
  }
}

package enum BlockReader {
  /// Returns the content of a block. Any error is part of the result, because a signed block is always kept.
  package static func content(
    of block: UnsafeRawBufferPointer, of instance: UUID, keys: KeyRing?
  ) -> BlockContent {
    var content = BlockContent()
    do throws(CoreError) {
      try read(block, instance, keys, &content)
    } catch {
      content.fault = error
    }
    return content
  }

  /// Returns the payload, and the clear form if the block is encrypted or compressed.
  /// - Throws: `badBlock(.badPayload)` if the payload is not canonical, `badBlock(.badTag)`, `noKey`, and `notReadable`
  ///   if only a newer version of the program can read the block.
  package static func open(
    _ block: UnsafeRawBufferPointer, of instance: UUID, keys: KeyRing?
  ) throws(CoreError) -> (payload: Payload, clear: [UInt8]?) {
    var content = BlockContent()
    try read(block, instance, keys, &content)
    return (content.payload!, content.clear)
  }

  /// Returns the payload of a stored block. Stores keep the clear form of an encrypted or compressed block.
  package static func payload(ofKept bytes: UnsafeRawBufferPointer) throws(CoreError) -> Payload {
    try payload(ofClear: bytes, BlockHeader(bytes))
  }

  private static func read(
    _ block: UnsafeRawBufferPointer, _ instance: UUID, _ keys: KeyRing?, _ content: inout BlockContent
  ) throws(CoreError) {
    let header = try BlockHeader(block)
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    guard header.mode.isDisjoint(with: [.removed, .unknown]) else { throw .notReadable }
    let front =
      try header.contentStart
      + ClearList.size(in: UnsafeRawBufferPointer(rebasing: block[header.contentStart...]), header.mode)
    guard !header.mode.isDisjoint(with: [.sealed, .compressed]) else {
      content.payload = try payload(ofClear: block, header)
      return
    }
    var clear: [UInt8]
    if header.mode.contains(.sealed) {
      guard let keys else { throw .noKey(try SealedBlock.key(of: block, behind: front)) }
      let opened = try SealedBlock.open(block, of: instance, behind: front, keys)
      (clear, content.key, content.isHidden) = (opened.clear, opened.key, keys.recordUse(of: opened.key))
      if header.mode.contains(.compressed) {
        content.framed = clear
        clear = try clear.withUnsafeBufferPointer { bytes throws(CoreError) in
          try decompressed(UnsafeRawBufferPointer(bytes), behind: front)
        }
      }
    } else {
      clear = try decompressed(
        UnsafeRawBufferPointer(rebasing: block.dropLast(Payload.signatureSize)), behind: front)
    }
    content.clear = clear
    content.payload = try clear.withUnsafeBufferPointer { bytes throws(CoreError) -> Payload in
      try payload(ofClear: UnsafeRawBufferPointer(bytes), header)
    }
  }

  private static func decompressed(
    _ framed: UnsafeRawBufferPointer, behind front: Int
  ) throws(CoreError) -> [UInt8] {
    guard front <= framed.count,
      var clear = Frames.open(UnsafeRawBufferPointer(rebasing: framed[front...]), front: front)
    else { throw .badBlock(.badPayload) }
    clear.replaceSubrange(..<front, with: framed[..<front])
    return clear
  }

  /// - Parameter bytes: the bytes to parse, including the signature if the block is neither encrypted nor compressed.
  private static func payload(
    ofClear bytes: UnsafeRawBufferPointer, _ header: BlockHeader
  ) throws(CoreError) -> Payload {
    let signature = header.mode.isDisjoint(with: [.sealed, .compressed]) ? Payload.signatureSize : 0
    guard bytes.count >= header.contentStart + signature else { throw .badBlock(.badPayload) }
    let payload = UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...])
    let content = UnsafeRawBufferPointer(rebasing: bytes[header.contentStart...])
    let list = ClearList.trustedSize(in: content, header.mode)
    guard list + signature <= content.count else { throw .badBlock(.badPayload) }
    do throws(CoreError) {
      return try Payload(
        UnsafeBufferPointer(rebasing: payload.bindMemory(to: UInt8.self)[..<(payload.count - signature)]),
        at: header.contentStart - BlockHeader.size + list, mode: header.mode, first: header.index == 0,
        heads: header.heads(in: bytes), ordered: ClearList.rows(in: content, list))
    } catch .notReadable {
      throw .notReadable
    } catch {
      throw .badBlock(.badPayload)
    }
  }
}
