import SeaCore

/// What was found where a content should be.
package enum AssetState: Error, Sendable, Equatable {
  /// Every byte was read, and it is what the records say.
  case good
  /// A file of it is not there.
  case missing
  /// A file is not as large as it has to be.
  case wrongSize(AssetPlace)
  case wrongDigest
  /// A sealed file does not open.
  case sealed(AssetPlace, AssetFault)
  /// No key at hand opens it, and nothing else says what it should be.
  case noKey
  /// The reference names a number of files that content of its size does not have: nobody has such content.
  case badReference

  /// Whether bytes are there that are not what they should be.
  package var isDamage: Bool {
    switch self {
    case .wrongSize, .wrongDigest, .sealed, .badReference: true
    case .good, .missing, .noKey: false
    }
  }
}
