import SeaSystem

/// A fault of a bundle or of writing one. Names are as in the bundle, so messages must escape them. The words for
/// messages are elsewhere.
package enum BundleError: Error, Equatable {
  /// Not a tar, plain or compressed, or a tar that does not begin with a manifest.
  case notABundle
  /// The manifest has another version of the format.
  case incompatible(Int64)
  /// The bundle ends too early: it has `have` bytes of `member`, of `want` if known.
  case truncated(member: String, have: Int64, want: Int64?)
  /// Bytes follow the end.
  case trailing
  /// The header of a member is not the expected one.
  case badHeader(String)
  /// The manifest is not in its canonical form; `line` counts from 1.
  case badManifest(line: Int)
  /// A member that the manifest does not name at this position.
  case unexpected(String)
  /// A member, or a line of the manifest, that is after one that it must precede.
  case outOfOrder(String)
  /// The manifest names a member that is missing.
  case missing(String)
  /// The size of a member differs from the manifest, or the sizes of its blocks from their headers.
  case wrongSize(String)
  case wrongDigest(String)
  /// The file name of a missing volume.
  case missingVolume(String)
  /// The file name of a volume that ends too early.
  case incompleteVolume(String)
  case tooLarge(BundleLimit)
  case compression(CompressionFault)
  /// The bytes read back from the medium differ from those written.
  case differsFromWritten(path: String)
  /// The number of bytes needed, and of those free.
  case noSpace(needed: Int64, free: Int64, path: String)
  /// The content differs from the promise: see `BundleWriter`.
  case changedWhileWriting(String)
  case system(SystemError)
}

/// A limit of sea-bundle(5) that was exceeded.
package enum BundleLimit: Equatable, Sendable {
  case members, manifest, manifestHead, member(String), padding
  /// Memory needed for decompression, in bytes.
  case window(Int64)
}

package enum CompressionFault: Equatable, Sendable {
  /// Decompression failed, or the checksum is wrong.
  case damaged
  /// A feature that bundles do not use: dictionaries, filters, several streams, nested compression.
  case feature
}

/// Runs system calls and converts their errors.
func bundleSystem<R>(_ body: () throws(SystemError) -> R) throws(BundleError) -> R {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
