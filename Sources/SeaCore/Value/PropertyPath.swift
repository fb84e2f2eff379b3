/// The path to a value in a record. As text, a path is a JSON Pointer (RFC 6901) if it begins with `/`. Otherwise, it
/// consists of names joined by dots, with the escapes `\.` and `\\`. In an array, a name is an index.
package struct PropertyPath: Sendable {
  package let names: [String]

  package init(names: [String]) { self.names = names }

  package init(_ text: String) throws(CoreError) {
    guard !text.utf8.isEmpty else { throw .badPath(.empty, text) }
    names = text.utf8.first == 0x2F ? try PropertyPath.pointer(text) : try PropertyPath.dotted(text)
  }

  private static func pointer(_ text: String) throws(CoreError) -> [String] {
    var names: [String] = []
    for part in text.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false) {
      var name: [UInt8] = []
      var bytes = part.makeIterator()
      while let byte = bytes.next() {
        guard byte == 0x7E else {
          name.append(byte)
          continue
        }
        switch bytes.next() {
        case 0x30: name.append(0x7E)
        case 0x31: name.append(0x2F)
        default: throw .badPath(.badEscape, text)
        }
      }
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }

  private static func dotted(_ text: String) throws(CoreError) -> [String] {
    var names: [String] = []
    var name: [UInt8] = []
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case 0x5C:
        guard let next = bytes.next(), next == 0x2E || next == 0x5C else { throw .badPath(.badEscape, text) }
        name.append(next)
      case 0x2E:
        if name.isEmpty { throw .badPath(.emptyName, text) }
        names.append(String(decoding: name, as: UTF8.self))
        name = []
      default: name.append(byte)
      }
    }
    if name.isEmpty { throw .badPath(.emptyName, text) }
    return names + [String(decoding: name, as: UTF8.self)]
  }

  /// The names joined by dots, or a JSON Pointer if the joined names would not be parsed as the same path.
  package var description: String {
    if names.contains(where: { $0.utf8.isEmpty }) || names.first?.utf8.first == 0x2F { return pointer }
    return names.map { $0.escaped(0x5C, "\\\\").escaped(0x2E, "\\.") }.joined(separator: ".")
  }

  package var pointer: String { names.map { "/" + $0.escaped(0x7E, "~0").escaped(0x2F, "~1") }.joined() }

  static func index(_ name: String) -> Int? {
    let digits = name.utf8
    guard let first = digits.first, digits.count <= 10, digits.allSatisfy({ $0 &- 0x30 < 10 }),
      first != 0x30 || digits.count == 1
    else { return nil }
    return Int(name)
  }
}

extension PropertyPath: CustomStringConvertible {}

extension String {
  fileprivate func escaped(_ byte: UInt8, _ replacement: String) -> String {
    var bytes: [UInt8] = []
    for b in utf8 { if b == byte { bytes.append(contentsOf: replacement.utf8) } else { bytes.append(b) } }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension PropertyPath {
  package func find(in body: UnsafeBufferPointer<UInt8>) throws(CoreError) -> Range<Int>? {
    var cursor = CBORCursor(body)
    for (depth, name) in names.enumerated() {
      if depth > 0 { try PropertyPath.skipLabel(&cursor) }
      guard cursor.offset < cursor.end else { throw cursor.fail(.truncated) }
      switch cursor.base[cursor.offset] >> 5 {
      case 4:
        let count = try cursor.count(4)
        guard let index = PropertyPath.index(name), index < count else { return nil }
        for _ in 0..<index { try cursor.skipValue() }
      case 5:
        guard try PropertyPath.enter(&cursor, name, isBody: depth == 0) else { return nil }
      default: return nil
      }
    }
    let start = cursor.offset
    try cursor.skipValue()
    return start..<cursor.offset
  }

  /// Moves from the head of a labeled value to its inner value, because a semantic type is not part of a path.
  private static func skipLabel(_ cursor: inout CBORCursor) throws(CoreError) {
    var inner = cursor
    guard inner.offset < inner.end, inner.base[inner.offset] == 0xA2 else { return }
    _ = try inner.count(5, least: 2)
    guard UTF8Text.equal(try inner.run(inner.expect(3)), "$label") else { return }
    try inner.skipValue()
    _ = try inner.run(inner.expect(3))
    cursor = inner
  }

  /// Moves from the head of a map to the value of a key. Returns false if the map is not a dictionary or lacks the key.
  private static func enter(_ cursor: inout CBORCursor, _ name: String, isBody: Bool) throws(CoreError) -> Bool {
    var count = try cursor.count(5, least: 2)
    var isWrapped = false
    var name = name
    if !isBody {
      let start = cursor.offset
      for k in 0..<count {
        let key = try cursor.run(cursor.expect(3))
        if key.first == 0x24 {
          guard k == 0, count == 1, UTF8Text.equal(key, "$dict") else { return false }
          isWrapped = true
          break
        }
        if k == 3 { break }
        try cursor.skipValue()
      }
      if isWrapped { count = try cursor.count(5, least: 2) } else { cursor.offset = start }
    }
    for _ in 0..<count {
      let key = try cursor.run(cursor.expect(3))
      if name.withUTF8({ UTF8Text.compare($0, key) }) == 0 { return true }
      try cursor.skipValue()
    }
    return false
  }
}
