import SeaCore

/// The state of an asset's content at a source.
package enum AssetState: Error, Sendable, Equatable {
  /// All bytes were read, and they match the records.
  case good
  /// A file is missing.
  case missing
  /// A file has the wrong size.
  case wrongSize(AssetPlace)
  case wrongDigest
  /// An encrypted file cannot be decrypted.
  case sealed(AssetPlace, AssetFault)
  /// Neither a key nor a recorded digest is available to verify the content.
  case noKey
  /// The reference has a number of files that content of its size cannot have, so such content does not exist.
  case badReference

  /// Whether there are wrong bytes.
  package var isDamage: Bool {
    switch self {
    case .wrongSize, .wrongDigest, .sealed, .badReference: true
    case .good, .missing, .noKey: false
    }
  }
}
