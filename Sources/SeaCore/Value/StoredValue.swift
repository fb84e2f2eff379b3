/// A value within the encoded bytes of a body, which it keeps alive. Inner values share these bytes.
package struct StoredValue: Sendable {
  package let bytes: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  package init(_ value: Value) {
    if case .packed(let stored) = value { self = stored } else { bytes = value.encoding[...] }
  }

  package func value() throws(CoreError) -> Value {
    try bytes.withUnsafeBufferPointer { bytes throws(CoreError) in try Value.decode(value: bytes) }
  }

  /// Returns the decoded value, in packed form if it is large.
  package func packed() throws(CoreError) -> Value {
    bytes.count < StoredValue.leastPacked ? try value() : .packed(self)
  }

  package var isNull: Bool { bytes.first == 0xF6 }

  /// Whether the bytes may contain a counter or a set.
  package static func mayHaveStates(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    UTF8Text.contains("$counter", in: bytes) || UTF8Text.contains("$set", in: bytes)
  }

  /// Returns the approximate number of values and names that decoding would create.
  /// - Parameter packing: whether large arrays stay packed.
  package static func count(in bytes: UnsafeBufferPointer<UInt8>, packing: Bool) -> Int {
    var (cursor, count) = (CBORCursor(bytes), 0)
    // The elements of a set are always decoded.
    var isState = false
    while !cursor.atEnd {
      count &+= 1
      if packing, !isState, let end = endOfPacked(at: cursor) {
        cursor.offset = end
        continue
      }
      guard let head = try? cursor.head() else { break }
      isState = false
      guard head.major == 2 || head.major == 3 else { continue }
      guard let run = try? cursor.run(head.value) else { break }
      isState = head.major == 3 && UTF8Text.equal(run, "$set")
    }
    return count
  }

  /// The minimum size of a packed value in bytes. Smaller values are decoded quickly.
  static let leastPacked = 65_536

  /// Returns the end of the array at the cursor; nil if the array is small or contains counters or sets.
  static func endOfPacked(at cursor: CBORCursor) -> Int? {
    var look = cursor
    guard cursor.end - cursor.offset >= leastPacked, cursor.base[cursor.offset] >> 5 == 4,
      (try? look.skipValue()) != nil,
      look.offset - cursor.offset >= leastPacked
    else { return nil }
    let bytes = UnsafeBufferPointer(start: cursor.base + cursor.offset, count: look.offset - cursor.offset)
    return mayHaveStates(bytes) ? nil : look.offset
  }
}
