import SeaCore
import SeaSystem

/// Blocks of one leaf folder on their way to the disk: in memory, or, when they are many, in the temporary file that
/// may become the folded file.
final class BlockStage {
  private static let memory = 8 << 20

  let leaf: Layout.Leaf
  let first: UInt32
  private(set) var total = 0
  private var ends: [Int] = []
  private let folder: Directory
  private var bytes: [UInt8] = []
  private var spill: AtomicFile?
  private var reader: File?

  /// For blocks from index `first` on; `folder` is the one that the leaf folder lies in.
  init(_ leaf: Layout.Leaf, from first: UInt32, in folder: Directory) {
    self.leaf = leaf
    self.first = first
    self.folder = folder
  }

  var count: Int { ends.count }
  var isEmpty: Bool { ends.isEmpty }
  var reachesEnd: Bool { Int(first) + count == Int(leaf.first) + Int(Layout.leafSize) }
  func contains(_ index: UInt32) -> Bool { index >= first && Int(index) < Int(first) + count }

  func append(_ block: [UInt8]) throws(SystemError) {
    bytes.append(contentsOf: block)
    total += block.count
    ends.append(total)
    if bytes.count >= BlockStage.memory { try flush() }
  }

  private func flush() throws(SystemError) {
    guard !bytes.isEmpty else { return }
    if spill == nil { spill = try AtomicFile(leaf.foldedName, in: folder) }
    try spill?.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// The blocks from index `start` on, until `body` says false.
  func forEach(
    from start: UInt32, _ window: BlockWindow, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    for k in Int(start - first)..<max(count, Int(start - first)) {
      let range = (k == 0 ? 0 : ends[k - 1])..<ends[k]
      let index = first + UInt32(k)
      if spill == nil {
        guard try bytes.withUnsafeBytes({ try body(index, UnsafeRawBufferPointer(rebasing: $0[range])) }) else {
          return
        }
      } else {
        let block = try system { () throws(SystemError) in try read(range, window) }
        guard try body(index, block) else { return }
      }
    }
  }

  private func read(_ range: Range<Int>, _ window: BlockWindow) throws(SystemError) -> UnsafeRawBufferPointer {
    try flush()
    if reader == nil { reader = try spill?.reader() }
    window.reserve(range.count)
    let target = UnsafeMutableRawBufferPointer(rebasing: window.bytes[..<range.count])
    let have = try reader?.read(into: target, at: Int64(range.lowerBound))
    guard have == range.count else { throw .short(leaf.foldedPath) }
    return UnsafeRawBufferPointer(target)
  }

  /// All of it as a file that becomes the folded file with `commit`. It can still be gone through.
  func asFile() throws(SystemError) -> AtomicFile {
    try flush()
    if let spill { return spill }
    return try AtomicFile(leaf.foldedName, in: folder)
  }
}
