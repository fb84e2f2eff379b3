import SeaCore
import SeaSystem

// Operations on a container's files, regardless of where the files are stored.

extension Container where Self: Files {
  // MARK: Description of the container

  package func info() throws(ContainerError) -> ContainerInfo {
    let path = Path.join(location, Layout.info)
    let bytes: [UInt8]?
    do throws(ContainerError) { bytes = try self.bytes(of: .info, most: ContainerInfo.largestFile) } catch {
      guard case .badFile(.tooLarge, _) = error else { throw error }
      throw .badInfo(.tooLong, path: path)
    }
    guard let bytes else { throw .notAContainer(path: location) }
    return try ContainerInfo(bytes, path: path)
  }

  package func create(_ info: ContainerInfo) throws(ContainerError) {
    try prepare()
    // This file is written last, because it turns the folder into a container.
    guard try put(.info, Array(info.text.utf8)) else { throw .exists(path: location) }
    try flush()
  }

  package func restore(_ info: ContainerInfo) throws(ContainerError) {
    try setAside(.info)
    // Another process may have been the first to write the file.
    if try !put(.info, Array(info.text.utf8)) { forget() }
    try flush()
  }

  package func infoCopies() throws(ContainerError) -> [ContainerInfo] {
    var found: [ContainerInfo] = []
    for name in try list("").keys.sorted() where name != Layout.info && name.containsText("info") {
      guard found.count < 100, let bytes = try? bytes(of: .other(name), most: ContainerInfo.largestFile) else {
        continue
      }
      if let info = try? ContainerInfo(bytes, path: name) { found.append(info) }
    }
    return found
  }

  package func isIncomplete(since time: Int64) throws(ContainerError) -> Bool {
    let top = try list("")
    if top.keys.contains(where: { Layout.promised(by: $0) == Layout.info }) { return true }
    if let there = top[Layout.info] { return there.size >= 0 && there.time >= time }
    // The file can arrive after the content that it describes.
    guard let folder = top[""], folder.time >= time else { return false }
    return try !chains().chains.isEmpty
  }

  // MARK: Files outside of the layout

