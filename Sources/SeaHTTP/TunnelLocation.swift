import SeaContainer

/// The location of a container on a `sea-server`: `sea+https://HOST[:PORT]/[PATH/]NAME`, or with `sea+http://` if the
/// server is on this machine.
package struct TunnelLocation: Equatable, Sendable {
  package static let schemes = ["sea+https", "sea+http"]
  private static let longest = 2048

  package let url: String
  package var newsURL: String { url + "/news" }

  /// Returns nil if the location is invalid, or if it is remote but does not use TLS, which would expose the token.
  package init?(_ text: String) {
    guard text.utf8.count <= TunnelLocation.longest,
      let scheme = TunnelLocation.schemes.first(where: { text.hasPrefix($0 + "://") })
    else { return nil }
    let rest = text.dropFirst(scheme.utf8.count + 3)
    let authority = rest.prefix { $0 != "/" }
    var path = rest.dropFirst(authority.count)
    while path.hasSuffix("/") { path = path.dropLast() }
    guard let host = TunnelLocation.host(authority), path.count > 1,
      path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy(TunnelLocation.isName)
    else { return nil }
    if scheme == "sea+http", !TunnelLocation.isNear(host) { return nil }
    url = "\(scheme.dropFirst(4))://\(authority)\(path)"
  }

  /// Returns the host from an authority of the form `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`.
  private static func host(_ authority: Substring) -> Substring? {
    var host = authority
    if let colon = authority.lastIndex(of: ":"), authority.last != "]" {
      guard let port = Wire.number(authority[authority.index(after: colon)...]), (1...65535).contains(port) else {
        return nil
      }
      host = authority[..<colon]
    }
    let isBracketed = host.first == "[" && host.last == "]"
    let name = isBracketed ? host.dropFirst().dropLast() : host
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2E: true
      case 0x47...0x5A, 0x67...0x7A, 0x2D, 0x5F: !isBracketed
      case 0x3A: isBracketed
      default: false
      }
    }
    return name.isEmpty || !isName ? nil : name
  }

  private static func isName(_ part: Substring) -> Bool {
    let bytes = part.utf8
    return (1...64).contains(bytes.count) && bytes.first != 0x2E
      && bytes.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
      }
  }

  static func isPlainAndNear(_ url: String) -> Bool {
    url.hasPrefix("http://") && host(url.dropFirst(7).prefix { $0 != "/" }).map(isNear) ?? false
  }

  private static func isNear(_ host: Substring) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
