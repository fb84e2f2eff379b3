import SeaCore

package enum AssetState: Error, Sendable, Equatable {
  /// All bytes were read, and they match the records.
  case good
  case missing
  case wrongSize(AssetPlace)
  case wrongDigest
  case sealed(AssetPlace, AssetFault)
  /// Neither a key nor a recorded digest is available to verify the content.
  case noKey
  /// The reference names a number of files that content of this size cannot have.
  case badReference

  /// Whether existing bytes are wrong.
  package var isDamage: Bool {
    switch self {
    case .wrongSize, .wrongDigest, .sealed, .badReference: true
    case .good, .missing, .noKey: false
    }
  }
}
