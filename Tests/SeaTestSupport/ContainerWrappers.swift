import SeaContainer
import SeaCore
import SeaSystem

/// A container that forwards every call. Subclasses override the calls that they change.
package class PassingContainer: Container {
  package let inner: any Container
  /// Kept alive as long as the container, for example the container's folder.
  private let kept: AnyObject?

  package init(_ inner: any Container, keeping kept: AnyObject? = nil) {
    self.inner = inner
    self.kept = kept
  }

  /// Called before every forwarded call, with the call's name.
  func enter(_ call: String) throws(ContainerError) {}

  package var location: String { inner.location }
  package var isFar: Bool { inner.isFar }
  package var isAppendOnly: Bool { get throws(ContainerError) { try inner.isAppendOnly } }

  package func info() throws(ContainerError) -> ContainerInfo {
    try enter("info")
    return try inner.info()
  }

  package func create(_ info: ContainerInfo) throws(ContainerError) {
    try enter("create")
    try inner.create(info)
  }

  package func chains() throws(ContainerError) -> ChainListing {
    try enter("chains")
    return try inner.chains()
  }

  package func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32? {
    try enter("lastIndex")
    return try inner.lastIndex(of: chain)
  }

  package func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32? {
    try enter("firstIndex")
    return try inner.firstIndex(of: chain)
  }

  package func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool {
    try enter("has")
    return try inner.has(chain, index)
  }

  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    try enter("readBlocks")
    return try inner.readBlocks(of: chain, from: index, body)
  }

  package func writeBlocks(
    of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    try enter("writeBlocks")
    return try inner.writeBlocks(of: chain, from: index, next)
  }

  @discardableResult
  package func fold(_ chain: BranchID) throws -> Int {
    try enter("fold")
    return try inner.fold(chain)
  }

  package func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry? {
    try enter("assetEntry")
    return try inner.assetEntry(place)
  }

  package func forEachFile(_ body: (UnknownFile) throws -> Void) throws -> [String] {
    try enter("forEachFile")
    return try inner.forEachFile(body)
  }

  package func names(in folder: SmallFolder) throws(ContainerError) -> [String] {
    try enter("names")
    return try inner.names(in: folder)
  }

  package func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]? {
    try enter("read")
    return try inner.read(name, in: folder)
  }

  package func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError) {
    try enter("write")
    try inner.write(name, bytes, in: folder)
  }

  package func remove(_ name: String, in folder: SmallFolder) throws(ContainerError) {
    try enter("remove")
    try inner.remove(name, in: folder)
  }

  package func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey {
    try enter("survey")
    return try inner.survey(chain)
  }

  package func removeOldTemporaries() throws(ContainerError) {
    try enter("removeOldTemporaries")
    try inner.removeOldTemporaries()
  }

  package func strays() throws(ContainerError) -> [UnknownFile] {
    try enter("strays")
    return try inner.strays()
  }

  package func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    try enter("readStray")
    try inner.readStray(path, body)
  }

  package func quarantine(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError) {
    try enter("setAside")
    try inner.quarantine(chain, index, folded: folded)
  }

  package func restore(_ info: ContainerInfo) throws(ContainerError) {
    try enter("restore")
    try inner.restore(info)
  }

  package func quarantine(_ place: AssetPlace) throws(ContainerError) {
    try enter("setAside")
    try inner.quarantine(place)
  }

  package func drop(_ chain: BranchID, from index: UInt32) throws -> Int {
    try enter("drop")
    return try inner.drop(chain, from: index)
  }

  package func removeAssets(_ places: [AssetPlace]) throws(ContainerError) {
    try enter("removeAssets")
    try inner.removeAssets(places)
  }

  package func isIncomplete(since time: Int64) throws(ContainerError) -> Bool {
    try enter("isIncomplete")
    return try inner.isIncomplete(since: time)
  }

  package func makeDurable(deep: Bool) throws(ContainerError) {
    try enter("makeDurable")
    try inner.makeDurable(deep: deep)
  }

  package func mark() throws(ContainerError) -> WritingMark? { try inner.mark() }

  package func empty(
    _ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool
  ) throws -> EmptiedBlocks {
    try enter("empty")
    return try inner.empty(chain, blocks, dryRun: dryRun)
  }

  package func removeStray(_ path: String) throws(ContainerError) {
    try enter("removeStray")
    try inner.removeStray(path)
  }

  package func infoCopies() throws(ContainerError) -> [ContainerInfo] {
    try enter("infoCopies")
    return try inner.infoCopies()
  }

  package func foreignFiles() throws(ContainerError) -> ForeignFiles {
    try enter("foreignFiles")
    return try inner.foreignFiles()
  }

  package func assetSize(_ place: AssetPlace) throws(ContainerError) -> Int64? {
    try enter("assetSize")
    return try inner.assetSize(place)
  }

  package func assetSizes(of instance: UUID, in leaf: Layout.Leaf) throws(ContainerError) -> [UInt32: Int64] {
    try enter("assetSizes")
    return try inner.assetSizes(of: instance, in: leaf)
  }

  package func assetIdentity(_ place: AssetPlace) throws(ContainerError) -> FileIdentity? {
    try enter("assetIdentity")
    return try inner.assetIdentity(place)
  }

  package func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    try enter("readAsset")
    return try inner.readAsset(place, from: offset, body)
  }

  package func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    try enter("writeAsset")
    try inner.writeAsset(place, size: size, source)
  }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws {
    try enter("forEachAsset")
    try inner.forEachAsset(body)
  }
}
