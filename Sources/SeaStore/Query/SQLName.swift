/// A name as SQL compares it: its bytes, with ASCII letters in lower case. (Swift compares strings by characters,
/// regardless of their encoding.)
package struct SQLName: Hashable, Sendable, ExpressibleByStringLiteral {
  private let bytes: [UInt8]

  package init(_ name: String) { bytes = name.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }
  package init(stringLiteral name: StaticString) { self.init(name.description) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func hasPrefix(_ prefix: SQLName) -> Bool { bytes.starts(with: prefix.bytes) }
}
