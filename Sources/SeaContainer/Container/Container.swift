import SeaCore
import SeaSystem

/// Storage for the blocks of a database and for small files beside them. A container does not interpret the bytes.
///
/// Every kind of container keeps these promises, and one test suite checks them:
///
/// - **Whole.** Either all bytes of a block are stored under its index, or the block does not exist. An unfinished
///   block is never read as a block.
/// - **Permanent.** An existing block is never replaced by a different block, except by `empty`. Writing the same bytes
///   again changes nothing; writing other bytes fails with `differs`.
/// - **Durable.** When `create`, `writeBlocks`, `write` or `remove` returns, its effect survives a power failure.
/// - **Dumb.** A container reads only the first twelve bytes of a header (magic, mode, size, index). The limit of
///   64 MiB for a block is checked before any allocation. Callers verify signatures and whether blocks belong together.
/// - **Patient.** A block that is still arriving is `incomplete`, which is not an error. Unknown names are reported and
///   never touched.
/// - **Repeatable.** After any failure, the same call continues where it can and accepts completed parts.
///
/// Several readers and writers in several processes may use the same container at once. An object must be used by only
/// one thread.
package protocol Container: AssetSource {
  /// The location as shown to users.
  var location: String { get }

  /// The local folder of the container, if it is in one.
  var path: String? { get }

  /// Whether the container accepts only new files and never replaces or removes files.
  var isAppendOnly: Bool { get throws(ContainerError) }

  /// Reads the description of the container.
  /// - Throws: `notThere`, `notAContainer`, `badInfo`, `incompatible`.
  func info() throws(ContainerError) -> ContainerInfo

  /// Creates the container. Existing files are kept.
  /// - Throws: `exists` if there already is a container.
  func create(_ info: ContainerInfo) throws(ContainerError)

  func chains() throws(ContainerError) -> ChainListing

  /// Returns the greatest index of a chain for which an entry exists, or nil. The method reads no content, so the block
  /// may be incomplete.
  func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32?

  /// Returns the smallest index of a chain for which an entry exists, or nil. The number of lookups is the same for
  /// every index.
  func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32?

  /// Whether an entry exists for the block with that index.
  func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool

  /// Passes the blocks of a chain in order, from `index` on, while `body` returns true.
  ///
  /// The bytes are one complete block and valid only during the call. Only one block at a time is in memory.
  /// - Throws: errors of `body`, and `ContainerError`. A fault of one block is not thrown but returned as `ReadEnd`.
  func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd

  /// Writes consecutive blocks from `index` on, until `next` returns nil. Returns the number of blocks.
  ///
  /// All blocks are durable when this method returns. If the method throws, any of the blocks may be missing, but none
  /// is wrong.
  /// - Throws: errors of `next`, and `ContainerError`: `differs` if other bytes exist, `badBlock` for an invalid block.
  func writeBlocks(of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?) throws -> Int

  /// Packs every full leaf folder of a chain into one file and returns the number of new pack files.
  @discardableResult
  func fold(_ chain: BranchID) throws -> Int

  /// Returns the names of the small files in a folder, sorted. Skips other names, and reads only the first 100,000
  /// entries.
  func names(in folder: SmallFolder) throws(ContainerError) -> [String]

  /// Returns the content of a small file; nil if the file is missing. The caller checks the content against the name.
  /// - Throws: `badFile` for a name that the folder does not allow, or for more than 64 KiB.
  func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]?

  /// Writes a whole small file durably. An existing file is never replaced.
  /// - Throws: `badFile` as for reading, and if the file exists with other bytes.
  func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError)

  /// Removes a small file permanently, if it exists.
  /// - Throws: `badFile` for a name that the folder does not allow.
  func remove(_ name: String, in folder: SmallFolder) throws(ContainerError)

  /// Writes an asset file. The whole file is durable when this method returns, or the file does not exist.
  ///
  /// An existing file is never replaced. A file with the same size counts as identical. If an earlier call left an
  /// unfinished file, this call continues it as far as its bytes agree with `source`.
  /// - Parameters:
  ///   - size: the size in bytes, at most `AssetFile.largest`.
  ///   - source: fills the buffer from an offset with at least one byte and returns the number of bytes. The offsets
  ///     rise. After `WorthlessAsset`, nothing is kept for a later call.
  /// - Throws: errors of `source`, and `ContainerError`: `badAsset` for an existing file with another size, or if
  ///   `source` ends early.
  func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws

  /// Returns the entry with the name of an asset file, if any. Reads no content.
  func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry?

  /// Returns the names and sizes of a branch's files. Reads no content.
  func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey

  /// Returns the files outside of the layout, except those in the folders of branches and assets.
  func strays() throws(ContainerError) -> [Stray]

  /// Visits every regular file in any order, with any name and in any folder, even if there is no container.
  /// - Returns: the skipped entries, which are folders that are too deep, and names that are not text.
  func forEachFile(_ body: (Stray) throws -> Void) throws -> [String]

  /// Passes the leading blocks of a file outside of the layout, with any index, while `body` returns true. The bytes
  /// are valid only during the call.
  func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws

  /// Quarantines the file of a block, or the pack file that contains the block, by renaming it. The change is durable
  /// when this method returns. A missing file is ignored.
  func setAside(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError)

  func setAside(_ place: AssetPlace) throws(ContainerError)

  /// Replaces whole blocks with their purged forms, in single files and in pack files. The change is durable when this
  /// method returns. A block is replaced only after all its bytes were compared. All other bytes are unchanged.
  /// - Parameters:
  ///   - blocks: the blocks by index; several per index if the chain is forked.
  ///   - dryRun: whether to write nothing.
  func empty(
    _ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool
  ) throws -> EmptiedBlocks

  /// Removes a file outside of the layout permanently. The change is durable when this method returns.
  func removeStray(_ path: String) throws(ContainerError)

  /// Writes the description of the container again if it is missing or unreadable. An unreadable description is
  /// quarantined.
  func restore(_ info: ContainerInfo) throws(ContainerError)

  /// Makes existing files of all writers durable.
  /// - Parameter deep: whether to include all files, or only the existence of the container.
  func makeDurable(deep: Bool) throws(ContainerError)

  /// Marks the container as being written to. Returns nil if this kind of container needs no mark from this process.
  func mark() throws(ContainerError) -> WritingMark?

  /// Removes a branch permanently from an index on. If no block is left, also removes other files beside the blocks.
  /// - Returns: the number of blocks, counted by their names.
  func drop(_ chain: BranchID, from index: UInt32) throws -> Int

  /// Removes asset files permanently. The change is durable when this method returns. Missing files are ignored.
  func removeAssets(_ places: [AssetPlace]) throws(ContainerError)

  /// Whether the description of the container may still be arriving. Either there is a placeholder for it, or existing
  /// files have changed since `time`, in milliseconds since 1970.
  func isArriving(since time: Int64) throws(ContainerError) -> Bool

  /// Returns the descriptions in other files at the top, such as a file that a cloud client has renamed.
  func infoCopies() throws(ContainerError) -> [ContainerInfo]

  /// Removes temporary files that stopped writers left more than an hour ago, beside small files, assets and the
  /// description of the container. Files that cannot be removed now are removed by a later call.
  func removeOldTemporaries() throws(ContainerError)

  func foreignFiles() throws(ContainerError) -> ForeignFiles

  // MARK: Expensive listings

  /// Returns the summary files by name. Returns nil if listing everything is not more expensive, or if the files are
  /// unavailable.
  /// - Parameter first: whether to list nothing else until a later request.
  func listHints(first: Bool) throws(ContainerError) -> [String: HintEntry]?

  /// Limits the listing to the new blocks of some chains and to some folders of small files, until `forget` is called.
  /// All other names are then unknown. If everything is listed already, the method has no effect.
  func narrow(to news: [ChainNews], _ small: [SmallFolder]) throws(ContainerError)

  /// Discards the listing, so that the next request lists again.
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
  /// The blocks that still exist, with the reason. With `dryRun`, the reason is empty.
  package var kept: [UInt32: String] = [:]

  static let unreadable = "its pack is incomplete"

  package init() {}
}

