import SeaContainer
import SeaCore
import SeaStore

/// Which removed blocks a pull may take in: those that an order names which counts. Orders are those that are here, and
/// those that stand in the container behind removed blocks that nothing here allows yet.
///
/// With each block that is taken in more may be known of who may give orders; so it is worked out anew for each removed
/// block. What was sound once stays so for the rest of the pull.
final class PullRemovals {
  private let members: Roster
  private let keys: KeyRing?
  /// Those that were found behind removed blocks, with the blocks that they stand in.
  private var found: [(author: BlockRef, order: PurgeOrder)] = []
  /// The hashes of what was read behind removed blocks, by branch, and the index of the first.
  private var paths: [BranchID: (first: UInt32, digests: [Digest])] = [:]
  private var sound: Set<SoundRemovals.Key> = []
  private var hasNews = false

  init(_ members: Roster, _ keys: KeyRing?) {
    self.members = members
    self.keys = keys
  }

  /// Whether orders were found since it was asked last.
  func takeNews() -> Bool {
    defer { hasNews = false }
    return hasNews
  }

  func isSound(_ ref: BlockRef, _ removed: BlockHeader) -> Bool {
    if sound.contains(SoundRemovals.Key(ref)) { return true }
    do {
      let orders = try members.orders() + found
      let naming = orders.filter { $0.order.names(ref, removed) }
      guard !naming.isEmpty else { return false }
      let mayOrder = try members.mayOrder(members.membership(), isWithin)
      guard naming.contains(where: { mayOrder($0.author, ref.instance) }) else { return false }
    } catch {
      // What cannot be looked up allows nothing; the store says so itself where it is written to.
      return false
    }
    sound.insert(SoundRemovals.Key(ref))
    return true
  }

  /// Reads on behind a removed block for orders, as far as hashes lead from it to a good signature. Once for each branch: what is
  /// behind the first one that nothing allows is behind all others too.
  func gather(from container: Container, _ branch: BranchID, behind verifier: ChainVerifier) throws {
    guard paths[branch] == nil else { return }
    var run = VerifiedRun(verifier, keys: keys, judgesRemovals: true)
    let first = verifier.nextIndex
    var digests: [Digest] = []
    var read: [BlockRef] = []
    let (keys, from) = (keys, found.count)
    func take(_ blocks: [VerifiedRun.Block]) {
      for block in blocks {
        read.append(block.ref)
        let content = block.bytes.withUnsafeBytes { BlockReader.content(of: $0, of: branch.instance, keys: keys) }
        for case .purge(let order) in content.payload?.controls ?? [] { found.append((block.ref, order)) }
      }
    }
    _ = try container.readBlocks(of: branch, from: first) { index, bytes in
      let mode = bytes.count > 3 ? BlockHeader.Mode(rawValue: bytes[3]) : []
      guard run.add(index, bytes, keeps: mode.contains(.orders)), let head = run.head else { return false }
      digests.append(head.digest)
      if run.isDue { take(run.takeVerified()) }
      return run.fault == nil
    }
    take(run.takeVerified())
    if let fault = run.fault { digests = Array(digests.prefix(Int(fault.index) - Int(first))) }
    paths[branch] = (first, digests)
    if found.count > from { hasNews = true }
  }

  /// Also of blocks that are not here yet.
  private func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool {
    if members.isWithin(block, last) { return true }
    guard block.index <= last.index else { return false }
    func has(_ path: (first: UInt32, digests: [Digest]), _ ref: BlockRef) -> Bool {
      guard ref.index >= path.first, ref.index - path.first < path.digests.count else { return false }
      return path.digests[Int(ref.index - path.first)] == ref.digest
    }
    return paths.contains { branch, path in
      branch.instance == block.instance && has(path, block) && has(path, last)
    }
  }
}
