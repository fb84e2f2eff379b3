import SeaCore
import SeaSystem

/// A container in memory, for tests. `MemoryContainer` is the reference implementation of the promises of `Container`.
package final class MemoryContainer: Container, NamedFiles {
  package let location = "memory"
  private var files: [FilePlace: [UInt8]] = [:]
  private let known = ContainerNames()

  package init() {}

  private func set(_ place: FilePlace, _ bytes: [UInt8]?) {
    files[place] = bytes
    known[place] = bytes.map { .init(size: Int64($0.count), time: 0) }
  }

  /// Replaces a block with arbitrary bytes, as a cloud client or a broken disk might. Nil deletes the block.
  package func setBytes(_ bytes: [UInt8]?, of chain: BranchID, _ index: UInt32) { set(.block(chain, index), bytes) }

  package func setBytes(_ bytes: [UInt8]?, _ name: String, in folder: SmallFolder) { set(.small(folder, name), bytes) }

  package func setBytes(_ bytes: [UInt8]?, _ place: AssetPlace) { set(.asset(place), bytes) }

  // MARK: - Files

  package func needContainer() throws(ContainerError) {
    guard files[.info] != nil else { throw .notAContainer(path: location) }
  }

  package func draft(_ place: FilePlace, replaces: Bool) -> (any FileDraft)? {
    files[place] != nil && !replaces ? nil : Draft(self, place)
  }

  package func names() -> ContainerNames { known }
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

  package func reading(of chain: BranchID, folded: Bool, singles: Bool) -> ChainReading {
    let window = BlockWindow()
    return ChainReading(
      open: { [self] leaf, index in
        guard index == nil ? folded : singles else { return nil }
        return file(index.map { .block(chain, $0) } ?? .folded(chain, leaf.first), window)
      }, last: { [self] () throws(ContainerError) in try lastIndex(of: chain) })
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
}
