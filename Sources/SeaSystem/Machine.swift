import Glibc

package enum Machine {
  /// Returns the host name; empty if it is missing or not valid UTF-8.
  package static func name() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard gethostname(buffer.baseAddress!, 255) == 0 else { return "" }
      buffer[255] = 0
      return String(validatingCString: buffer.baseAddress!) ?? ""
    }
  }

  /// Returns the machine id that systemd and D-Bus use; nil if the machine has no id.
  package static func id() -> String? {
    guard let file = try? File("/etc/machine-id"), let bytes = try? file.readAll(limit: 64),
      bytes.last == 0x0A || bytes.count == 32
    else { return nil }
    let text = String(decoding: bytes.prefix(32), as: UTF8.self)
    let isID =
      text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isID ? text : nil
  }
}
