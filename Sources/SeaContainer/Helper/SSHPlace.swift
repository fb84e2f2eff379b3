import SeaCore

/// A folder on another machine, served by the `sea` program there: `ssh://[USER@]HOST[:PORT]/PATH`.
package struct SSHPlace: Equatable, Sendable {
  package static let scheme = "ssh"

  package let user: String?
  /// A name or an address. IPv6 addresses are stored without brackets.
  package let host: String
  package let port: Int?
  /// The path from the root folder or, in the form `/~/PATH`, from the user's home folder.
  package let path: String

  /// Returns nil for other locations, and if any part could be misinterpreted by a shell or `ssh`, for example because
  /// of a leading `-` or a character that does not occur in names.
  package init?(_ location: String) {
    guard location.hasPrefix("ssh://") else { return nil }
    let rest = location.dropFirst(6)
    guard let slash = rest.firstIndex(of: "/"), let path = SSHPlace.path(rest[slash...]) else { return nil }
    var authority = rest[..<slash]
    var user: String?
    if let at = authority.lastIndex(of: "@") {
      user = String(authority[..<at])
      authority = authority[authority.index(after: at)...]
    }
    if let user, !SSHPlace.isName(user, more: []) { return nil }
    var port: Int?
    if authority.first == "[", let end = authority.lastIndex(of: "]") {
      host = String(authority[authority.index(after: authority.startIndex)..<end])
      guard SSHPlace.isName(host, more: [0x3A, 0x25]) else { return nil }
      authority = authority[authority.index(after: end)...]
      guard authority.isEmpty || authority.first == ":" else { return nil }
    } else {
      host = String(authority.prefix { $0 != ":" })
      guard SSHPlace.isName(host, more: []) else { return nil }
      authority = authority.dropFirst(host.count)
    }
    if !authority.isEmpty {
      guard let number = Wire.number(authority.dropFirst()), (1...65535).contains(number) else { return nil }
      port = Int(number)
    }
    (self.user, self.port, self.path) = (user, port, path)
  }

  private static func isName(_ text: String, more: [UInt8]) -> Bool {
    guard let first = text.utf8.first, first != 0x2D else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: more.contains(byte)
      }
    }
  }

  private static func path(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      let digits = String(Substring(rest.prefix(2)))
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), digits.first != "+" else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let path = String(validating: bytes, as: UTF8.self), path != "/",
      path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { return nil }
    guard path.hasPrefix("/~/") else { return path }
    // The shell starts in the home folder.
    return "./" + path.dropFirst(3)
  }

  package var arguments: [String] {
    (port.map { ["-p", String($0)] } ?? []) + [user.map { "\($0)@\(host)" } ?? host, command]
  }

  package var command: String { "sea serve --stdio '\(path.replacing(every: "'", by: "'\\''"))'" }
}
