import SeaEngine
import SeaCore

/// Makes output safe for a terminal: escapes invalid UTF-8, and control characters other than newlines and tabs.
package struct TerminalGuard {
  package init() {}

  private var rest: [UInt8] = []

  /// Returns the safe form of the next bytes.
  package mutating func shown(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    for byte in bytes {
      if rest.isEmpty, byte < 0x80 {
        show(ascii: byte, &out)
        continue
      }
      if !rest.isEmpty, byte & 0xC0 != 0x80 { out += end() }
      if byte < 0x80 {
        show(ascii: byte, &out)
        continue
      }
      rest.append(byte)
      guard rest.count >= TerminalGuard.size(rest[0]) else { continue }
      let text = String(decoding: rest, as: UTF8.self)
      if text.utf8.elementsEqual(rest), let scalar = text.unicodeScalars.first {
        if let escaped = Escape.escaped(scalar) { out += escaped.utf8 } else { out += rest }
        rest = []
      } else {
        out += end()
      }
    }
    return out
  }

  package mutating func end() -> [UInt8] {
    defer { rest = [] }
    return rest.flatMap { Array("\\x\(Escape.hex(UInt32($0), 2))".utf8) }
  }

  private func show(ascii byte: UInt8, _ out: inout [UInt8]) {
    if byte == 0x0A || byte == 0x09 || (0x20..<0x7F).contains(byte) {
      out.append(byte)
    } else {
      out += "\\x\(Escape.hex(UInt32(byte), 2))".utf8
    }
  }

  /// Returns the number of bytes in a character that begins with `byte`; 1 if no character does.
  private static func size(_ byte: UInt8) -> Int {
    switch byte {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
