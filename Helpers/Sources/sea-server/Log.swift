import Glibc

/// Writes lines on standard error. They contain neither tokens nor data of containers.
enum Log {
  static func line(_ text: String) {
    // Some of the text is chosen by clients, so control characters are replaced.
    let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    let bytes = Array("sea-server: \(plain)\n".utf8)
    _ = write(2, bytes, bytes.count)
  }
}
