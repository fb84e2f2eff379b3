import func Glibc.memcmp

/// Finds the properties of a body by name and reads their values in place. A single index can read many bodies, one
/// after another.
///
/// The caller must keep the bytes alive. If a body is invalid, results can be wrong, but no bytes outside the body are
/// read. Exclusivity checks are turned off, because an index has only one user and is not reentrant.
package final class BodyIndex {
  private struct Entry {
    var name: Int
    var nameCount: Int
    var start: Int
    var end: Int
  }

  @exclusivity(unchecked) private var base = UnsafePointer<UInt8>(bitPattern: 1)!
  @exclusivity(unchecked) private var entries: [Entry] = []

  package init() {}

  package var count: Int { entries.count }

  /// - Parameter body: the body to read; nil for a body without properties.
  package func read(_ body: UnsafeBufferPointer<UInt8>?) throws(CoreError) {
    entries.removeAll(keepingCapacity: true)
    guard let body else { return }
    var cursor = CBORCursor(body)
    base = cursor.base
    for _ in 0..<(try cursor.count(5, least: 2)) {
      let length = try cursor.expect(3)
      let name = cursor.offset
      _ = try cursor.run(length)
      let start = cursor.offset
      try cursor.skipValue()
      entries.append(Entry(name: name, nameCount: Int(length), start: start, end: cursor.offset))
    }
    guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
  }

  package func find(_ name: String) -> Int? {
    var name = name
    return name.withUTF8 { name in
      // Shorter names come first.
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low &+ high) / 2
        if entries[middle].nameCount < name.count { low = middle &+ 1 } else { high = middle }
      }
      while low < entries.count, entries[low].nameCount == name.count {
        if name.isEmpty || memcmp(base + entries[low].name, name.baseAddress!, name.count) == 0 { return low }
        low &+= 1
      }
      return nil
    }
  }

  private func bytes(_ place: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + entries[place].start, count: entries[place].end - entries[place].start)
  }

  package func name(_ place: Int) -> String {
    String(
      decoding: UnsafeBufferPointer(start: base + entries[place].name, count: entries[place].nameCount), as: UTF8.self)
  }

  // MARK: - Values of one kind; nil for values of other kinds, which `value` reads

  package func isNull(_ place: Int) -> Bool { base[entries[place].start] == 0xF6 }

  package func bool(_ place: Int) -> Bool? {
    switch base[entries[place].start] {
    case 0xF4: false
    case 0xF5: true
    default: nil
    }
  }

  package func text(_ place: Int) -> String? {
    let entry = entries[place]
    guard base[entry.start] >> 5 == 3 else { return nil }
    var cursor = CBORCursor(bytes(place))
    guard let head = try? cursor.head() else { return nil }
    // The string's bytes end where the value ends.
    let count = Int(head.value)
    return String(decoding: UnsafeBufferPointer(start: base + (entry.end - count), count: count), as: UTF8.self)
  }

  package func integer(_ place: Int) -> Int64? {
    let lead = base[entries[place].start]
    if lead < 24 { return Int64(lead) }
    guard lead >> 5 < 2 else { return nil }
    var cursor = CBORCursor(bytes(place))
    return try? cursor.int()
  }

  package func double(_ place: Int) -> Double? {
    guard base[entries[place].start] > 0xF8 else { return nil }
    var cursor = CBORCursor(bytes(place))
    guard let head = try? cursor.head() else { return nil }
    return CanonicalNumber.float(head.info, head.value)
  }

  package func value(_ place: Int) throws(CoreError) -> Value {
    var reader = ValueReader(cursor: CBORCursor(bytes(place)))
    return try reader.value()
  }

  package func members() throws(CoreError) -> Members {
    var members = Members()
    for place in entries.indices { members.append(name(place), try value(place)) }
    return members
  }
}
