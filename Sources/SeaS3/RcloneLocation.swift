/// Where a container lies by the configuration of rclone: `rclone:REMOTE:PATH`. Pure.
package struct RcloneLocation: Equatable, Sendable {
  /// As rclone is told it: `REMOTE:PATH`.
  package let place: String

  private static let scheme = "rclone:"
  private static let longest = 2048

  /// Nil for a text that is none: a remote without a name, as a connection string is, could have a password in it, and would be seen.
  package init?(_ text: String) {
    guard text.hasPrefix(RcloneLocation.scheme), text.utf8.count <= RcloneLocation.longest else { return nil }
    let place = text.dropFirst(RcloneLocation.scheme.utf8.count)
    let remote = place.prefix { $0 != ":" }
    let path = place.dropFirst(remote.count + 1)
    // rclone.org/docs, Valid remote names.
    let isName =
      remote.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil || "_-.+@ ".unicodeScalars.contains($0)
      }
      && remote.first.map { $0 != "-" && $0 != " " } ?? false && remote.last != " "
    guard isName, place.count > remote.count, !path.allSatisfy({ $0 == "/" }),
      !place.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { return nil }
    self.place = String(place)
  }

  /// As an element of a list of rclone's in which a blank separates, and a quotation mark in quotation marks stands twice.
  package func upstream(_ name: String) -> String {
    "\"\(name)=" + place.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