/// New blocks of a chain, as reported by another instance.
package struct ChainNews: Equatable, Sendable {
  package let branch: BranchID
  /// The blocks, which are in single files if there are few; nil if the folder must be listed.
  package let blocks: ClosedRange<UInt32>?

  package init(_ branch: BranchID, _ blocks: ClosedRange<UInt32>?) { (self.branch, self.blocks) = (branch, blocks) }
}

package struct HintEntry: Equatable, Sendable {
  package var size: Int64
  /// The time of the last change, in milliseconds by the clock of the container; 0 if unknown.
  package var changed: Int64
}

package enum AssetEntry: Equatable, Sendable {
  /// A file, with the time of its last change by the clock of the container. The time is only a hint, and 0 if unknown.
  case file(size: Int64, changed: Int64)
  /// A placeholder of a cloud client for a file that has not arrived yet.
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
  /// There is no block from `next` on.
  case end(next: UInt32)
  /// `body` returned false. The block `next` was not passed to `body`.
  case stopped(next: UInt32)
  /// The block at `index` is still arriving: `have` bytes of `want` (80 until its header is complete).
  case incomplete(index: UInt32, have: Int, want: Int)
  case damaged(index: UInt32, BlockFault)
  /// The block at `index` is missing, but there are blocks up to `later`.
  case gap(index: UInt32, later: UInt32)
}
