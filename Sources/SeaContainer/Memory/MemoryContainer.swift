import SeaCore
import SeaSystem

/// A container in memory: for trying things out, and the measure of what the promises mean.
package final class MemoryContainer: Container, Files {
  package let location = "memory"
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

  package func prepare() {}
  package func list(_ folder: String) -> [String: ContainerNames.Entry] { names.list(folder) }
  package func blocks(in place: FilePlace) -> BlockFile? { file(place, BlockWindow()) }

  package func bytes(of place: FilePlace, most: Int) throws(ContainerError) -> [UInt8]? {
    guard files[place]?.count ?? 0 <= most else { throw .badFile(.tooLarge, path: place.path) }
    return files[place]
  }

  package func setAside(_ place: FilePlace) {
    guard let bytes = files[place] else { return }
    set(place, nil)
    set(.other(Layout.aside(place.path, Hex.text(Array(SHA256.hash(bytes).bytes.prefix(4))))), bytes)
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

  package func forEachFile(_ body: (Stray) throws -> Void) throws -> [String] {
    try names.forEach { try body(Stray(path: $0.path, size: $1.size, modified: $1.time)) }
    return []
  }

  // MARK: - What is there

  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd { try reading(of: chain, folded: true, singles: true).run(from: index, body) }

  package func removeOldTemporaries() {}

  // MARK: - Assets

  package func assetSize(_ place: AssetPlace) -> Int64? { files[.asset(place)].map { Int64($0.count) } }
  package func assetIdentity(_ place: AssetPlace) -> FileIdentity? { nil }
  package func assetEntry(_ place: AssetPlace) -> AssetEntry? {
    assetSize(place).map { .file(size: $0, changed: 0) }
  }

  package func read(
    _ place: FilePlace, _ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    guard let bytes = files[place] else { return false }
    let all = range.clamped(to: 0..<Int64(bytes.count))
    for start in stride(from: Int(all.lowerBound), to: Int(all.upperBound), by: AssetFile.pieceSize) {
      let piece = bytes[start..<min(start + AssetFile.pieceSize, Int(all.upperBound))]
      guard try piece.withUnsafeBytes({ try body($0) }) else { break }
    }
    return true
  }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws {
    for (place, entry) in names.assets.sorted(by: { $0.key < $1.key }) { try body(place, entry.size) }
  }
}
