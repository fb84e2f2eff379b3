/// The payload of a plain block: a CBOR map of the author's wall clock, an optional label, and the list of items,
/// followed by a signature of 64 bytes if the block is signed.
package struct Payload: Sendable {
  /// Milliseconds since 1970, as the author's clock said.
  package var time: Int64
  package var label: String?
  package var changes: [Change] = []
  package var controls: [ControlEntry] = []

  package static let signatureSize = 64
  package static let mostItems = 1_000_000
  package static let longestLabel = 1024

  package init(time: Int64, label: String?) {
    self.time = time
    self.label = label
  }

  /// Reads all of `bytes`, the payload without its signature; every item must be the one encoding of what it says.
  /// - Parameter first: whether it belongs to block 0, which begins with the one `instance` entry.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, first: Bool) throws(CoreError) {
    var cursor = CBORCursor(bytes)
    let pairs = try cursor.expect(5)
    guard pairs == 2 || pairs == 3 else { throw cursor.fail(.badReserved) }
    try cursor.key("time")
    time = try cursor.int()
    if pairs == 3 {
      try cursor.key("label")
      let text = try cursor.text()
      guard text.count <= Payload.longestLabel else { throw cursor.fail(.tooMany) }
      label = String(decoding: text, as: UTF8.self)
    }
    try cursor.key("changes")
    let count = try cursor.count(4)
    guard count >= 1, count <= Payload.mostItems else { throw cursor.fail(.tooMany) }
    changes.reserveCapacity(count)
    for k in 0..<count {
      let head = try cursor.head()
      if head.major == 4, head.value == 6, !(first && k == 0) {
        changes.append(try Change(&cursor))
      } else if head.major == 5, head.value >= 1, head.value <= 16 {
        let entry = try ControlEntry(&cursor, pairs: Int(head.value))
        var announces = false
        if case .instance = entry { announces = true }
        guard announces == (first && k == 0) else { throw cursor.fail(.badReserved) }
        controls.append(entry)
      } else {
        throw cursor.fail(.unexpectedType)
      }
    }
    guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
  }
}

extension CBORCursor {
  fileprivate mutating func key(_ name: StaticString) throws(CoreError) {
    let text = try text()
    let want = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    guard UTF8Text.compare(text, want) == 0 else { throw fail(.badReserved) }
  }
}

extension ByteWriter {
  /// The front of a payload; `items` items follow.
  package mutating func payload(time: Int64, label: String?, items: Int) {
    cborMap(label == nil ? 2 : 3)
    cborText("time")
    cborInt(time)
    if let label {
      cborText("label")
      cborText(label)
    }
    cborText("changes")
    cborArray(items)
  }
}
