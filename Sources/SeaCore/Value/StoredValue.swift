/// A value where it lies in a body, which it keeps alive: it takes no memory of its own, however many values are in it.
package struct StoredValue: Sendable {
  /// The one encoding of a value of a body that was verified.
  package let bytes: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  package init(_ value: Value) {
    if case .packed(let stored) = value { self = stored } else { bytes = value.encoding[...] }
  }

  package func value() throws(CoreError) -> Value {
    try bytes.withUnsafeBufferPointer { bytes throws(CoreError) in try Value.decode(value: bytes) }
  }

  /// The value, as it lies if it is large.
  package func packed() throws(CoreError) -> Value {
    bytes.count < StoredValue.leastPacked ? try value() : .packed(self)
  }

  package var isNull: Bool { bytes.first == 0xF6 }

  /// False: there is neither counter nor set in it.
  package static func mayHaveStates(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    UTF8Text.contains("$counter", in: bytes) || UTF8Text.contains("$set", in: bytes)
  }

  /// How many values are in it, with names and what is between: what it takes to have each of them by itself.
  /// - Parameter packing: whether large arrays stay as they lie.
  package static func count(in bytes: UnsafeBufferPointer<UInt8>, packing: Bool) -> Int {
    var (cursor, count) = (CBORCursor(bytes), 0)
    // The elements of a set are made in any case.
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

  /// What is no longer is quickly made of single values.
  static let leastPacked = 65_536

  /// Where the array ends that stands at the cursor, if it is large and says the same wherever it stands.
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
