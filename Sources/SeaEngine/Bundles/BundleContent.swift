import SeaContainer
import SeaCore
import SeaStore

/// Determines which branches a bundle contains by reading its blocks instead of trusting its manifest.
///
/// The last block of a branch must be stored locally, and each block must have the digest that the next block names. An
/// attacker can forge correct checksums, but not such blocks.
final class BundleContent: BundleVisitor {
  private let store: Store
  private let base: [BranchID: BundleHead]
  private let heads: [BranchID: BundleHead]
  private(set) var verified: Set<BranchID> = []
  private var run: Run?
  private var splitter = BlockSplitter()
  private var isBlocks = false

  private struct Run {
    var branch: BranchID
    var member: String
    var next: UInt32
    var last: Digest?
    /// Whether all purged blocks of the branch are also purged locally.
    var isWhole = true
  }

  init(_ manifest: BundleManifest, _ store: Store) {
    self.store = store
    base = Dictionary(manifest.base.map { ($0.branch, $0) }) { first, _ in first }
    heads = Dictionary(manifest.heads.map { ($0.branch, $0) }) { first, _ in first }
  }

  /// - Throws: `BundleError` if the bundle is invalid or its blocks do not match the manifest.
  static func read(_ reader: BundleReader, _ store: Store) throws -> BundleContent {
    let content = try BundleContent(reader.manifest(), store)
    _ = try reader.read(content)
    try content.finish()
    return content
  }

  func begin(_ member: BundleMember) throws {
    isBlocks = member.path.blocks != nil
    guard let (branch, first, _) = member.path.blocks else { return }
    if run?.branch != branch {
      try finish()
      run = Run(branch: branch, member: member.path.text, next: first)
    }
    run?.member = member.path.text
    splitter = BlockSplitter()
    if run?.next != first { throw BundleError.wrongDigest(member.path.text) }
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    guard isBlocks, var now = run else { return }
    run = nil
    let isGood = try splitter.add(bytes) { try add($0, to: &now) }
    guard isGood else { throw BundleError.wrongDigest(now.member) }
    run = now
  }

  private func add(_ block: UnsafeRawBufferPointer, to run: inout Run) throws -> Bool {
    guard let header = try? BlockHeader(block), header.index == run.next else { return false }
    if let last = run.last {
      guard header.previous == last else { return false }
    } else if header.index > 0 {
      guard let before = base[run.branch], before.index == header.index - 1, before.block.digest == header.previous
      else { return false }
    }
    guard let digest = header.hash(ofIntact: block) else { return false }
    if header.mode.contains(.removed) {
      // Anyone can purge the content of a block in a bundle, so a purged block counts only if it is also purged
      // locally.
      let row = try store.blocks.block(BlockRef(run.branch, index: header.index, digest: digest))
      if row?.isRemoved != true || row?.state == .unread { run.isWhole = false }
    }
    run.last = digest
    run.next = header.index &+ 1
    return true
  }

  func end(_ member: BundleMember) throws {
    guard let (_, _, last) = member.path.blocks else { return }
    guard run?.next == last &+ 1 else { throw BundleError.wrongDigest(member.path.text) }
  }

  private func finish() throws {
    guard let done = run, let last = done.last else { return }
    run = nil
    let ref = BlockRef(done.branch, index: done.next &- 1, digest: last)
    guard heads[done.branch]?.block == ref else { throw BundleError.wrongDigest(done.member) }
    if done.isWhole, try store.blocks.block(ref) != nil { verified.insert(done.branch) }
  }
}
