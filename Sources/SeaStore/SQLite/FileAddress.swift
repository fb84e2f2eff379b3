import SeaCore

package enum FileAddress {
  /// Returns the URI of a file, to which parameters can be added. Special characters in the path are escaped.
  package static func text(_ path: String) -> String {
    var out = "file:"
    for byte in path.utf8 {
      let isPlain = byte == 0x2F || byte == 0x2E || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      out += isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.text([byte])
    }
    return out
  }
}
