import SeaContainer
import SeaCore

/// Verifies the chains of a bundle while it is read: no database, no file, memory for one block.
///
/// What it finds counts once the reader has come to the end and found every digest right.
final class BundleSurvey: BundleVisitor {
  private let manifest: BundleManifest
  /// Of each branch what the manifest says of it.
  private let base: [BranchID: BundleHead]
  private let heads: [BranchID: BundleHead]
  private let place: String
  private let keys: KeyRing?
  private let readsPayloads: Bool
  private let names: [UUID: String]
  private let work: WorkMeter?
  private let checkStop: () throws -> Void
  /// Who may order what, as far as the bundle says it.
  private let members: MemberSurvey
  private var run: (chain: BranchID, blocks: ChainVerification, next: UInt32, from: Int, isGood: Bool)?
  private var splitter = BlockSplitter()
  /// Whether the member that is being read has blocks.
  private var isBlocks = false
  private(set) var reports: [ChainReport] = []
  /// What wraps keys.
  private var slots: [Slot] = []
  /// The bytes of the slot that is being read.
  private var slot: [UInt8]?
  private(set) var assets: (count: Int, bytes: Int64) = (0, 0)
  /// Holds assets against what blocks say, if that is wanted.
  private let check: BundleAssetCheck?
  /// The file of assets that is being read.
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

  /// What was removed without an order. Of a bundle that builds on others nobody knows who may order what.
  /// - Parameters:
  ///   - known: what somebody knows of removed blocks who has more than the bundle.
  ///   - unknown: gets how many removed blocks nobody here can judge.
  func removals(known: (BlockRef) -> Bool, unknown: inout Int) -> [Problem] {
    members.removals(place, isWhole: base.isEmpty, known: known, unknown: &unknown)
  }

  /// What opened under keys for which nothing speaks.
  /// - Parameters:
  ///   - known: keys for which something speaks elsewhere.
  ///   - others: slots that are known elsewhere.
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
    if asset != nil { try check?.take(bytes) }
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

  /// Everything was read.
  func finishAll() { finish() }

  /// Ends the chain that was being read.
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
