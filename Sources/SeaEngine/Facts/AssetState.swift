import SeaCore

package enum AssetState: Error, Sendable, Equatable {
  /// All bytes have been read, and they match the records.
  case good
  case missing
  case wrongSize(AssetPlace)
  case wrongDigest
  /// These ranges of bytes of the content do not match the list of pieces.
  case wrongPieces([Range<Int64>])
  /// The content is right, but its list of pieces is wrong or missing.
  case wrongList(AssetPlace)
  case sealed(AssetPlace, AssetFault)
  /// Neither a key nor a recorded digest is available to verify the content.
  case noKey
  /// The number of files in the reference is impossible for content of this size.
  case badReference

  /// Whether the content is right, whatever its list of pieces is.
  package var isRight: Bool {
    if case .wrongList = self { return true }
    return self == .good
  }

  /// Whether existing bytes are wrong.
  package var isDamage: Bool {
    switch self {
    case .wrongSize, .wrongDigest, .wrongPieces, .wrongList, .sealed, .badReference: true
    case .good, .missing, .noKey: false
    }
  }
}

/// Damaged ranges of content, as `bytes FIRST-LAST, FIRST-LAST, ...`.
enum AssetRanges {
  private static let start = "bytes "
  /// The number of ranges that a message names.
  private static let most = 8

  static func detail(_ ranges: [Range<Int64>]) -> String {
    start + ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ", ")
  }

  /// Returns the words for a detail; nil if it does not name ranges.
  static func words(_ detail: String) -> String? {
    guard detail.hasPrefix(start) else { return nil }
    let ranges = detail.dropFirst(start.utf8.count).split(separator: ",")
    let rest = ranges.count > most ? ", and \(ranges.count - most) more ranges" : ""
    return "does not match the record in " + start + ranges.prefix(most).joined(separator: ",") + rest
  }
}
