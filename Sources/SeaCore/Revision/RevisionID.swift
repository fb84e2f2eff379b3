/// A revision id: the depth of a revision in its tree and the digest of its content, written as `DEPTH-HEX`.
///
/// Revisions are ordered by depth, then by digest. Among live leaves, the greatest revision wins.
package struct RevisionID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The depth, which is 1 for the first revision of a record and otherwise the parent's depth plus 1.
  package let depth: UInt32
  package let digest: Digest

  package init(depth: UInt32, digest: Digest) {
    self.depth = depth
    self.digest = digest
  }

  package init?(_ text: some StringProtocol) {
    guard let dash = text.firstIndex(of: "-"), let depth = RevisionID.depth(text[..<dash]),
      let digest = Digest(hex: text[text.index(after: dash)...])
    else { return nil }
    self.init(depth: depth, digest: digest)
  }

  /// Parses a decimal number that is at least 1 and has no leading zeros.
  package static func depth(_ text: some StringProtocol) -> UInt32? {
    guard let first = text.utf8.first, first != 0x30, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      return nil
    }
    return UInt32(text)
  }

  package var description: String { "\(depth)-\(digest)" }

  package func short(_ digits: Int = 8) -> String { "\(depth)-\(digest.description.prefix(digits))" }

  package static func < (x: RevisionID, y: RevisionID) -> Bool {
    x.depth != y.depth ? x.depth < y.depth : x.digest < y.digest
  }
}
