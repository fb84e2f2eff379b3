import SeaCore
import SeaSystem

/// A dumb place for the blocks of a database, and for small files beside them: it keeps bytes and understands none.
///
/// What every kind promises, and one suite of tests holds all of them to:
///
/// - **Whole.** A block is there under its index with all its bytes or it is not there. What a writer has not finished
///   is never read as a block.
/// - **For ever.** A block that is there is never replaced by another one, but for `empty`. Writing the same bytes again
///   changes nothing; writing others is refused with `differs`.
/// - **Durable.** When `create`, `writeBlocks`, `write` or `remove` has returned, what it did survives a loss of power.
/// - **Dumb.** Only the first twelve bytes of a header are looked at (magic, mode, size, index), and the limit of
///   64 MiB for a block is held before anything is allocated. Whether blocks belong together and who signed them is for
///   others to verify.
/// - **Patient.** A block that is still arriving is `incomplete` and no error. Unknown names are never touched,
///   only told.
/// - **Repeatable.** After any failure the same call again goes on where it can; what it finds done it takes as done.
///
/// Several readers and writers may use the same place at once, from several processes; an object belongs to one thread.
package protocol Container: AssetSource {
  /// For people.
  var location: String { get }

  /// The folder that the container is, where it is one on this device.
  var path: String? { get }

  /// Whether the place takes only what is new: nothing that is there is ever replaced or removed.
  var isAppendOnly: Bool { get throws(ContainerError) }

  /// What the container says about itself.
  /// - Throws: `notThere`, `notAContainer`, `badInfo`, `incompatible`.
  func info() throws(ContainerError) -> ContainerInfo

  /// Makes the container. What already lies in the place stays there.
  /// - Throws: `exists` if a container is there.
  func create(_ info: ContainerInfo) throws(ContainerError)

  /// The chains, in order.
  func chains() throws(ContainerError) -> ChainListing

  /// The greatest index that the container names for a chain, nil if none. Names are looked at, not contents: the
  /// block may not be whole yet.
  func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32?

  /// The smallest index that the container names for a chain, by names likewise, in as many looks: a far name costs no more
  /// than a near one.
  func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32?

  /// Whether the container names a block for that index.
  func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool

  /// Hands over the blocks of a chain in order, from `index` on, as long as `body` says true.
  ///
  /// The bytes are one complete block and valid only during the call. Memory holds one block at a time.
  /// - Throws: what `body` throws, and `ContainerError`. What is wrong with one block is no error but the `ReadEnd`.
  func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd

  /// Writes consecutive blocks, the first at `index`, until `next` has no more, and returns how many there were.
  ///
  /// Everything is durable when this returns; when it throws, nothing is known about the blocks taken so far but that
  /// no wrong one is there.
  /// - Throws: what `next` throws, and `ContainerError`: `differs` where other bytes are in the way, `badBlock` for
  ///   bytes that are no block for their index.
  func writeBlocks(of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?) throws -> Int

  /// Turns every full leaf folder of a chain into one file, and returns how many. Content stays what it is.
  @discardableResult
  func fold(_ chain: BranchID) throws -> Int

  /// The names of the small files of a folder, in order. Others are passed over, and only the first 100,000 entries of
  /// the folder are looked at.
  func names(in folder: SmallFolder) throws(ContainerError) -> [String]

  /// The content of a small file; nil if it is not there. Whether it is what its name says is for others to verify.
  /// - Throws: `badFile` for a name that the folder cannot have and for more than 64 KiB.
  func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]?

  /// Writes a small file, whole and durable. What is there is never replaced.
  /// - Throws: `badFile`: as for reading, and if the file is there with other bytes.
  func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError)

  /// Takes a small file away for good. Nothing happens if it is not there.
  /// - Throws: `badFile` for a name that the folder cannot have.
  func remove(_ name: String, in folder: SmallFolder) throws(ContainerError)

  /// Writes a file of assets: whole and durable when this returns, or not there.
  ///
  /// A file that is there is never replaced; one of the same size is taken for the same. What an earlier call has left
  /// unfinished is gone on with, as far as it is what `source` gives.
  /// - Parameters:
  ///   - size: in bytes, at most `AssetFile.largest`.
  ///   - source: fills the buffer from an offset, at least one byte, and says with how many; offsets rise. After
  ///     `WorthlessAsset` nothing is kept for a later call.
  /// - Throws: what `source` throws, and `ContainerError`: `badAsset` if a file of another size is there, or if `source`
  ///   has fewer bytes.
  func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws

  /// What stands in the place of a file of assets, by name and size; nil if nothing does.
  func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry?

  /// What the names and sizes in the container say of a branch: nothing is read.
  func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey

  /// Files without a place outside of the folders of branches and of the assets of instances.
  func strays() throws(ContainerError) -> [Stray]

  /// Visits every regular file in no order, wherever it lies and whatever it is called, also where the container has no folder.
  /// - Returns: what could not be looked at: folders that lie too deep, and names that are no text.
  func forEachFile(_ body: (Stray) throws -> Void) throws -> [String]

  /// Hands over the blocks that a file without a place begins with, one after the other, whatever their index, as long as
  /// `body` says true. The bytes are valid only during the call.
  func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws

  /// Gives what stands in the place of a block, or of the folded file that the block belongs in, a name that says that it
  /// was damaged; durable when this returns. Nothing happens if nothing is there.
  func setAside(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError)

  /// The same for a file of assets.
  func setAside(_ place: AssetPlace) throws(ContainerError)

  /// Puts removed blocks in the place of the whole ones that they are left of, be these in files of their own or in packs; durable when
  /// this returns. A block is replaced only after all its bytes were compared. Everything else stays as it is, byte for byte.
  /// - Parameters:
  ///   - blocks: by index; several where the chain has forked.
  ///   - dryRun: nothing is written.
  func empty(
    _ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool
  ) throws -> EmptiedBlocks

  /// Takes a file without a place away for good, durable when this returns.
  func removeStray(_ path: String) throws(ContainerError)

  /// Writes what the container says about itself again where that is gone or cannot be read; what stands there is set aside.
  func restore(_ info: ContainerInfo) throws(ContainerError)

  /// Makes what is there survive a loss of power, whoever has put it there.
  /// - Parameter deep: everything; else that there is a container.
  func makeDurable(deep: Bool) throws(ContainerError)

  /// Notes that somebody writes here, for a writer that has no other place to note it; nil where nothing outlives the process.
  func mark() throws(ContainerError) -> WritingMark?

  /// Takes a branch away from an index on, for good: blocks, and everything else that lies beside them if nothing of it stays.
  /// - Returns: how many names of blocks there were.
  func drop(_ chain: BranchID, from index: UInt32) throws -> Int

  /// Takes files of assets away for good, durable when this returns. Nothing happens to those that are not there.
  func removeAssets(_ places: [AssetPlace]) throws(ContainerError)

  /// Whether what the container says about itself is not whole and may be on its way: a placeholder stands for it, or what is
  /// there has changed since a moment, milliseconds since 1970.
  func isArriving(since time: Int64) throws(ContainerError) -> Bool

  /// What other files at the top say about a container, as one that a cloud client has renamed.
  func infoCopies() throws(ContainerError) -> [ContainerInfo]

  /// Takes away what writers that were stopped have left in the making, older than an hour, beside small files, assets and what the
  /// container says of itself. What cannot be removed now is removed by a later one.
  func removeOldTemporaries() throws(ContainerError)

  /// Every name that the layout does not know.
  func foreignFiles() throws(ContainerError) -> ForeignFiles

  // MARK: Where listing everything is dear

  /// The hints by their names, where listing everything costs more than that; nil elsewhere, and if they cannot be had.
  /// - Parameter first: nothing else is listed then before somebody asks for it.
  func listHints(first: Bool) throws(ContainerError) -> [String: HintEntry]?

  /// Lists, in the place of everything, what is new in some chains, and these folders of small files, until `forget`. Of what else is there
  /// nothing is known then. Not where everything is listed already.
  func narrow(to news: [ChainNews], _ small: [SmallFolder]) throws(ContainerError)

  /// Has what there is listed again when it is asked for.
  func forget()

  /// How often something was changed through this object, where that is counted: in what is far.
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

