import SeaContainer
import SeaCore
import SeaStore

/// Which removed blocks a pull may take in: those that an order names which counts as far as is known, or that of its own author.
/// Orders are those that are here, and those that stand in the container behind removed blocks that nothing here allows yet.
/// Whether what was taken in is sound is judged at the end.
///
/// With each block that is taken in more may be known of who may give orders. It is worked out once for each round of the
/// pull; what was not allowed in one is tried again in the next. What was sound once stays so for the rest of the pull.
final class PullRemovals {
  /// An order as far as it has to be known, and where the rest of it is.
  private struct Naming {
    var author: BlockRef
    var previous: Digest
    var lamport: UInt32
    var remains: () throws -> [UInt8]
  }

  private let members: Roster
  private let keys: KeyRing?
  private var store: Store { members.store }
  /// Those that were found behind removed blocks, by what they name.
  private var found: [SoundRemovals.Key: [Naming]] = [:]
  /// Those that are here.
  private var here: [SoundRemovals.Key: [Naming]] = [:]
  /// Who may give orders, as it was worked out from the beginning.
  private var judges: [SoundRemovals.Judge.Answer] = []
  /// The hashes of what was read behind removed blocks, by branch, and the index of the first.
  private var paths: [BranchID: (first: UInt32, digests: [Digest])] = [:]
  /// What is to be kept of those that are sound.
  private var sound: [SoundRemovals.Key: [UInt8]] = [:]
  /// What orders name that cannot be read: of those that are here, and of those that were read behind removed blocks.
  private var named: Set<SoundRemovals.Key>?
  private var namedBehind: Set<SoundRemovals.Key> = []
  /// Whether something behind a removed block cannot be read that may say who may give orders.
  private var hasLocked = false
  private var hasNews = false
  /// Whether there is more to go by than when the round began.
  private var mustLook = true
  /// Whether entries have come since then: the next one may know better.
  private(set) var isStale = true

  init(_ members: Roster, _ keys: KeyRing?) {
    self.members = members
    self.keys = keys
  }

  /// Looks who may order what, by what is here now.
  func beginRound() throws {
    guard mustLook else { return }
    here = [:]
    try store.control.forEachOrder { row in
      here[SoundRemovals.Key(row.order.block), default: []].append(
        Naming(author: row.author, previous: row.order.header.previous, lamport: row.order.header.lamport) {
          [store] in
          guard let order = try store.control.order(row.sequence, row.item) else { throw StoreError.damaged("control") }
          return Remains.encoded(order, in: row.author)
        })
    }
    judges = try RemovalRounds(members, store.blocks.removed()).judges { [unowned self] in isWithin($0, $1) }
    (isStale, mustLook) = (false, false)
  }

  /// Notes that entries were taken in.
  func noteEntries() { (isStale, mustLook) = (true, true) }

  /// Whether orders were found since it was asked last.
  func takeNews() -> Bool {
    defer { hasNews = false }
    return hasNews
  }

  /// What is to be kept of the order that allows a removed block; nil if none does.
  func remains(of ref: BlockRef, _ removed: BlockHeader) -> [UInt8]? {
    let key = SoundRemovals.Key(ref)
    if let known = sound[key] { return known }
    let naming = ((here[key] ?? []) + (found[key] ?? [])).filter {
      naming in
      naming.previous == removed.previous && naming.lamport == removed.lamport
        && (naming.author.instance == ref.instance || judges.contains { $0(naming.author, ref.instance) })
    }
    guard let least = naming.min(by: { $0.author.digest < $1.author.digest }) else { return nil }
    // What cannot be looked up allows nothing; the store says so itself where it is written to.
    sound[key] = try? least.remains()
    return sound[key]
  }

  /// Whether an order may allow a removed block that is refused, or its author be let in, in what cannot be read for want of a key.
  func mayBeAllowed(_ ref: BlockRef) throws -> Bool {
    let key = SoundRemovals.Key(ref)
    let known = try named ?? members.namedUnread()
    named = known
    if known.contains(key) || namedBehind.contains(key) { return true }
    guard here[key] != nil || found[key] != nil else { return false }
    return try hasLocked || members.mayLetInUnread()
  }

  /// Reads on behind a removed block for orders, as far as hashes lead from it to a good signature. Once for each branch: what is
  /// behind the first one that nothing allows is behind all others too.
  func gather(from container: Container, _ branch: BranchID, behind verifier: ChainVerifier) throws {
    guard paths[branch] == nil else { return }
    var run = VerifiedRun(verifier, keys: keys, judgesRemovals: true)
    let first = verifier.nextIndex
    var digests: [Digest] = []
    let keys = keys
    func take(_ blocks: [VerifiedRun.Block]) {
      for block in blocks {
        let content = block.bytes.withUnsafeBytes { BlockReader.content(of: $0, of: branch.instance, keys: keys) }
        if content.payload == nil, content.isLocked {
          hasLocked = hasLocked || block.header.mode.contains(.control)
          let named = try? block.bytes.withUnsafeBytes { try ClearList.blocks(of: $0) }
          if block.header.mode.contains(.orders) { namedBehind.formUnion((named ?? []).map { SoundRemovals.Key($0) }) }
        }
        for case .purge(let order) in content.payload?.controls ?? [] {
          let remains = Remains.encoded(order, in: block.ref)
          found[SoundRemovals.Key(order.block), default: []].append(
            Naming(author: block.ref, previous: order.header.previous, lamport: order.header.lamport) { remains })
          (hasNews, mustLook) = (true, true)
        }
      }
    }
    _ = try container.readBlocks(of: branch, from: first) { index, bytes in
      let mode = bytes.count > 3 ? BlockHeader.Mode(rawValue: bytes[3]) : []
      guard run.add(index, bytes, keeps: !mode.isDisjoint(with: [.orders, .control])), let head = run.head else {
        return false
      }
      digests.append(head.digest)
      if run.isDue { take(run.takeVerified()) }
      return run.fault == nil
    }
    take(run.takeVerified())
    if let fault = run.fault { digests = Array(digests.prefix(Int(fault.index) - Int(first))) }
    paths[branch] = (first, digests)
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
