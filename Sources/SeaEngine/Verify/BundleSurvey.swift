import SeaContainer
import SeaCore

/// Verifies the chains in a bundle in a single pass, without a database. Keeps only one block in memory.
///
/// The results are valid only once the reader has reached the end and found all digests to be correct.
final class BundleSurvey: BundleVisitor {
  private let manifest: BundleManifest
  private let base: [BranchID: BundleHead]
  private let heads: [BranchID: BundleHead]
  private let place: String
  private let keys: KeyRing?
  private let readsPayloads: Bool
  private let names: [UUID: String]
  private let work: WorkMeter?
  private let checkStop: () throws -> Void
  private let members: MemberSurvey
  private var run: (chain: BranchID, blocks: ChainVerification, next: UInt32, from: Int, isGood: Bool)?
  private var splitter = BlockSplitter()
  private var isBlocks = false
  private(set) var reports: [ChainReport] = []
  private var slots: [Slot] = []
  private var slot: [UInt8]?
  private(set) var assets: (count: Int, bytes: Int64) = (0, 0)
  private let check: BundleAssetCheck?
  private var asset: AssetPlace?

  init(
    _ manifest: BundleManifest, place: String, readsPayloads: Bool, keys: KeyRing?, names: [UUID: String],
    check: BundleAssetCheck? = nil, work: WorkMeter? = nil, checkStop: @escaping () throws -> Void = {}
  ) {
    self.check = check
    self.manifest = manifest
    base = Dictionary(manifest.base.map { ($0.branch, $0) }) { first, _ in first }
    heads = Dictionary(manifest.heads.map { ($0.branch, $0) }) { first, _ in first }
    self.place = place
    self.readsPayloads = readsPayloads
    self.keys = keys
    self.names = names
    self.work = work
    self.checkStop = checkStop
    members = MemberSurvey(manifest.info.proof)
  }

  /// Returns problems for blocks purged without a valid purge order. A bundle that depends on other bundles does not
  /// show which members may order a purge.
  /// - Parameters:
  ///   - known: returns whether a source outside of the bundle confirms that a block was purged.
  func removals(known: (BlockRef) -> Bool, unknown: inout Int) -> [Problem] {
    members.removals(place, isWhole: base.isEmpty, known: known, unknown: &unknown)
  }

  /// Returns problems for blocks encrypted under a key that no control entry confirms.
  /// - Parameters:
  ///   - known: keys that this instance's database confirms.
  ///   - others: further key slots from this instance's database.
  func unvouched(_ known: KeyRing?, _ others: [Slot]) throws -> [Problem] {
    try members.unvouched(place, keys, known: known, isWhole: base.isEmpty) { slots + others }
  }

  func begin(_ member: BundleMember) throws {
    isBlocks = member.path.blocks != nil
    slot = nil
    asset = nil
    if case .asset(let place) = member.path {
      asset = place
      check?.begin(place)
    }
    if keys != nil, case .key = member.path, member.size <= Int64(SmallFile.largest), slots.count < Unlock.mostSlots {
      slot = []
    }
    guard let (chain, first, _) = member.path.blocks else { return }
    splitter = BlockSplitter()
    if run?.chain != chain {
      finish()
      begin(chain, at: first)
    }
  }

  private func begin(_ chain: BranchID, at first: UInt32) {
    let instance = chain.instance
    var verifier = ChainVerifier(database: manifest.database, instance: instance)
    let base = self.base[chain]
    if let base {
      verifier = ChainVerifier(
        database: manifest.database, head: base.block, lamport: base.lamport ?? 0, key: base.key,
        isSealed: manifest.isSealed)
    }
    let name = names[instance] ?? (instance == manifest.from ? manifest.name ?? "" : "")
    var blocks = ChainVerification(
      verifier, chain, place: place, name: name, readsPayloads: readsPayloads, keys: keys, survey: members,
      isSealed: manifest.isSealed)
    var isGood = true
    if let base, let key = base.key, Identity.instance(key: key) != instance {
      blocks.fail(.badKey, at: base.index)
      isGood = false
    }
    run = (chain, blocks, first, Int(first), isGood)
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    try checkStop()
    work?.add(bytes.count)
    slot?.append(contentsOf: bytes)
    if asset != nil { try check?.consume(bytes) }
    guard isBlocks, var now = run, now.isGood else { return }
    run = nil
    now.isGood = try splitter.add(bytes) { block in
      defer { now.next += 1 }
      check?.add(block, of: now.chain.instance)
      return now.blocks.add(now.next, block)
    }
    if !now.isGood { now.blocks.fail(.badSize, at: now.next) }
    run = now
  }

  func end(_ member: BundleMember) throws {
    if case .key(let name) = member.path, let slot = slot.flatMap({ try? Slot($0) }), slot.digest.description == name {
      slots.append(slot)
    }
    if case .asset(let place) = member.path {
      assets = (assets.count + 1, assets.bytes + member.size)
      try check?.end(place)
    }
    guard let (_, _, last) = member.path.blocks, run?.isGood == true else { return }
    guard let next = run?.next, !splitter.isAtEnd || next != last &+ 1 else { return }
    run?.blocks.fail(.badSize, at: next)
    run?.isGood = false
  }

  func finishAll() { finish() }

  private func finish() {
    guard var done = run else { return }
    run = nil
    var report = done.blocks.finish(.end(next: done.next))
    report.blocks = max(0, report.blocks - done.from)
    report.first = UInt32(done.from)
    let head = heads[done.chain]
    if report.problem == nil, head?.index != done.next &- 1 || done.blocks.head?.digest != head?.block.digest {
      report.problem = Problem(
        .gap, place: place, branch: done.chain, index: done.next)
    }
    reports.append(report)
  }
}
