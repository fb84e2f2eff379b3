import SeaCore
import SeaSystem

/// A container in memory: for trying things out, and the measure of what the promises mean.
package final class MemoryContainer: Container {
  package let location = "memory"
  package var isFar: Bool { false }
  private var created: ContainerInfo?
  private var files: [SmallFolder: [String: [UInt8]]] = [:]
  private var blocks: [BranchID: [UInt32: [UInt8]]] = [:]
  private var assets: [AssetPlace: [UInt8]] = [:]
  private var strayFiles: [String: [UInt8]] = [:]
  /// What is told as foreign.
  package var foreign = ForeignFiles()

  package init() {}

  package func info() throws(ContainerError) -> ContainerInfo {
    guard let created else { throw .notAContainer(path: location) }
    return created
  }

  package func create(_ info: ContainerInfo) throws(ContainerError) {
    guard created == nil else { throw .exists(path: location) }
    created = info
  }

  package func chains() -> ChainListing { ChainListing(chains: blocks.keys.sorted()) }
  package func lastIndex(of chain: BranchID) -> UInt32? { blocks[chain]?.keys.max() }
  package func firstIndex(of chain: BranchID) -> UInt32? { blocks[chain]?.keys.min() }
  package func has(_ chain: BranchID, _ index: UInt32) -> Bool { blocks[chain]?[index] != nil }
  @discardableResult package func fold(_ chain: BranchID) -> Int { 0 }
  package func foreignFiles() -> ForeignFiles { foreign }

  /// Puts any bytes in a block's place, as a cloud client or a broken disk would; nil takes the block away.
  package func place(_ bytes: [UInt8]?, of chain: BranchID, _ index: UInt32) {
    blocks[chain, default: [:]][index] = bytes
  }

  /// Puts any bytes in a small file's place; nil takes it away.
  package func place(_ bytes: [UInt8]?, _ name: String, in folder: SmallFolder) {
    files[folder, default: [:]][name] = bytes
  }

  package func names(in folder: SmallFolder) -> [String] {
    (files[folder] ?? [:]).keys.filter(folder.allows).sorted()
  }

  package func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]? {
    let there = files[folder]?[name]
    try SmallFile.check(name, there?.count ?? 0, in: folder)
    return there
  }

  package func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, bytes.count, in: folder)
    guard created != nil else { throw .notAContainer(path: location) }
    if !folder.isHint, let there = try read(name, in: folder), there != bytes {
      throw .badFile(.differs, path: folder.path(of: name))
    }
    place(bytes, name, in: folder)
  }

  package func remove(_ name: String, in folder: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, 0, in: folder)
    place(nil, name, in: folder)
  }

  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    var index = index
    while index < UInt32.max, let block = blocks[chain]?[index] {
      guard block.count >= BlockHeader.size else {
        return .incomplete(index: index, have: block.count, want: BlockHeader.size)
      }
      switch block.withUnsafeBytes({ checkHeader($0, index: index) }) {
      case .failure(let fault):
        guard block[..<BlockHeader.size].allSatisfy({ $0 == 0 }) else { return .damaged(index: index, fault) }
        return .incomplete(index: index, have: 0, want: BlockHeader.size)
      case .success(let header):
        if block.count > header.blockSize { return .damaged(index: index, .badSize) }
        if block.count < header.blockSize {
          return .incomplete(index: index, have: block.count, want: header.blockSize)
        }
        if let have = block.withUnsafeBytes({ arrived(of: $0) }) {
          return .incomplete(index: index, have: have, want: header.blockSize)
        }
      }
      guard try block.withUnsafeBytes({ try body(index, $0) }) else { return .stopped(next: index) }
      index += 1
    }
    guard let last = lastIndex(of: chain), last > index else { return .end(next: index) }
    return .gap(index: index, later: last)
  }

  package func writeBlocks(
    of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    guard created != nil else { throw ContainerError.notAContainer(path: location) }
    var index = index
    var count = 0
    while let block = try next() {
      try checkBlock(block, of: chain, index: index)
      if let there = blocks[chain]?[index], there != block {
        throw ContainerError.differs(chain, index: index, incomplete: isIncomplete(there, index))
      }
      blocks[chain, default: [:]][index] = block
      index += 1
      count += 1
    }
    return count
  }

  private func isIncomplete(_ block: [UInt8], _ index: UInt32) -> Bool {
    guard block.count >= BlockHeader.size else { return true }
    guard case .success(let header) = block.withUnsafeBytes({ checkHeader($0, index: index) }) else { return false }
    return block.count < header.blockSize
  }

  // MARK: - Strays

  package func survey(_ chain: BranchID) -> BranchSurvey {
    var survey = BranchSurvey()
    survey.singles = (blocks[chain] ?? [:]).sorted { $0.key < $1.key }.map { .init(index: $0, size: Int64($1.count)) }
    return survey
  }

  package func strays() -> [Stray] {
    strayFiles.sorted { $0.key < $1.key }.map { Stray(path: $0, size: Int64($1.count), modified: 0) }
  }

  package func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    guard let bytes = strayFiles[path] else { return }
    try bytes.withUnsafeBytes { all in
      var rest = all[...]
      while let header = try? BlockHeader(UnsafeRawBufferPointer(rebasing: rest)), header.blockSize <= rest.count {
        guard try body(UnsafeRawBufferPointer(rebasing: rest.prefix(header.blockSize))) else { return }
        rest = rest.dropFirst(header.blockSize)
      }
    }
  }

  package func setAside(_ chain: BranchID, _ index: UInt32, folded: Bool) {
    guard !folded, let bytes = blocks[chain]?.removeValue(forKey: index) else { return }
    strayFiles["\(chain)/\(index).damaged-\(strayFiles.count)"] = bytes
  }

  package func setAside(_ place: AssetPlace) { assets[place] = nil }

  package func drop(_ chain: BranchID, from index: UInt32) -> Int {
    let gone = (blocks[chain] ?? [:]).keys.filter { $0 >= index }
    for one in gone { blocks[chain]?[one] = nil }
    if blocks[chain]?.isEmpty == true { blocks[chain] = nil }
    return gone.count
  }

  package func removeAssets(_ places: [AssetPlace]) { for place in places { assets[place] = nil } }

  package func isArriving(since time: Int64) -> Bool { false }

  package func makeDurable(deep: Bool) {}
  package func mark() -> WritingMark? { nil }

  package func empty(_ chain: BranchID, _ all: [UInt32: [RemovedBlock]], dryRun: Bool) -> EmptiedBlocks {
    var result = EmptiedBlocks()
    for (index, some) in all {
      guard let there = blocks[chain]?[index],
        let left = some.first(where: { one in there.withUnsafeBytes { one.isLeft(of: $0) } })
      else { continue }
      if dryRun {
        result.kept[index] = ""
      } else {
        blocks[chain]?[index] = left.bytes
        result.emptied.insert(index)
      }
    }
    return result
  }

  package func forEachFile(_ body: (Stray) throws -> Void) throws -> [String] {
    for stray in strays() { try body(stray) }
    return []
  }

  package func removeStray(_ path: String) { strayFiles[path] = nil }

  package func removeOldTemporaries() {}

  package func infoCopies() -> [ContainerInfo] { [] }

  package func restore(_ info: ContainerInfo) -> Bool {
    created = info
    return true
  }

  // MARK: - Assets

  /// Puts any bytes in the place of an asset's file; nil takes it away.
  package func place(_ bytes: [UInt8]?, _ place: AssetPlace) { assets[place] = bytes }

  package func assetSize(_ place: AssetPlace) -> Int64? { assets[place].map { Int64($0.count) } }
  package func assetIdentity(_ place: AssetPlace) -> FileIdentity? { nil }
  package func assetEntry(_ place: AssetPlace) -> AssetEntry? {
    assetSize(place).map { .file(size: $0, changed: 0) }
  }

  package func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    guard let bytes = assets[place] else { return false }
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
    guard created != nil else { throw ContainerError.notAContainer(path: location) }
    guard (0...AssetFile.largest).contains(size) else {
      throw ContainerError.badAsset(.tooLarge, path: place.path)
    }
    if let there = assets[place] {
      guard there.count == size else { throw ContainerError.badAsset(.differs, path: place.path) }
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
    assets[place] = bytes
  }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws {
    for place in assets.keys.sorted() { try body(place, Int64(assets[place]?.count ?? 0)) }
  }
}