  package func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    guard var file = try blocks(in: FilePlace(path)) else { return }
    while let bytes = try file.nextWhole() { guard try body(bytes) else { return } }
  }

  package func removeStray(_ path: String) throws(ContainerError) {
    try delete([FilePlace(path)])
    try flush()
  }

  package func quarantine(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError) {
    try setAside(folded ? .folded(chain, Layout.Leaf(containing: index).first) : .block(chain, index))
    try flush()
  }

  package func quarantine(_ place: AssetPlace) throws(ContainerError) {
    try setAside(.asset(place))
    try flush()
  }

  // MARK: Blocks

  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd { try reading(of: chain, folded: true, singles: true).run(from: index, body) }

  package func writeBlocks(
    of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    try needContainer()
    var writing = ChainWriting(self, chain, from: index)
    while let block = try next() { try writing.add(block) }
    try writing.finish()
    return writing.count
  }

  @discardableResult
  package func fold(_ chain: BranchID) throws -> Int {
    let leaves = Set(try survey(chain).singles.map { Layout.Leaf(containing: $0.index) })
    var count = 0
    for leaf in leaves.sorted() where try fold(leaf, of: chain, self.leaf(leaf, of: chain, again: false)) { count += 1 }
    return count
  }

  /// Packs the blocks of a leaf into one file if all of them are available, or completes an interrupted call. If files
  /// must not be removed and there are single files, nothing is packed.
  /// - Parameter last: the last blocks of the leaf, for which no files exist yet.
  fileprivate func fold(
    _ leaf: Layout.Leaf, of chain: BranchID, _ there: LeafNames, with last: [[UInt8]] = []
  ) throws -> Bool {
    guard leaf.last < UInt32.max, try there.singles.isEmpty || !isAppendOnly else { return false }
    if there.isFolded {
      guard last.isEmpty, !there.singles.isEmpty, try agrees(leaf, of: chain, with: there.singles) else { return false }
      try adopt([.folded(chain, leaf.first)])
    } else {
      guard try writeFolded(leaf, of: chain, there, with: last) else { return false }
    }
    guard let first = there.singles.min() else { return true }
    // The pack file must be durable before the single files are removed.
    try flush()
    do throws(ContainerError) { try delete([.block(chain, first)]) } catch {
      guard case .helper(.refused(.denied, _), _) = error else { throw error }
      return false
    }
    try delete(there.singles.sorted().dropFirst().map { .block(chain, $0) })
    try flush()
    return true
  }

  private func writeFolded(
    _ leaf: Layout.Leaf, of chain: BranchID, _ there: LeafNames, with last: [[UInt8]]
  ) throws -> Bool {
    let end = leaf.first + Layout.leafSize - UInt32(last.count)
    guard there.singles.count == Int(end - leaf.first), there.singles.allSatisfy({ $0 < end }),
      let file = try draft(.folded(chain, leaf.first), replaces: false)
    else { return false }
    var (next, size) = (leaf.first, last.reduce(0) { $0 + $1.count })
    if next < end {
      _ = try reading(of: chain, folded: false, singles: true).run(from: next) { index, bytes in
        size += bytes.count
        guard size <= Layout.largestFold else { return false }
        try file.write(bytes)
        next = index + 1
        return next < end
      }
    }
    guard next == end, size <= Layout.largestFold else { return false }
    for block in last { try file.write(block) }
    return try file.commit()
  }

  /// Whether a pack file is complete and has the same bytes as the single files. Some single files may be missing.
  private func agrees(_ leaf: Layout.Leaf, of chain: BranchID, with singles: Set<UInt32>) throws -> Bool {
    var digests: [UInt32: Digest] = [:]
    let isWhole = try forEachFolded(chain, leaf) { index, bytes in
      if singles.contains(index) { digests[index] = SHA256.hash(bytes) }
    }
    guard isWhole else { return false }
    var isSame = true
    for index in singles.sorted() where digests[index] != nil {
      let end = try reading(of: chain, folded: false, singles: true).run(from: index) { at, bytes in
        guard let digest = digests.removeValue(forKey: at) else { return false }
        isSame = SHA256.hash(bytes) == digest
        return isSame
      }
      switch end {
      case .damaged(let at, _), .incomplete(let at, _, _): if singles.contains(at) { isSame = false }
      case .end, .stopped, .gap: break
      }
      if !isSame { return false }
    }
    return true
  }

  package func drop(_ chain: BranchID, from index: UInt32) throws -> Int {
    let survey = try survey(chain)
    var gone: [FilePlace] = []
    for file in survey.folded {
      let leaf = Layout.Leaf(containing: file.first)
      guard leaf.last >= index else { continue }
      if file.first < index { try unfold(chain, leaf, before: index) }
      gone.append(.folded(chain, file.first))
    }
    gone += survey.singles.filter { $0.index >= index }.map { .block(chain, $0.index) }
    if survey.first.map({ $0 >= index }) ?? true {
      gone += (survey.strays + survey.placeholderFiles).map { .other($0.path) } + survey.temporaries.map { .other($0) }
    }
    try delete(gone)
    try flush()
    return survey.count(from: index)
  }

  private func unfold(_ chain: BranchID, _ leaf: Layout.Leaf, before index: UInt32) throws {
    _ = try reading(of: chain, folded: true, singles: false).run(from: leaf.first) { at, bytes in
      guard at < index else { return false }
      _ = try put(.block(chain, at), Array(bytes))
      return true
    }
    try flush()
  }

  package func empty(
    _ chain: BranchID, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool
  ) throws -> EmptiedBlocks {
    var result = EmptiedBlocks()
    for leaf in Set(blocks.keys.map { Layout.Leaf(containing: $0) }).sorted() {
      let inside = blocks.filter { leaf.first <= $0.key && $0.key <= leaf.last }
      try emptyFolded(chain, leaf, inside, dryRun: dryRun, &result)
      for (index, all) in inside.sorted(by: { $0.key < $1.key }) {
        var left: RemovedBlock?
        _ = try reading(of: chain, folded: false, singles: true).run(from: index) { at, bytes in
          if at == index { left = all.first { $0.isLeft(of: bytes) } }
          return false
        }
        guard let left else { continue }
        if dryRun {
          result.kept[index] = ""
        } else {
          _ = try put(.block(chain, index), left.bytes, replaces: true)
          result.emptied.insert(index)
        }
      }
    }
    if !result.emptied.isEmpty { try flush() }
    return result
  }

  private func emptyFolded(
    _ chain: BranchID, _ leaf: Layout.Leaf, _ blocks: [UInt32: [RemovedBlock]], dryRun: Bool,
    _ result: inout EmptiedBlocks
  ) throws {
    var found: [UInt32: RemovedBlock] = [:]
    let isWhole = try forEachFolded(chain, leaf) { index, bytes in
      if let left = blocks[index]?.first(where: { $0.isLeft(of: bytes) }) { found[index] = left }
    }
    if found.isEmpty { return }
    if isWhole, !dryRun, let file = try draft(.folded(chain, leaf.first), replaces: true) {
      let isWritten = try forEachFolded(chain, leaf) { index, bytes in
        if let left = found[index], left.isLeft(of: bytes) { try file.write(left.bytes) } else { try file.write(bytes) }
      }
      if isWritten, try file.commit() { return result.emptied.formUnion(found.keys) }
    }
    for index in found.keys { result.kept[index] = isWhole && dryRun ? "" : EmptiedBlocks.unreadable }
  }

  /// Passes the blocks of a pack file to `body`.
  /// - Returns: whether the pack file contains exactly the blocks of the leaf.
  private func forEachFolded(
    _ chain: BranchID, _ leaf: Layout.Leaf, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    var next = leaf.first
    _ = try reading(of: chain, folded: true, singles: false).run(from: leaf.first) { index, bytes in
      try body(index, bytes)
      next = index + 1
      return index < leaf.last
    }
    return next > leaf.last
  }

  // MARK: Small files

  package func read(_ name: String, in folder: SmallFolder) throws(ContainerError) -> [UInt8]? {
    try SmallFile.check(name, 0, in: folder)
    return try bytes(of: .small(folder, name), most: SmallFile.largest)
  }

  package func names(in folder: SmallFolder) throws(ContainerError) -> [String] {
    try list(folder.rawValue).filter { $0.value.size >= 0 && folder.allows($0.key) }.keys.sorted()
  }

  package func write(_ name: String, _ bytes: [UInt8], in folder: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, bytes.count, in: folder)
    try needContainer()
    if try !put(.small(folder, name), bytes, replaces: folder.isHint) {
      guard let there = try read(name, in: folder) else {
        throw .nameTaken(path: Path.join(location, folder.path(of: name)))
      }
      guard there == bytes else { throw .badFile(.differs, path: folder.path(of: name)) }
      try adopt([.small(folder, name)])
    }
    try flush()
  }

  package func remove(_ name: String, in folder: SmallFolder) throws(ContainerError) {
    try SmallFile.check(name, 0, in: folder)
    try delete([.small(folder, name)])
    try flush()
  }

  // MARK: Asset files

  package func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    try needContainer()
    guard (0...AssetFile.largest).contains(size) else { throw ContainerError.badAsset(.tooLarge, path: place.path) }
    if try !keeps(place, size), try !put(.asset(place), size: size, source) {
      forget()
      let path = Path.join(location, place.path)
      guard try keeps(place, size) else { throw ContainerError.nameTaken(path: path) }
    }
    try flush()
  }

  package func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool { try read(.asset(place), offset..<(.max), body) }

  package func put(
    _ place: FilePlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Bool { try putAnew(place, size: size, source) }

  func putAnew(
    _ place: FilePlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Bool {
    guard let file = try draft(place, replaces: false) else { return false }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < size {
      let room = Int(min(Int64(buffer.count), size - offset))
      let count = try source(offset, UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
      guard count > 0 else { throw ContainerError.badAsset(.ended, path: Path.join(location, place.path)) }
      try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    return try file.commit()
  }

  /// Whether the asset file already exists with this size. A file of the same size counts as identical.
  private func keeps(_ place: AssetPlace, _ size: Int64) throws(ContainerError) -> Bool {
    guard let there = try assetSize(place) else { return false }
    guard there == size else { throw .badAsset(.differs, path: Path.join(location, place.path)) }
    try adopt([.asset(place)])
    return true
  }

  package func removeAssets(_ places: [AssetPlace]) throws(ContainerError) {
    try delete(places.map { .asset($0) })
    try flush()
  }
}

/// Writes the blocks of a chain. The blocks of a full leaf become one file; all other blocks become single files.
private struct ChainWriting<Target: Container & Files> {
  /// The maximum size in bytes of a leaf that is collected in memory.
  private static var mostBytes: Int { 32 << 20 }
  private static var most: Int { 256 }
  /// The maximum number of times that files are listed if the listed files are unreadable.
  private static var mostLists: Int { 3 }

  private let target: Target
  private let chain: BranchID
  private var next: UInt32
  private var pending: [[UInt8]] = []
  private var total = 0
  private(set) var count = 0

  init(_ target: Target, _ chain: BranchID, from index: UInt32) {
    (self.target, self.chain, next) = (target, chain, index)
  }

  private var first: UInt32 { next - UInt32(pending.count) }

  mutating func add(_ block: [UInt8]) throws {
    try checkBlock(block, of: chain, index: next)
    if next % Layout.leafSize == 0 || total > Self.mostBytes { try write() }
    pending.append(block)
    total += block.count
    next += 1
    count += 1
  }

  mutating func finish() throws {
    try write()
    if count > 0 { try target.flush() }
  }

  private mutating func write() throws {
    guard !pending.isEmpty else { return }
    defer { (pending, total) = ([], 0) }
    let leaf = Layout.Leaf(containing: first)
    var names = try target.leaf(leaf, of: chain, again: false)
    let isEnd = next - 1 == leaf.last
    if isEnd, !names.isFolded {
      if try target.fold(leaf, of: chain, names, with: pending) { return }
      names = try target.leaf(leaf, of: chain, again: true)
    }
    var (at, lists) = (0, 0)
    while at < pending.count {
      let before = at
      at = try compare(at, &names)
      at = try put(at, names)
      if at > before { continue }
      // The file was removed in the meantime, or is unreadable.
      guard lists < Self.mostLists else {
        throw ContainerError.nameTaken(
          path: Path.join(target.location, FilePlace.block(chain, first + UInt32(at)).path))
      }
      lists += 1
      names = try target.leaf(leaf, of: chain, again: true)
    }
    if isEnd { _ = try target.fold(leaf, of: chain, target.leaf(leaf, of: chain, again: true)) }
  }

  /// Compares pending blocks with existing ones, starting at position `start`. If a pack file lacks a block, that block
  /// and all later blocks count as missing and are written as single files.
  /// - Returns: the position of the first missing block.
  private func compare(_ start: Int, _ names: inout LeafNames) throws -> Int {
    var at = start
    guard names.has(first + UInt32(at)) else { return at }
    var other: UInt32?
    let end = try target.readBlocks(of: chain, from: first + UInt32(at)) { index, bytes in
      guard pending[at].withUnsafeBytes({ sameBytes($0, bytes) }) else {
        other = index
        return false
      }
      at += 1
      return at < pending.count && names.has(first + UInt32(at))
    }
    if let other { throw ContainerError.differs(chain, index: other, incomplete: false) }
    let same = (start..<at).map { first + UInt32($0) }.filter(names.singles.contains)
    try target.adopt(same.map { .block(chain, $0) })
    if names.isFolded { try target.adopt([.folded(chain, Layout.Leaf(containing: first).first)]) }
    let here = first + UInt32(at)
    guard at < pending.count, names.has(here) else { return at }
    guard names.singles.contains(here) else {
      names.isFolded = false
      return at
    }
    switch end {
    case .incomplete(here, _, _): throw ContainerError.differs(chain, index: here, incomplete: true)
    case .damaged(here, _): throw ContainerError.differs(chain, index: here, incomplete: false)
    default: return at
    }
  }

  private func put(_ start: Int, _ names: LeafNames) throws -> Int {
    var run: [(place: FilePlace, bytes: [UInt8])] = []
    var at = start
    while at < pending.count, run.count < Self.most, !names.has(first + UInt32(at)) {
      run.append((.block(chain, first + UInt32(at)), pending[at]))
      at += 1
    }
    for (offset, isWritten) in try target.put(run).enumerated() where !isWritten { try compareOne(start + offset) }
    return at
  }

  /// Checks that a faster writer has written the same block.
  private func compareOne(_ at: Int) throws {
    let index = first + UInt32(at)
    var isSame = false
    let end = try target.reading(of: chain, folded: true, singles: true).run(from: index) { _, bytes in
      isSame = pending[at].withUnsafeBytes { sameBytes($0, bytes) }
      return false
    }
    if isSame { return try target.adopt([.block(chain, index)]) }
    switch end {
    case .incomplete: throw ContainerError.differs(chain, index: index, incomplete: true)
    case .end, .gap:
      throw ContainerError.nameTaken(path: Path.join(target.location, FilePlace.block(chain, index).path))
    case .damaged, .stopped: throw ContainerError.differs(chain, index: index, incomplete: false)
    }
  }
}
