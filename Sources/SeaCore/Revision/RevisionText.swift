/// Parses revision ids in the form that users type: `DEPTH-HEX` with at least four of the 64 digits.
package enum RevisionText {
  package static let leastDigits = 4

  package static func number(_ text: some StringProtocol) -> UInt32? {
    text.utf8.elementsEqual("0".utf8) ? 0 : RevisionID.depth(text)
  }

  package static func isRevision(_ text: some StringProtocol) -> Bool {
    guard let dash = text.firstIndex(of: "-"), RevisionID.depth(text[..<dash]) != nil else { return false }
    let hex = text[text.index(after: dash)...].utf8
    return hex.count >= leastDigits && hex.count <= 64 && hex.allSatisfy { Hex.value($0) != nil }
  }

  package static func matches(_ revision: RevisionID, _ text: some StringProtocol) -> Bool {
    isRevision(text) && revision.description.utf8.starts(with: text.utf8)
  }
}
