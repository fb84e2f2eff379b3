/// Replaces references in a body or value with the dictionaries that they refer to. Everything else is copied in
/// encoded form, so memory is needed only for the result.
package struct ReferenceSplice: ~Copyable {
  private var cursor: CBORCursor
  private let bytes: UnsafeBufferPointer<UInt8>
  private let find: (String) throws -> [UInt8]?
  private var out: ByteWriter

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ find: @escaping (String) throws -> [UInt8]?) {
    self.bytes = bytes
    self.find = find
    cursor = CBORCursor(bytes)
    out = ByteWriter(capacity: bytes.count)
  }

  /// - Parameters:
  ///   - body: a validated body.
  ///   - find: returns the encoded dictionary that replaces the reference to an id; nil to keep the reference.
  package static func body(
    _ body: UnsafeBufferPointer<UInt8>, _ find: @escaping (String) throws -> [UInt8]?
  ) throws -> [UInt8] {
    var splice = ReferenceSplice(body, find)
    try splice.members()
    return splice.out.array()
  }

  package static func value(
    _ value: UnsafeBufferPointer<UInt8>, _ find: @escaping (String) throws -> [UInt8]?
  ) throws -> [UInt8] {
    var splice = ReferenceSplice(value, find)
    try splice.value()
    return splice.out.array()
  }

  package static func adding(_ texts: [(name: String, text: String)], to body: UnsafeBufferPointer<UInt8>) throws
    -> [UInt8]
  {
    var cursor = CBORCursor(body)
    let count = try cursor.count(5)
    var out = ByteWriter(capacity: body.count + 256)
    out.cborMap(count + texts.count)
    var left = texts.sorted { Members.precedes($0.name, $1.name) }[...]
    for _ in 0..<count {
      let start = cursor.offset
      let key = String(decoding: try cursor.text(), as: UTF8.self)
      while let next = left.first, Members.precedes(next.name, key) {
        out.cborText(next.name)
        out.cborText(next.text)
        left.removeFirst()
      }
      try cursor.skipValue()
      out.append(UnsafeBufferPointer(rebasing: body[start..<cursor.offset]))
    }
    for next in left {
      out.cborText(next.name)
      out.cborText(next.text)
    }
    return out.array()
  }

  // MARK: - The walk

  private mutating func copy(from start: Int) {
    out.append(UnsafeBufferPointer(rebasing: bytes[start..<cursor.offset]))
  }

  private var next: UInt8 { cursor.offset < cursor.end ? bytes[cursor.offset] >> 5 : 7 }

  private mutating func members() throws {
    let start = cursor.offset
    let count = try cursor.count(5)
    copy(from: start)
    for _ in 0..<count {
      let key = cursor.offset
      _ = try cursor.text()
      copy(from: key)
      try value()
    }
  }

  private mutating func value() throws {
    let start = cursor.offset
    switch next {
    case 4:
      let count = try cursor.count(4)
      copy(from: start)
      for _ in 0..<count { try value() }
    case 5: try map()
    default:
      try cursor.skipValue()
      copy(from: start)
    }
  }

  private mutating func map() throws {
    let start = cursor.offset
    if let id = try reference() {
      if let found = try find(id) { out.append(found) } else { copy(from: start) }
      return
    }
    switch try cursor.count(5) {
    case 1 where try accept("$dict"):
      copy(from: start)
      return try members()
    case 1 where try accept("$counter") || accept("$set"):
      cursor.offset = start
      try cursor.skipValue()
      return copy(from: start)
    case 2 where try accept("$label"):
      _ = try cursor.text()
      // Dictionaries have no semantic type, because the name of the property describes their meaning.
      if try accept("$value"), let id = try reference(), let found = try find(id) { return out.append(found) }
      cursor.offset = start
      try cursor.skipValue()
      return copy(from: start)
    default:
      cursor.offset = start
      try members()
    }
  }

  private mutating func reference() throws -> String? {
    guard next == 5 else { return nil }
    let start = cursor.offset
    switch try cursor.count(5) {
    case 1 where try accept("$ref"): return String(decoding: try cursor.text(), as: UTF8.self)
    case 2 where try accept("as"):
      if next == 3 {
        _ = try cursor.text()
        if try accept("$ref") { return String(decoding: try cursor.text(), as: UTF8.self) }
      }
    default: break
    }
    cursor.offset = start
    return nil
  }

  private mutating func accept(_ word: StaticString) throws -> Bool {
    guard next == 3 else { return false }
    let start = cursor.offset
    if UTF8Text.equal(try cursor.text(), word) { return true }
    cursor.offset = start
    return false
  }
}
