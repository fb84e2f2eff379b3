/// The content of a block, which is the array in its decrypted and decompressed payload.
///
///     [format, needs, about, items]
///
/// The format and the needs come first, so that a reader can stop early if any of them is unknown.
package struct Payload: Sendable {
  /// The time in milliseconds since 1970, according to the author's clock.
  package var time: Int64
  package var label: String?
  /// The heads of other chains that have changed since the author last named them, sorted by instance.
  package var heads: [BlockRef] = []
  package var changes: [Change] = []
  package var controls: [ControlEntry] = []

  package static let format: Int64 = 1
  package static let signatureSize = 64
  package static let mostItems = 1_000_000
  package static let longestLabel = 1024
  static let mostNeeds = 16
  static let longestNeed = 64
  static let mostAbout = 16

  package init(time: Int64, label: String?, heads: [BlockRef] = []) {
    self.time = time
    self.label = label
    self.heads = heads
  }

  /// Parses `bytes`, which must end with the canonically encoded array.
  /// - Parameters:
  /// - start: the offset of the array; ranges are relative to the start of `bytes`.
  ///   - heads: the heads in the block.
  ///   - ordered: the blocks in the clear list.
  /// - Throws: `notReadable` if the format, a need or a control entry is unknown.
  package init(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int = 0, mode: BlockHeader.Mode, first: Bool, heads: [BlockRef] = [],
    ordered: [BlockRef] = []
  ) throws(CoreError) {
    var cursor = CBORCursor(bytes, at: start)
    self.heads = heads
    try Payload.front(&cursor)
    (time, label) = try Payload.about(&cursor)
    let count = try cursor.count(4)
    guard count <= Payload.mostItems, count > 0 || !heads.isEmpty else { throw cursor.fail(.tooMany) }
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
    guard mode.contains(.control) == !controls.isEmpty, try ControlEntry.ordered(controls) == ordered else {
      throw cursor.fail(.badReserved)
    }
    for case .unknown in controls { throw .notReadable }
  }

  private static func front(_ cursor: inout CBORCursor) throws(CoreError) {
    let count = try cursor.expect(4)
    guard count >= 1 else { throw cursor.fail(.wrongLength) }
    guard try cursor.int() == Payload.format else { throw .notReadable }
    guard count == 4 else { throw cursor.fail(.wrongLength) }
    let needs = try cursor.count(4, least: 2)
    guard needs <= mostNeeds else { throw cursor.fail(.tooMany) }
    var last: UnsafeBufferPointer<UInt8>?
    for _ in 0..<needs {
      let need = try cursor.text()
      guard need.count >= 1, need.count <= longestNeed else { throw cursor.fail(.outOfRange) }
      try cursor.follows(&last, need)
    }
    // The current format version defines no needs.
    guard needs == 0 else { throw .notReadable }
  }

  private static func about(_ cursor: inout CBORCursor) throws(CoreError) -> (time: Int64, label: String?) {
    let pairs = try cursor.count(5, least: 2)
    guard pairs >= 1, pairs <= mostAbout else { throw cursor.fail(.tooMany) }
    var time: Int64?
    var label: String?
    var last: UnsafeBufferPointer<UInt8>?
    for _ in 0..<pairs {
      let key = try cursor.text()
      try cursor.follows(&last, key)
      if UTF8Text.equal(key, "time") {
        time = try cursor.int()
      } else if UTF8Text.equal(key, "label") {
        let text = try cursor.text()
        guard text.count <= longestLabel else { throw cursor.fail(.tooMany) }
        label = String(decoding: text, as: UTF8.self)
      } else {
        try cursor.skipPlain()
      }
    }
    guard let time else { throw cursor.fail(.badReserved) }
    return (time, label)
  }
}

extension ByteWriter {
  package mutating func payload(time: Int64, label: String?, items: Int) {
    cborArray(4)
    cborInt(Payload.format)
    cborArray(0)
    cborMap(label == nil ? 1 : 2)
    cborText("time")
    cborInt(time)
    if let label {
      cborText("label")
      cborText(label)
    }
    cborArray(items)
  }
}
