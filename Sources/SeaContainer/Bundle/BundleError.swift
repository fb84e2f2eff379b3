import SeaSystem

/// What is wrong with a bundle, or with writing one. Names are as they stand in the bundle: whoever shows them escapes
/// them. Words for people are found elsewhere.
package enum BundleError: Error, Equatable {
  /// Neither a tar nor a compressed one, or a tar that does not begin with a manifest.
  case notABundle
  /// The manifest says that it is of another version of the format.
  case incompatible(Int64)
  /// It ends in the middle: `have` bytes of `member` are there, of `want` where that is known.
  case truncated(member: String, have: Int64, want: Int64?)
  /// Something follows the end.
  case trailing
  /// The header of a member is not the one that it must have.
  case badHeader(String)
  /// The manifest is not in its one form; `line` counts from 1.
  case badManifest(line: Int)
  /// A member that the manifest does not name at this place.
  case unexpected(String)
  /// A member, or a line of the manifest, that stands behind one that it belongs before.
  case outOfOrder(String)
  /// The manifest names a member that is not there.
  case missing(String)
  /// A member that is not as large as the manifest says, or whose blocks are not as large as they say.
  case wrongSize(String)
  case wrongDigest(String)
  /// The file name of a volume that is not there.
  case missingVolume(String)
  /// The file name of a volume that ends too early.
  case incompleteVolume(String)
  case tooLarge(BundleLimit)
  case compression(CompressionFault)
  /// What was read back from the medium is not what was written.
  case differsFromWritten(path: String)
  /// Bytes that are needed, and that are free.
  case noSpace(needed: Int64, free: Int64, path: String)
  /// What was to be written is not what had been promised: see `BundleWriter`.
  case changedWhileWriting(String)
  case system(SystemError)
}

/// A bound of sea-bundle(5) that was passed.
package enum BundleLimit: Equatable, Sendable {
  case members, manifest, manifestHead, member(String), padding
  /// Memory that decompressing would take, in bytes.
  case window(Int64)
}

package enum CompressionFault: Equatable, Sendable {
  /// It does not decompress, or its own checksum is wrong.
  case damaged
  /// A feature that bundles do not use: dictionaries, filters, several streams, one compression in another.
  case feature
}

/// Runs system calls, their failures told as bundles tell them.
func bundleSystem<R>(_ body: () throws(SystemError) -> R) throws(BundleError) -> R {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
