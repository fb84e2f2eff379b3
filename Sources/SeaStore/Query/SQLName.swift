/// A name in the form in which SQL compares it: its bytes, with ASCII letters in lower case. (Swift compares strings by
/// their characters, regardless of how these are encoded.)
package struct SQLName: Hashable, Sendable, ExpressibleByStringLiteral {
  private let bytes: [UInt8]

  package init(_ name: String) { bytes = name.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }
  package init(stringLiteral name: StaticString) { self.init(name.description) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func hasPrefix(_ prefix: SQLName) -> Bool { bytes.starts(with: prefix.bytes) }
}
