package struct Endpoint: Equatable, Sendable {
  /// Where requests contain the bucket name.
  package enum Style: Sendable {
    case path
    case host
  }

  package var isSecure: Bool
  /// The host name, with the port unless it is the default. Empty for AWS, where the host depends on the region.
  package var host: String
  /// The prefix of every path, which is either empty or begins with a slash.
  package var base: String
  /// The style; nil for the server's usual style.
  package var style: Style?

  package static let aws = Endpoint(isSecure: true, host: "", base: "", style: nil)

  private init(isSecure: Bool, host: String, base: String, style: Style?) {
    (self.isSecure, self.host, self.base, self.style) = (isSecure, host, base, style)
  }

  /// Parses the URL of a server. Returns nil for any other string and for a URL with a user name or password.
  package init?(_ text: String) {
    let lower = text.lowercased()
    guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return nil }
    isSecure = scheme == "https://"
    let rest = text.dropFirst(scheme.utf8.count)
    var host = String(rest.prefix { $0 != "/" }).lowercased()
    var base = rest.dropFirst(host.utf8.count)
    while base.hasSuffix("/") { base = base.dropLast() }
    let usual = isSecure ? ":443" : ":80"
    if host.hasSuffix(usual) { host.removeLast(usual.count) }
    guard !host.isEmpty, host.utf8.count <= 300, Endpoint.hasOnly("abcdefghijklmnopqrstuvwxyz0123456789-._:[]", host),
      Endpoint.hasOnly("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/", base)
    else { return nil }
    (self.host, self.base, style) = (host, String(base), nil)
  }

  private static func hasOnly(_ allowed: String, _ text: some StringProtocol) -> Bool {
    let allowed = Set(allowed.utf8)
    return text.utf8.allSatisfy(allowed.contains)
  }

  static func isRegion(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && hasOnly("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", name)
  }

  package var isAWS: Bool { host.isEmpty }

  /// Returns the value of the header `host`, and the prefix for object paths.
  package func address(of bucket: String, region: String) -> (host: String, path: String) {
    let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    let server = isAWS ? "s3.\(region).\(domain)" : host
    switch style ?? usualStyle(for: bucket) {
    case .path: return (server, "\(base)/\(bucket)/")
    case .host: return ("\(bucket).\(server)", "\(base)/")
    }
  }

  /// Returns `.host`, except for IP addresses, local names, and bucket names that would make the host name invalid or
  /// would not be covered by a certificate.
  private func usualStyle(for bucket: String) -> Style {
    let name = host.hasPrefix("[") ? host : String(host.prefix { $0 != ":" })
    let last = name.split(separator: ".").last ?? ""
    if !isAWS, name.hasPrefix("[") || !name.contains(".") || last == "localhost" || last.allSatisfy(\.isNumber) {
      return .path
    }
    let isName = bucket.utf8.count <= 63 && bucket.utf8.allSatisfy { !(0x41...0x5A).contains($0) && $0 != 0x5F }
    return isName && !(isSecure && bucket.contains(".")) ? .host : .path
  }
}
