import SeaCore

package enum AssetState: Error, Sendable, Equatable {
  /// All bytes have been read, and they match the records.
  case good
  case missing
  case wrongSize(AssetPlace)
  case wrongDigest
  case sealed(AssetPlace, AssetFault)
  /// Neither a key nor a recorded digest is available to verify the content.
  case noKey
  /// The number of files in the reference is impossible for content of this size.
  case badReference

  /// Whether existing bytes are wrong.
  package var isDamage: Bool {
    switch self {
    case .wrongSize, .wrongDigest, .sealed, .badReference: true
    case .good, .missing, .noKey: false
    }
  }
}
