import SeaCore
import SeaSystem

/// A container in memory: for trying things out, and the measure of what the promises mean.
package final class MemoryContainer: Container, Files {
  package let location = "memory"
  package var isFar: Bool { false }
  private var files: [FilePlace: [UInt8]] = [:]
  private var names = ContainerNames()
  /// What is told as foreign.
  package var foreign = ForeignFiles()

  package init() {}

  private func set(_ place: FilePlace, _ bytes: [UInt8]?) {
    files[place] = bytes
    names[place] = bytes.map { .init(size: Int64($0.count), time: 0) }
  }

  /// Puts any bytes in a block's place, as a cloud client or a broken disk would; nil takes the block away.
  package func place(_ bytes: [UInt8]?, of chain: BranchID, _ index: UInt32) { set(.block(chain, index), bytes) }

  /// Puts any bytes in a small file's place; nil takes it away.
  package func place(_ bytes: [UInt8]?, _ name: String, in folder: SmallFolder) { set(.small(folder, name), bytes) }

  /// Puts any bytes in the place of an asset's file; nil takes it away.
  package func place(_ bytes: [UInt8]?, _ place: AssetPlace) { set(.asset(place), bytes) }

  // MARK: - Files

  package func needContainer() throws(ContainerError) {
    guard files[.info] != nil else { throw .notAContainer(path: location) }
  }

  package func draft(_ place: FilePlace, replaces: Bool) -> (any FileDraft)? {
    files[place] != nil && !replaces ? nil : Draft(self, place)
  }

  package func delete(_ places: [FilePlace]) { for place in places { set(place, nil) } }
  package func adopt(_ places: [FilePlace]) {}
  package func flush() {}

  package func leaf(_ leaf: Layout.Leaf, of chain: BranchID, again: Bool) -> LeafNames {
    LeafNames(names.chains[chain], leaf)
  }

  package func reading(of chain: BranchID, folded: Bool, singles: Bool) -> ChainReading {
    let window = BlockWindow()
    return ChainReading(
      open: { [self] leaf, index in
        guard index == nil ? folded : singles else { return nil }
        return file(index.map { .block(chain, $0) } ?? .folded(chain, leaf.first), window)
      }, last: { [self] in lastIndex(of: chain) })
  }

  private func file(_ place: FilePlace, _ window: BlockWindow) -> BlockFile? {
    files[place].map { BlockFile(WholeBytes($0), size: $0.count, window: window) }
  }

  private final class Draft: FileDraft {
    private let container: MemoryContainer
    private let place: FilePlace
    private var bytes: [UInt8] = []

    init(_ container: MemoryContainer, _ place: FilePlace) { (self.container, self.place) = (container, place) }

    func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }

    func commit() -> Bool {
      container.set(place, bytes)
      return true
    }
  }

  // MARK: - What the names say

  package func chains() -> ChainListing { names.listing() }
  package func lastIndex(of chain: BranchID) -> UInt32? { names.chains[chain]?.range()?.last }
  package func firstIndex(of chain: BranchID) -> UInt32? { names.chains[chain]?.range()?.first }
  package func has(_ chain: BranchID, _ index: UInt32) -> Bool { names.chains[chain]?.has(index) ?? false }
  package func survey(_ chain: BranchID) -> BranchSurvey { names.survey(chain) }
  package func strays() -> [Stray] { names.strays() }
  package func foreignFiles() -> ForeignFiles { foreign }
  package func names(in folder: SmallFolder) -> [String] { (names.small[folder] ?? [:]).keys.sorted() }

  package func forEachFile(_ body: (Stray) throws -> Void) throws -> [String] {
    try names.forEach { try body(Stray(path: $0.path, size: $1.size, modified: $1.time)) }
    return []
  }

  // MARK: - What is there

  package func info() throws(ContainerError) -> ContainerInfo {
    guard let bytes = files[.info] else { throw .notAContainer(path: location) }
    return try ContainerInfo(bytes, path: Layout.info)
  }

  package func create(_ info: ContainerInfo) throws(ContainerError) {
    guard try put(.info, Array(info.text.utf8)) else { throw .exists(path: location) }
  }

  package func restore(_ info: ContainerInfo) -> Bool {
    set(.info, Array(info.text.utf8))
    return true
  }

  package func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]? {
    let there = files[.small(folder, name)]
    try SmallFile.check(name, there?.count ?? 0, in: folder)
    return there
  }

  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd { try reading(of: chain, folded: true, singles: true).run(from: index, body) }

  package func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    guard var file = file(.other(path), BlockWindow()) else { return }
    while let bytes = try file.nextWhole() { guard try body(bytes) else { return } }
  }

  package func removeStray(_ path: String) { set(.other(path), nil) }

  package func setAside(_ chain: BranchID, _ index: UInt32, folded: Bool) {
    setAside(folded ? .folded(chain, Layout.Leaf(containing: index).first) : .block(chain, index))
  }

  package func setAside(_ place: AssetPlace) { setAside(.asset(place)) }

  private func setAside(_ place: FilePlace) {
    guard let bytes = files[place] else { return }
    set(place, nil)
    set(.other(Layout.aside(place.path, Hex.text(Array(SHA256.hash(bytes).bytes.prefix(4))))), bytes)
  }

  package func isArriving(since time: Int64) -> Bool { false }
  package func makeDurable(deep: Bool) {}
  package func mark() -> WritingMark? { nil }
  package func removeOldTemporaries() {}
  package func infoCopies() -> [ContainerInfo] { [] }

  // MARK: - Assets

  package func assetSize(_ place: AssetPlace) -> Int64? { files[.asset(place)].map { Int64($0.count) } }
  package func assetIdentity(_ place: AssetPlace) -> FileIdentity? { nil }
  package func assetEntry(_ place: AssetPlace) -> AssetEntry? {
    assetSize(place).map { .file(size: $0, changed: 0) }
  }

  package func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    guard let bytes = files[.asset(place)] else { return false }
    var start = Int(min(offset, Int64(bytes.count)))
    while start < bytes.count {
      let end = min(start + AssetFile.pieceSize, bytes.count)
      guard try bytes[start..<end].withUnsafeBytes({ try body($0) }) else { break }
      start = end
    }
    return true
  }

  package func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    try needContainer()
    guard (0...AssetFile.largest).contains(size) else {
      throw ContainerError.badAsset(.tooLarge, path: place.path)
    }
    if let there = assetSize(place) {
      guard there == size else { throw ContainerError.badAsset(.differs, path: place.path) }
      return
    }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    var done = 0
    while done < bytes.count {
      let end = min(done + AssetFile.pieceSize, bytes.count)
      let count = try bytes.withUnsafeMutableBytes {
        try source(Int64(done), UnsafeMutableRawBufferPointer(rebasing: $0[done..<end]))
      }
      guard count > 0 else { throw ContainerError.badAsset(.ended, path: place.path) }
      done += count
    }
    set(.asset(place), bytes)
  }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws {
    for (place, entry) in names.assets.sorted(by: { $0.key < $1.key }) { try body(place, entry.size) }
  }

  package func removeAssets(_ places: [AssetPlace]) { delete(places.map { .asset($0) }) }
}
