import SeaContainer
import SeaCore

/// What keeps a bundle from being written or read, as facts.
package enum TransferError: Error, Equatable {
  /// Something about the file itself; nothing of it was taken in.
  case bundle(name: String, BundleError)
  /// The bundle is of another database, or holds another type of content.
  case mismatch(name: String, KitError.ContainerField, have: String, want: String)
  /// Blocks that have to be here first.
  case baseMissing(name: String, [MissingBase])
  /// The file is whole, and a chain in it does not verify; nothing of it was taken in.
  case problem(name: String, Problem)
  /// A file in it is not the content that records say is there; nothing of it was taken in.
  case badAsset(name: String, place: String)
  /// A bundle says to be larger than is taken in.
  case tooLarge(name: String, size: Int64, most: Int64)
  /// A folder in which there is no bundle.
  case noBundles(path: String)
  /// An exchange folder that was used before, and that is missing or empty now.
  case exchangeGone(String)
  /// Bundles of several databases lie in a folder from which one is to be made.
  case severalDatabases(path: String)
  /// What is to say where an export starts is neither a bundle, nor heads, nor a moment.
  case badStart(String)
}

/// A block that a bundle starts behind and that is not here.
package struct MissingBase: Sendable, Equatable {
  package var branch: BranchID
  package var chain: String { branch.description }
  /// The instance's name; empty if it is not known.
  package var name: String
  package var index: UInt32
  /// The last one that is here of the chain; nil for none.
  package var have: UInt32?

  /// Whether a chain that ends there has it, as far as names tell.
  package func isCovered(by head: BundleHead) -> Bool {
    head.branch == branch && head.index >= index
  }
}

enum BundleFault {
  /// Runs what works on a bundle; what is wrong with the bundle is told with its name.
  static func named<R>(_ name: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as BundleError { throw TransferError.bundle(name: name, error) }
  }
}
