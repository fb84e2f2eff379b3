import SeaCore
import SeaEngine

/// Reads text and converts it to UTF-8. A byte order mark is removed, and determines the encoding.
package final class TextInput {
  private let name: String
  private let input: Input
  private var encoding: TextEncoding
  private var isBegun = false
  private var isBig = false
  /// In UTF-16, the first byte of an incomplete code unit, and the first half of an incomplete surrogate pair.
  private var byte: UInt8?
  private var half: UInt32?
  private var (line, column) = (1, 1)

  package init(_ name: String, _ input: Input, _ encoding: TextEncoding = .utf8) {
    (self.name, self.input, self.encoding) = (name, input, encoding)
  }

  /// Returns the bytes that are available next, as UTF-8; empty at the end. In UTF-8, the bytes are not checked.
  package func piece() throws -> [UInt8] {
    while true {
      let piece = try isBegun ? input.piece() : begin()
      if encoding == .utf8 { return piece }
      if piece.isEmpty {
        if byte != nil || half != nil { throw fault(.badUTF16) }
        return []
      }
      let text = try encoding == .utf16 ? wide(piece) : narrow(piece)
      if !text.isEmpty { return text }
    }
  }

  /// Reads as many bytes as a byte order mark can have, but no more than the first piece if it has none.
  private func begin() throws -> [UInt8] {
    isBegun = true
    var piece = try input.piece()
    while !piece.isEmpty, piece.count < (piece[0] == 0xEF ? 3 : 2) {
      let more = try input.piece()
      if more.isEmpty { break }
      piece += more
    }
    let marks: [(bytes: [UInt8], encoding: TextEncoding)] = [
      (TextEncoding.mark, .utf8), ([0xFF, 0xFE], .utf16), ([0xFE, 0xFF], .utf16),
    ]
    isBig = piece.first == 0 || piece.first == 0xFE
    if let mark = marks.first(where: { piece.starts(with: $0.bytes) }) {
      encoding = mark.encoding
      piece.removeFirst(mark.bytes.count)
      return try piece.isEmpty ? input.piece() : piece
    }
    if encoding == .utf8, piece.count > 1, (piece[0] == 0) != (piece[1] == 0) { throw fault(.utf16) }
    return piece
  }

  private func narrow(_ piece: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(piece.count + piece.count / 8)
    for byte in piece {
      if byte < 0x80 {
        text.append(byte)
      } else {
        let isWindows = encoding == .windows1252 && byte < 0xA0
        TextInput.append(UInt32(isWindows ? TextEncoding.windows[Int(byte) - 0x80] : UInt16(byte)), to: &text)
      }
    }
    return text
  }

  private func wide(_ piece: [UInt8]) throws -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(piece.count)
    for next in piece {
      guard let first = byte else {
        byte = next
        continue
      }
      byte = nil
      let unit = isBig ? UInt32(first) << 8 | UInt32(next) : UInt32(next) << 8 | UInt32(first)
      guard (half == nil) == (unit & 0xFC00 != 0xDC00) else { throw fault(.badUTF16) }
      if unit & 0xFC00 == 0xD800 {
        half = unit
        continue
      }
      let before = text.count
      TextInput.append(half.map { 0x10000 + ($0 & 0x3FF) << 10 + unit & 0x3FF } ?? unit, to: &text)
      half = nil
      (line, column) = unit == 0x0A ? (line + 1, 1) : (line, column + text.count - before)
    }
    return text
  }

  private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
    if let scalar = Unicode.Scalar(scalar) { text.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped) }
  }

  private func fault(_ fault: TableFault) -> CommandError {
    (byte, half) = (nil, nil)
    return .table(name: name, line: line, column: column, fault)
  }
}
