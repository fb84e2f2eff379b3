import SeaCore
import SeaSystem

/// Storage for the blocks of a database and for small files beside them. It does not interpret the bytes.
///
/// Every kind of container keeps these promises, and one test suite checks them:
///
/// - **Whole.** A block is there under its index with all its bytes or it is not there. An unfinished block is never
///   read as a block.
/// - **Permanent.** An existing block is never replaced by another one, except by `empty`. Writing the same bytes again
///   changes nothing; writing other bytes fails with `differs`.
/// - **Durable.** When `create`, `writeBlocks`, `write` or `remove` returns, its effect survives a power failure.
/// - **Dumb.** It reads only the first twelve bytes of a header (magic, mode, size, index), and checks the limit of
///   64 MiB for a block before any allocation. Callers verify whether blocks belong together and who signed them.
/// - **Patient.** A block that is still arriving is `incomplete`, which is not an error. Unknown names are reported and
///   never touched.
/// - **Repeatable.** After any failure, the same call continues where it can and accepts completed parts.
///
/// Several readers and writers may use the same container at once, from several processes. An object belongs to one
/// thread.
package protocol Container: AssetSource {
  /// The location as shown to users.
  var location: String { get }

  /// The local folder of the container, if it is one.
  var path: String? { get }

  /// Whether the container accepts only new files and never replaces or removes any.
  var isAppendOnly: Bool { get throws(ContainerError) }

  /// Reads the description of the container.
  /// - Throws: `notThere`, `notAContainer`, `badInfo`, `incompatible`.
  func info() throws(ContainerError) -> ContainerInfo

  /// Creates the container. Existing files stay.
  /// - Throws: `exists` if there is a container already.
  func create(_ info: ContainerInfo) throws(ContainerError)

  /// The chains, sorted.
  func chains() throws(ContainerError) -> ChainListing

  /// The greatest index of a chain by name; nil if there are no names. It reads no content, so the block may be
  /// incomplete.
  func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32?

  /// The smallest index of a chain by name, like `lastIndex`, with as many lookups for any index.
  func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32?

  /// Whether there is a name for the block of that index.
  func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool

  /// Passes the blocks of a chain in order, from `index` on, while `body` returns true.
  ///
  /// The bytes are one complete block and valid only during the call. Memory holds one block at a time.
  /// - Throws: Errors of `body`, and `ContainerError`. A fault of one block is not thrown but returned as `ReadEnd`.
  func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd

  /// Writes consecutive blocks, the first at `index`, until `next` returns nil. Returns their number.
  ///
  /// Everything is durable when this returns. If it throws, any of the blocks may be missing, but no wrong one is
  /// there.
  /// - Throws: Errors of `next`, and `ContainerError`: `differs` if there are other bytes, `badBlock` for an invalid
  ///   block.
  func writeBlocks(of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?) throws -> Int

  /// Packs every full leaf folder of a chain into one file and returns their number. The content stays the same.
  @discardableResult
  func fold(_ chain: BranchID) throws -> Int

  /// The names of the small files of a folder, sorted. Skips other names, and reads only the first 100,000 entries.
  func names(in folder: SmallFolder) throws(ContainerError) -> [String]

  /// The content of a small file; nil if it is missing. The caller checks it against its name.
  /// - Throws: `badFile` for a name that the folder does not allow, or for more than 64 KiB.
  func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]?

  /// Writes a small file, whole and durable. An existing file is never replaced.
  /// - Throws: `badFile` as for reading, and if the file exists with other bytes.
  func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError)

  /// Removes a small file permanently, if it exists.
  /// - Throws: `badFile` for a name that the folder does not allow.
  func remove(_ name: String, in folder: SmallFolder) throws(ContainerError)

  /// Writes an asset file: whole and durable when this returns, or not at all.
  ///
  /// An existing file is never replaced; one of the same size is taken for the same. The call continues an unfinished
  /// file of an earlier call as far as it agrees with `source`.
  /// - Parameters:
  ///   - size: in bytes, at most `AssetFile.largest`.
  ///   - source: fills the buffer from an offset with at least one byte and returns the number; offsets rise. After
  ///     `WorthlessAsset`, nothing is kept for a later call.
  /// - Throws: Errors of `source`, and `ContainerError`: `badAsset` for an existing file of another size, or if
  ///   `source` ends early.
  func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws

  /// The entry at the place of an asset file, by name and size, if any.
  func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry?

  /// Returns the names and sizes of a branch's files. Reads no content.
  func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey

  /// Files outside of the layout that are not in folders of branches or instances' assets.
  func strays() throws(ContainerError) -> [Stray]

  /// Visits every regular file in any order, with any name and in any folder, even if there is no container.
  /// - Returns: skipped entries: folders that are too deep, and names that are not text.
  func forEachFile(_ body: (Stray) throws -> Void) throws -> [String]

  /// Passes the leading blocks of a file outside of the layout, with any index, while `body` returns true. The bytes
  /// are valid only during the call.
  func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws

  /// Quarantines the file of a block, or the pack file that the block belongs to, by renaming it. The change is durable
  /// when this returns. A missing file is ignored.
  func setAside(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError)

  /// Quarantines an asset file in the same way.
  func setAside(_ place: AssetPlace) throws(ContainerError)

  /// Replaces whole blocks by their purged forms, in single files and in packs; durable when this returns. A block is
  /// replaced only after all its bytes were compared. All other bytes stay the same.
  /// - Parameters:
  ///   - blocks: by index; several if the chain is forked.
  ///   - dryRun: whether to write nothing.
  func empty(
    _ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool
  ) throws -> EmptiedBlocks

  /// Removes a file outside of the layout permanently; durable when this returns.
  func removeStray(_ path: String) throws(ContainerError)

  /// Writes the description of the container again if it is missing or unreadable. An unreadable one is quarantined.
  func restore(_ info: ContainerInfo) throws(ContainerError)

  /// Makes existing files of all writers durable.
  /// - Parameter deep: whether to include all files, or only the existence of the container.
  func makeDurable(deep: Bool) throws(ContainerError)

  /// Marks this container as being written to, if the mark has no other place; nil if nothing outlives the process.
  func mark() throws(ContainerError) -> WritingMark?

  /// Removes a branch permanently from an index on. If no block stays, it also removes other files beside them.
  /// - Returns: the number of blocks by name.
  func drop(_ chain: BranchID, from index: UInt32) throws -> Int

  /// Removes asset files permanently; durable when this returns. Missing files are ignored.
  func removeAssets(_ places: [AssetPlace]) throws(ContainerError)

  /// Whether the description of the container is incomplete but may be arriving: it has a placeholder, or existing
  /// files changed since a time in milliseconds since 1970.
  func isArriving(since time: Int64) throws(ContainerError) -> Bool

  /// Descriptions in other files at the top, such as a file that a cloud client has renamed.
  func infoCopies() throws(ContainerError) -> [ContainerInfo]

  /// Removes temporary files of stopped writers, older than an hour, beside small files, assets and the description of
  /// the container. Files that cannot be removed now stay until a later call.
  func removeOldTemporaries() throws(ContainerError)

  /// All names outside of the layout.
  func foreignFiles() throws(ContainerError) -> ForeignFiles

  // MARK: Where listing everything is expensive

  /// The summary files by name, if listing everything is more expensive; nil otherwise, and if they are unavailable.
  /// - Parameter first: whether to list nothing else until a later request.
  func listHints(first: Bool) throws(ContainerError) -> [String: HintEntry]?

  /// Lists, instead of everything, only the new blocks of some chains and these folders of small files, until `forget`.
  /// The rest is then unknown. Has no effect if everything is listed already.
  func narrow(to news: [ChainNews], _ small: [SmallFolder]) throws(ContainerError)

  /// Discards the listing; the next request lists again.
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

