import SeaCore
import SeaSystem

/// Storage for the blocks of a database, and for the small files that go with them. A container does not interpret the
/// bytes.
///
/// Every kind of container keeps these promises, and one test suite checks them:
///
/// - **Whole.** Either all bytes of a block are stored under its index, or the block does not exist. An unfinished
///   block is never read as a block.
/// - **Permanent.** An existing block is never replaced with a different block, except by `empty`. Writing the same
///   bytes again changes nothing; writing other bytes fails with `differs`.
/// - **Durable.** When `create`, `writeBlocks`, `write` or `remove` returns, its effect survives a power failure.
/// - **Dumb.** A container reads only the first twelve bytes of a header (magic, mode, size, index). The block size
///   limit of 64 MiB is checked before memory is allocated. Callers verify signatures and check whether blocks belong
///   together.
/// - **Patient.** A block that is still arriving is reported as `incomplete`, which is not an error. Unknown names are
///   reported and never touched.
/// - **Repeatable.** After any failure, the same call can be repeated; it accepts the completed parts and continues
///   with the rest.
///
/// Any number of readers and writers in several processes can use the same container at once, but each object must be
/// used by only one thread.
package protocol Container: AssetSource {
  var location: String { get }

  /// The local folder of the container, if it is in one.
  var path: String? { get }

  /// Whether the container accepts only new files and never replaces or removes files.
  var isAppendOnly: Bool { get throws(ContainerError) }

  /// Reads the description of the container.
  /// - Throws: `missing`, `notAContainer`, `badInfo` or `incompatible`.
  func info() throws(ContainerError) -> ContainerInfo

  /// Creates the container. Existing files are kept.
  /// - Throws: `exists` if there is already a container.
  func create(_ info: ContainerInfo) throws(ContainerError)

  func chains() throws(ContainerError) -> ChainListing

  /// Returns the greatest index of a chain for which an entry exists, if any. No content is read, so the block may be
  /// incomplete.
  func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32?

  /// Returns the smallest index of a chain for which an entry exists, or nil. The number of lookups does not depend on
  /// the index.
  func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32?

  func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool

  /// Passes the blocks of a chain to `body` in order, starting at `index`, as long as `body` returns true.
  ///
  /// The bytes are one complete block, and are valid only during the call. Only one block at a time is in memory.
  /// - Throws: errors of `body`, and `ContainerError`. Errors in a single block are returned as `ReadEnd`.
  func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd

  /// Writes consecutive blocks, starting at `index`, until `next` returns nil. Returns the number of blocks.
  ///
  /// All blocks are durable when this method returns. If the method throws, any of the blocks may be missing, but no
  /// invalid block has been written.
  /// - Throws: errors of `next`, and `ContainerError`: `differs` if other bytes exist, `badBlock` for an invalid block.
  func writeBlocks(of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?) throws -> Int

  /// Packs every full leaf folder of a chain into one file and returns the number of new pack files.
  @discardableResult
  func fold(_ chain: BranchID) throws -> Int

  /// Returns the names of the small files in a folder, sorted. Other names are skipped, and only the first 100,000
  /// entries are read.
  func names(in folder: SmallFolder) throws(ContainerError) -> [String]

  /// Returns the content of a small file; nil if the file is missing. The caller checks the content against the name.
  /// - Throws: `badFile` if the folder does not allow the name, or if the file is larger than 64 KiB.
  func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]?

  /// Durably writes a complete small file. An existing file is never replaced.
  /// - Throws: `badFile` in the same cases as for reading, and if the file exists with different content.
  func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError)

  /// Removes a small file permanently, if it exists.
  /// - Throws: `badFile` if the folder does not allow the name.
  func remove(_ name: String, in folder: SmallFolder) throws(ContainerError)

  /// Writes an asset file. When this method returns, the whole file is durable; if it throws, the file does not exist.
  ///
  /// An existing file is never replaced. A file of the same size counts as identical. If an earlier call left an
  /// unfinished file, this call keeps the bytes that agree with `source` and continues from there.
  /// - Parameters:
  ///   - size: the size in bytes, at most `AssetFile.largest`.
  /// - source: fills the buffer with at least one byte from a given offset, and returns the number of bytes. Offsets
  /// only increase. If `source` throws `InvalidAssetContent`, nothing is kept for a later call.
  /// - Throws: errors of `source`, and `ContainerError`: `badAsset` if the file exists with a different size, or if
  ///   `source` ends prematurely.
  func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws

  /// Returns the entry that has the name of an asset file, if there is one. No content is read.
  func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry?

  /// Returns the names and sizes of a branch's files. No content is read.
  func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey

  /// Returns the files outside of the layout, except those in the folders for branches and assets.
  func strays() throws(ContainerError) -> [UnknownFile]

  /// Visits all regular files in any order, regardless of name and folder, even if there is no container.
  /// - Returns: the skipped entries, which are folders nested too deeply and names that are not valid text.
  func forEachFile(_ body: (UnknownFile) throws -> Void) throws -> [String]

  /// Passes the leading blocks of a file outside of the layout, whatever their indices, as long as `body` returns true.
  /// The bytes are valid only during the call.
  func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws

  /// Quarantines the file of a block, or the pack file that contains the block, by renaming it. The change is durable
  /// when this method returns. If the file is missing, nothing happens.
  func quarantine(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError)

  func quarantine(_ place: AssetPlace) throws(ContainerError)

  /// Replaces complete blocks with their purged forms, in single files and in pack files. The change is durable when
  /// this method returns. A block is replaced only after all of its bytes have been compared. All other bytes remain
  /// unchanged.
  /// - Parameters:
  /// - blocks: the blocks, keyed by index. If the chain is forked, there can be several per index.
  /// - dryRun: whether to only report what would be done.
  func empty(
    _ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool
  ) throws -> EmptiedBlocks

  /// Permanently removes a file outside of the layout. The change is durable when this method returns.
  func removeStray(_ path: String) throws(ContainerError)

  /// Rewrites the description of the container if it is missing or unreadable. An unreadable description is
  /// quarantined.
  func restore(_ info: ContainerInfo) throws(ContainerError)

  /// Makes all writers' existing files durable.
  /// - Parameter deep: whether to make all files durable, rather than only the existence of the container.
  func makeDurable(deep: Bool) throws(ContainerError)

  /// Marks the container as being written to. Returns nil if this kind of container needs no mark from this process.
  func mark() throws(ContainerError) -> WritingMark?

  /// Permanently removes a branch from an index on. If no block is left, other files next to them are also removed.
  /// - Returns: the number of removed blocks, judging by file names.
  func drop(_ chain: BranchID, from index: UInt32) throws -> Int

  /// Permanently removes asset files. The change is durable when this method returns. Missing files are ignored.
  func removeAssets(_ places: [AssetPlace]) throws(ContainerError)

  /// Whether the description of the container may still be arriving. This is the case if there is a placeholder for it,
  /// or if existing files have changed since `time`, in milliseconds since 1970.
  func isIncomplete(since time: Int64) throws(ContainerError) -> Bool

  /// Returns container descriptions found in other top-level files, such as a file that a cloud client has renamed.
  func infoCopies() throws(ContainerError) -> [ContainerInfo]

  /// Removes temporary files that interrupted writers left behind more than an hour ago, next to small files, assets
  /// and the description of the container. Files that cannot be removed now are removed by a later call.
  func removeOldTemporaries() throws(ContainerError)

  func foreignFiles() throws(ContainerError) -> ForeignFiles

  // MARK: Expensive listings

  /// Returns the summary files, keyed by name. Returns nil if listing everything is no more expensive, or if the files
  /// are unavailable.
  /// - Parameter first: whether to list only these files until a later request.
  func listHints(first: Bool) throws(ContainerError) -> [String: HintEntry]?

  /// Limits the listing to the new blocks of some chains and to some folders of small files until `forget` is called.
  /// All other names remain unknown until then. If everything has already been listed, this method has no effect.
  func narrow(to news: [ChainNews], _ small: [SmallFolder]) throws(ContainerError)

  /// Discards the listing, so that the next request lists the files again.
  func forget()

  /// The number of changes made through this object, for remote containers.
  var changes: Int { get }
}

