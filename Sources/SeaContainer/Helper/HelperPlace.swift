import SeaCore

/// The location of a remote container: `SCHEME:` followed by a string for that scheme's helper.
package struct HelperPlace: Equatable, Sendable {
  package let scheme: String
  package let location: String

  /// Returns the scheme of a location: 2 to 32 lowercase letters, digits, `+`, `.` and `-`, beginning with a letter.
  /// Returns nil for a path.
  package static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: 0x3A) else { return nil }
    let scheme = text[..<colon]
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    guard (2...32).contains(scheme.utf8.count), isLetter(scheme.utf8.first!),
      scheme.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0) })
    else { return nil }
    return String(scheme)
  }

  /// Returns the local path in a location; nil for the location of a helper.
  package static func path(of location: String) -> String? {
    switch scheme(of: location) {
    case nil: location
    case "file"? where location.hasPrefix("file://"): String(location.dropFirst(7))
    default: nil
    }
  }

  /// Returns nil for a local path.
  package init?(_ location: String) {
    guard HelperPlace.path(of: location) == nil, let scheme = HelperPlace.scheme(of: location) else { return nil }
    (self.scheme, self.location) = (scheme, location)
  }

  /// Whether the location contains a password, which would be visible in settings, messages and process lists.
  package var hasPassword: Bool {
    guard let slashes = location.firstPlace(of: "://") else { return false }
    let authority = location[slashes.upperBound...].prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return false }
    return authority[..<at].contains(":")
  }
}