/// The result of replacing whole blocks by their purged forms.
package struct EmptiedBlocks: Equatable, Sendable {
  package var emptied: Set<UInt32> = []
  /// The blocks still present, with the reason; with `dryRun` the reason is empty.
  package var kept: [UInt32: String] = [:]

  static let unreadable = "its pack is incomplete"

  package init() {}
}

/// The news about a chain as reported by another instance.
package struct ChainNews: Equatable, Sendable {
  package let branch: BranchID
  /// The blocks, in single files if there are few; nil if the folder must be listed.
  package let blocks: ClosedRange<UInt32>?

  package init(_ branch: BranchID, _ blocks: ClosedRange<UInt32>?) { (self.branch, self.blocks) = (branch, blocks) }
}

/// A summary file in a listing.
package struct HintEntry: Equatable, Sendable {
  package var size: Int64
  /// The time of the last change, in milliseconds by the clock of the container; 0 if unknown.
  package var changed: Int64
}

/// The entry at the place of an asset file.
package enum AssetEntry: Equatable, Sendable {
  /// A file and its last change by the clock of the container, which is a hint, or 0.
  case file(size: Int64, changed: Int64)
  /// A placeholder of a cloud client for a file still to come.
  case promised
  /// Not a regular file.
  case other
}

package struct ChainListing: Equatable, Sendable {
  package var chains: [BranchID] = []
  /// Names in the folder that are not chains.
  package var foreign: [String] = []
  /// Whether there is a placeholder for the folder of all chains.
  package var isPromised = false
  /// Whether there is a placeholder instead of the folder of all assets.
  package var areAssetsPromised = false

  package init(chains: [BranchID] = [], foreign: [String] = []) {
    self.chains = chains
    self.foreign = foreign
  }
}

/// The reason why reading a chain ended.
package enum ReadEnd: Equatable, Sendable {
  /// There is no block from `next` on.
  case end(next: UInt32)
  /// `body` returned false; `next` was not passed.
  case stopped(next: UInt32)
  /// The block at `index` is still arriving: `have` bytes of `want` (80 until its header is complete).
  case incomplete(index: UInt32, have: Int, want: Int)
  /// The data at `index` is not a valid block.
  case damaged(index: UInt32, BlockFault)
  /// The block at `index` is missing, but there are blocks up to `later`.
  case gap(index: UInt32, later: UInt32)
}