extension Container {
  package var path: String? { nil }
  package var isAppendOnly: Bool { false }
  package var changes: Int { 0 }
  package func mark() -> WritingMark? { nil }
  package func makeDurable(deep: Bool) throws(ContainerError) {}
  package func listHints(first: Bool) -> [String: HintEntry]? { nil }
  package func narrow(to news: [ChainNews], _ small: [SmallFolder]) {}
  package func forget() {}
}

package struct EmptiedBlocks: Equatable, Sendable {
  package var emptied: Set<UInt32> = []
  /// The blocks that still exist, each with the reason. With `dryRun`, the reason is empty.
  package var kept: [UInt32: String] = [:]

  static let unreadable = "its pack is incomplete"

  package init() {}
}

/// The new blocks of a chain that another instance has reported.
package struct ChainNews: Equatable, Sendable {
  package let branch: BranchID
  /// The range of the blocks, which are in single files if there are few of them; nil if the folder must be listed.
  package let blocks: ClosedRange<UInt32>?

  package init(_ branch: BranchID, _ blocks: ClosedRange<UInt32>?) { (self.branch, self.blocks) = (branch, blocks) }
}

package struct HintEntry: Equatable, Sendable {
  package var size: Int64
  /// The time of the last change, in milliseconds according to the container's clock; 0 if unknown.
  package var changed: Int64
}

package enum AssetEntry: Equatable, Sendable {
  /// A file, with the time of its last change according to the container's clock. The time is a hint, and is 0 if
  /// unknown.
  case file(size: Int64, changed: Int64)
  /// A cloud client's placeholder for a file that has not arrived yet.
  case promised
  case other
}

package struct ChainListing: Equatable, Sendable {
  package var chains: [BranchID] = []
  package var foreign: [String] = []
  /// Whether there is a placeholder for the folder of all chains.
  package var isPromised = false
  /// Whether there is a placeholder for the folder of all assets.
  package var areAssetsPromised = false

  package init(chains: [BranchID] = [], foreign: [String] = []) {
    self.chains = chains
    self.foreign = foreign
  }
}

package enum ReadEnd: Equatable, Sendable {
  case end(next: UInt32)
  /// `body` returned false. The block `next` was not passed to `body`.
  case stopped(next: UInt32)
  /// The block at `index` is still arriving: `have` of `want` bytes are available. `want` is 80 until the header is
  /// complete.
  case incomplete(index: UInt32, have: Int, want: Int)
  case damaged(index: UInt32, BlockFault)
  /// The block at `index` is missing, but there are blocks up to `later`.
  case gap(index: UInt32, later: UInt32)
}
