/// Maps ids to numbers in a hash table with linear probing. The ids are stored elsewhere.
package struct IDTable {
  /// Each slot contains the number plus 1 (0 if the slot is empty), and the low half of the id's hash.
  private var slots: [(number: UInt32, hash: UInt32)] = []
  private var count = 0

  package init() {}

  package func find(
    _ bytes: UnsafeBufferPointer<UInt8>, _ id: (Int) -> UnsafeBufferPointer<UInt8>
  ) -> Int? {
    guard !slots.isEmpty else { return nil }
    let hash = IDTable.hash(bytes)
    var place = Int(hash) & (slots.count - 1)
    while slots[place].number != 0 {
      let number = Int(slots[place].number) - 1
      if slots[place].hash == hash, UTF8Text.compare(id(number), bytes) == 0 { return number }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds an id that is not yet in the table, with a number below 2^32 − 1.
  package mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ number: Int) {
    if count * 4 >= slots.count * 3 { grow() }
    put(UInt32(number) + 1, IDTable.hash(bytes))
    count += 1
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: (0, 0), count: max(16, old.count * 2))
    for one in old where one.number != 0 { put(one.number, one.hash) }
  }

  private mutating func put(_ number: UInt32, _ hash: UInt32) {
    var place = Int(hash) & (slots.count - 1)
    while slots[place].number != 0 { place = (place + 1) & (slots.count - 1) }
    slots[place] = (number, hash)
  }

  /// Returns a SipHash, with a random key for each process, so that ids from other instances cannot force collisions.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
