import Glibc

/// Lines on standard error. No token, and nothing of a container, is in one.
enum Log {
  static func line(_ text: String) {
    // Whoever asks chooses some of the words.
    let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    let bytes = Array("sea-server: \(plain)\n".utf8)
    _ = write(2, bytes, bytes.count)
  }
}