/// What became of the whole blocks that removed ones were to take the place of.
package struct EmptiedBlocks: Equatable, Sendable {
  package var emptied: Set<UInt32> = []
  /// Those that are there still, and why; with `dryRun` no reason is given.
  package var kept: [UInt32: String] = [:]

  static let unreadable = "its pack cannot be read to the end"

  package init() {}
}

/// What somebody says that is new in a chain.
package struct ChainNews: Equatable, Sendable {
  package let branch: BranchID
  /// The blocks, each in a file of its own if they are few; nil if the folder is to be looked at.
  package let blocks: ClosedRange<UInt32>?

  package init(_ branch: BranchID, _ blocks: ClosedRange<UInt32>?) { (self.branch, self.blocks) = (branch, blocks) }
}

/// A hint as a place lists it.
package struct HintEntry: Equatable, Sendable {
  package var size: Int64
  /// When it was last changed, in milliseconds by the clock of the place, 0 where nobody knows.
  package var changed: Int64
}

/// What stands in the place of a file of assets.
package enum AssetEntry: Equatable, Sendable {
  /// A file; when it was last changed, by the clock of the place: a hint, 0 where that is not told.
  case file(size: Int64, changed: Int64)
  /// The name that a cloud client gives to what it is still to bring.
  case promised
  /// No regular file.
  case other
}

package struct ChainListing: Equatable, Sendable {
  package var chains: [BranchID] = []
  /// Names beside the chains that are none.
  package var foreign: [String] = []
  /// Whether a placeholder stands for the folder of all of them.
  package var isPromised = false
  /// Whether one stands for the folder of all assets, and that is not there.
  package var areAssetsPromised = false

  package init(chains: [BranchID] = [], foreign: [String] = []) {
    self.chains = chains
    self.foreign = foreign
  }
}

/// Why reading a chain came to its end.
package enum ReadEnd: Equatable, Sendable {
  /// The container holds nothing from `next` on.
  case end(next: UInt32)
  /// `body` had enough; `next` was not handed over.
  case stopped(next: UInt32)
  /// The block at `index` is still arriving: `have` bytes of `want` (80 while its header is not there).
  case incomplete(index: UInt32, have: Int, want: Int)
  /// What is there at `index` is no block for that place.
  case damaged(index: UInt32, BlockFault)
  /// Nothing at `index`, but blocks up to `later`.
  case gap(index: UInt32, later: UInt32)
}
