import SeaCore
import SeaWords

/// Strings of C, as far as `Escape.quoted` writes them.
enum CText {
  /// Writes what an escape stands for.
  /// - Returns: where it ends; nil if it is none.
  static func escape(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, into writer: inout ByteWriter) -> Int? {
    guard at + 1 < bytes.count else { return nil }
    switch bytes[at + 1] {
    case 0x22, 0x5C: writer.byte(bytes[at + 1])
    case 0x74: writer.byte(0x09)
    case 0x6E: writer.byte(0x0A)
    case 0x72: writer.byte(0x0D)
    case 0x30...0x33:
      guard at + 3 < bytes.count, (0x30...0x37).contains(bytes[at + 2]), (0x30...0x37).contains(bytes[at + 3]) else {
        return nil
      }
      let value = (bytes[at + 1] - 0x30) << 6 | (bytes[at + 2] - 0x30) << 3 | (bytes[at + 3] - 0x30)
      // Others are written as they are; so all that comes of it is UTF-8.
      guard value < 0x80 else { return nil }
      writer.byte(value)
      return at + 4
    default: return nil
    }
    return at + 2
  }
}
