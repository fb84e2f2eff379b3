import SeaContainer
import SeaCore

/// An error that keeps a bundle from being written or read.
package enum TransferError: Error, Equatable {
  /// The file itself is invalid; nothing was imported.
  case bundle(name: String, BundleError)
  /// The bundle is of another database or content type.
  case mismatch(name: String, KitError.ContainerField, have: String, want: String)
  /// Some blocks must be here first.
  case baseMissing(name: String, [MissingBase])
  /// The file is intact, but a chain in it does not verify; nothing was imported.
  case problem(name: String, Problem)
  /// A file in it differs from the content in the records; nothing was imported.
  case badAsset(name: String, place: String)
  /// The bundle is larger than the limit, by its manifest.
  case tooLarge(name: String, size: Int64, most: Int64)
  /// The folder contains no bundle.
  case noBundles(path: String)
  /// The exchange folder was used before, and is missing or empty now.
  case exchangeGone(String)
  /// The folder to clone from contains bundles of several databases.
  case severalDatabases(path: String)
  /// The start of an export is not a bundle, a heads file or a point in time.
  case badStart(String)
}

/// A block that a bundle follows and that is missing here.
package struct MissingBase: Sendable, Equatable {
  package var branch: BranchID
  package var chain: String { branch.description }
  /// The instance's name; empty if unknown.
  package var name: String
  package var index: UInt32
  /// The last block of the chain that is here; nil without one.
  package var have: UInt32?

  /// Returns whether a chain with this head has the block, judged by branch and index only.
  package func isCovered(by head: BundleHead) -> Bool {
    head.branch == branch && head.index >= index
  }
}

enum BundleFault {
  /// Runs `body`, and adds the name of the bundle to its errors.
  static func named<R>(_ name: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as BundleError { throw TransferError.bundle(name: name, error) }
  }
}
