import SeaContainer
import SeaCore

/// An error that prevents a bundle from being written or read.
package enum TransferError: Error, Equatable {
  /// The file itself is invalid; nothing was imported.
  case bundle(name: String, BundleError)
  case mismatch(name: String, KitError.ContainerField, have: String, want: String)
  /// The import needs blocks that are missing locally.
  case baseMissing(name: String, [MissingBase])
  /// The file is intact, but a chain in it is invalid; nothing was imported.
  case problem(name: String, Problem)
  /// An asset file does not match the records; nothing was imported.
  case badAsset(name: String, place: String)
  /// According to its manifest, the bundle is larger than the limit.
  case tooLarge(name: String, size: Int64, most: Int64)
  case noBundles(path: String)
  /// The exchange folder was used before but is missing or empty now.
  case exchangeGone(String)
  /// The folder to clone from contains bundles of several databases.
  case severalDatabases(path: String)
  /// The requested start of an export is not a bundle, a heads file or a point in time.
  case badStart(String)
}

/// A block that an import needs and that is missing locally.
package struct MissingBase: Sendable, Equatable {
  package var branch: BranchID
  package var chain: String { branch.description }
  /// The instance's name; empty if unknown.
  package var name: String
  package var index: UInt32
  /// The index of the last local block of the chain; nil if no block is local.
  package var have: UInt32?

  /// Returns whether a chain with this head contains the block, judged only by branch and index.
  package func isCovered(by head: BundleHead) -> Bool {
    head.branch == branch && head.index >= index
  }
}

enum BundleFault {
  /// Runs `body`, and adds the bundle's name to any error.
  static func named<R>(_ name: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as BundleError { throw TransferError.bundle(name: name, error) }
  }
}
