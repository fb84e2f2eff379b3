import SeaSystem

/// An error in a bundle, or a failure to write one. Names come from the bundle unchanged, so messages must escape them.
package enum BundleError: Error, Equatable {
  /// The file is not a tar, or the tar does not begin with a manifest.
  case notABundle
  case incompatible(Int64)
  /// The bundle ends prematurely, after `have` bytes of `member`. The expected number is `want`, if known.
  case truncated(member: String, have: Int64, want: Int64?)
  case trailing
  case badHeader(String)
  /// The manifest is not in canonical form. The number in `line` starts at 1.
  case badManifest(line: Int)
  /// The manifest does not list this member at this position.
  case unexpected(String)
  /// A member, or a line of the manifest, comes later than its place in the order.
  case outOfOrder(String)
  case missing(String)
  /// The size of a member differs from that in the manifest, or the sizes of its blocks differ from those in their
  /// headers.
  case wrongSize(String)
  case wrongDigest(String)
  case missingVolume(String)
  /// The file name of a volume that ends prematurely.
  case incompleteVolume(String)
  case tooLarge(BundleLimit)
  case compression(CompressionFault)
  case differsFromWritten(path: String)
  case noSpace(needed: Int64, free: Int64, path: String)
  /// The content differs from the list of members (see `BundleWriter`).
  case changedWhileWriting(String)
  case system(SystemError)
}

package enum BundleLimit: Equatable, Sendable {
  case members, manifest, manifestHead, member(String), padding
  /// Decompression would need this much memory, in bytes.
  case window(Int64)
}

package enum CompressionFault: Equatable, Sendable {
  /// Decompression failed, or the checksum is wrong.
  case damaged
  /// The stream uses a feature not allowed in bundles: dictionaries, filters, several streams, or nested compression.
  case feature
}

func bundleSystem<R>(_ body: () throws(SystemError) -> R) throws(BundleError) -> R {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
