import Glibc

/// Writes lines to standard error. Lines must not contain tokens or data from containers.
enum Log {
  static func line(_ text: String) {
    // Clients can determine parts of the text, so control characters are replaced.
    let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    let bytes = Array("sea-server: \(plain)\n".utf8)
    _ = write(2, bytes, bytes.count)
  }
}
