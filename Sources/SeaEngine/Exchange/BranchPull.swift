import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

struct ContainerPull {
  let exchange: Exchange
  let place: ContainerPlace
  let keys: KeyRing?
  private let standing: PullAuthorization
  private let meter: WorkMeter?
  /// Branches whose base block is missing locally, each with the problem to report if the base is not imported.
  private var waiting: [(branch: BranchID, problem: Problem)] = []
  /// The maximum number of passes. Branches are sorted by first index, so one pass is enough unless the container's
  /// data is wrong.
  private static let mostRounds = 100

  init(_ exchange: Exchange, _ place: ContainerPlace) throws {
    (self.exchange, self.place, keys) = (exchange, place, try exchange.keychain.availableKeyRing())
    standing = PullAuthorization(exchange.members)
    meter = try WorkMeter(
      exchange.settings.report, .reading, place.name, items: { try exchange.containers.missing(from: place).blocks })
  }

  /// Imports the branches in order. After each pass that imports blocks, retries the branches whose base is missing.
  mutating func run(_ branches: [BranchID], _ result: inout SyncResult) throws {
    var open = branches
    for _ in 0..<ContainerPull.mostRounds where !open.isEmpty {
      guard let hasMoved = try pull(open, &result) else { return }
      open = hasMoved ? waiting.map(\.branch) : []
    }
    for (branch, problem) in waiting { try self.branch(branch).wait(for: problem, &result) }
  }

  private mutating func pull(_ branches: [BranchID], _ result: inout SyncResult) throws -> Bool? {
    waiting = []
    var hasMoved = false
    var rest = branches
    while !rest.isEmpty {
      let isLimited = exchange.settings.allowance?.isLimited == true
      let turn = try isLimited ? standing.splitByAuthorization(of: rest) : (now: rest, later: [])
      for branch in turn.now {
        if try isStopped(&result) { return nil }
        var pull = try self.branch(branch)
        if let problem = try pull.run(&result) { waiting.append((branch, problem)) }
        hasMoved = hasMoved || pull.applied > 0
      }
      rest = turn.later
    }
    return try isStopped(&result) ? nil : hasMoved
  }

  private func branch(_ branch: BranchID) throws -> BranchPull {
    try BranchPull(exchange, place, branch, keys, standing, meter)
  }

  private func isStopped(_ result: inout SyncResult) throws -> Bool {
    guard let allowance = exchange.settings.allowance, allowance.isExhausted, try exchange.folder.hasFounder() else {
      return false
    }
    let missing = try exchange.containers.missing(from: place)
    result.left.pull = missing.blocks
    if !missing.isEmpty {
      result.limit = allowance.reached
      try exchange.folder.remember(of: place.name) { $0.left = .init(missing) }
    }
    return true
  }
}

struct BranchPull {
  let exchange: Exchange
  let place: ContainerPlace
  let branch: BranchID
  private let keys: KeyRing?
  private let isSealed: Bool
  private let standing: PullAuthorization
  private let meter: WorkMeter?
  private(set) var applied = 0
  private(set) var isLimited = false
  /// Whether the blocks come from stray files, which reveal nothing about the content of the branch in the container.
  private var isLoose = false
  /// Whether an earlier sync saw the block that precedes the first one read by this pull. A valid block does not prove
  /// that the previous block exists, because a cloud client may have replaced the earlier file.
  private var isSeenBefore = true

  init(
    _ exchange: Exchange, _ place: ContainerPlace, _ branch: BranchID, _ keys: KeyRing?,
    _ standing: PullAuthorization, _ meter: WorkMeter?
  ) throws {
    self.standing = standing
    self.exchange = exchange
    self.place = place
    self.branch = branch
    self.keys = keys
    self.meter = meter
    isSealed = try exchange.folder.isSealed()
  }

  var store: Store { exchange.store }

  /// Finds the last block that is already stored, reads later blocks, and applies the valid ones.
  /// - Returns: the reason why the branch must wait, such as a missing base; nil if it does not have to wait.
  mutating func run(_ result: inout SyncResult) throws -> Problem? {
    guard let last = try place.container.lastIndex(of: branch) else { return try finish(nil, &result) }
    if let guess = try guess(last) {
      let read = try read(behind: guess, upTo: last, &result)
      // If the first block is an orphan, the guess was wrong, and the branch forked elsewhere.
      guard let read, read.orphan == read.first else { return try finish(read, &result) }
    }
    let overlap = try search()
    if case .orphan(let index) = overlap { return problem(.gap, index) }
    return try finish(read(behind: overlap, upTo: last, &result), &result)
  }

  // MARK: - Finding the first new block

  /// Guesses the last common block without a search. Returns nil if a guess is unlikely to be right. Usually, both
  /// sides use the same branch name, so it is enough to compare one block.
  private func guess(_ last: UInt32) throws -> Overlap? {
    guard let ours = try store.branches.branch(branch) else {
      return try branch.isMainBranch && store.branches.chain(branch.instance) == nil ? Overlap.none : nil
    }
    let seen = try store.peers.seen(branch, in: place.name)
    let end = min(last, ours.head.index)
    if branch.instance != exchange.folder.instance {
      if seen == ours.head || last > ours.head.index { return .upTo(ours.head.index, in: branch) }
      if seen?.index == last { return .upTo(last, in: branch) }
    }
    // Always read this instance's chain, because a copy of this instance may be writing under the same name.
    guard let link = try place.link(branch, end) else {
      // The container's copy of the block is damaged. If an earlier sync saw our block there, ignore the damage, which
      // the push will report. Otherwise, the container may have another branch under this name.
      guard let seen, seen.index >= end else { return nil }
      return try store.blocks.block(branch, seen.index)?.digest == seen.digest ? .upTo(end, in: branch) : nil
    }
    return try store.blocks.block(branch, end)?.digest == link.digest ? .upTo(end, in: branch) : nil
  }

  /// Searches for the last common block. Does not change which blocks count as seen, so that the next push restores
  /// blocks that an interrupted push lost.
  private func search() throws -> Overlap {
    guard var run = try place.run(of: branch) else { return .upTo(.max, in: branch) }
    // A bundle may contain only the end of a main branch, and this instance may have these blocks in another branch.
    if branch.isMainBranch { run.first = try place.container.firstIndex(of: branch) ?? 0 }
    return try store.overlap(with: run, of: place)
  }

  // MARK: - Reading

  private struct Read {
    let first: UInt32
    var end: ReadEnd
    var fault: VerifiedRun.Fault?
    /// The index of the first valid block whose previous block is missing locally.
    var orphan: UInt32?
    var gap: Problem?
    /// Whether reading stopped early, because of the limit or a reported problem.
    var isCut = false
    var isUnreadable = false
  }

  private mutating func read(behind overlap: Overlap, upTo last: UInt32, _ result: inout SyncResult) throws -> Read? {
    guard case .upTo(let index, let here) = overlap else {
      isSeenBefore = true
      return try read(behind: nil, &result)
    }
    guard index < last else { return nil }
    let before = try store.blocks.block(here, index)
    let seen = try store.peers.seen(branch, in: place.name)
    isSeenBefore = before.map { row in seen.map { $0.index >= row.index } ?? false } ?? true
    return try read(behind: before, &result)
  }

  /// Reads the blocks after a stored block and applies the valid ones. If a block does not follow the block before it
  /// in the folder, its `previous` digest identifies its branch.
  private mutating func read(behind row: BlockRow?, _ result: inout SyncResult) throws -> Read {
    let start = try row.map { try verifier(behind: $0) } ?? fresh(nil)
    var run = verifiedRun(start)
    var read = Read(first: start.nextIndex, end: .end(next: start.nextIndex))
    var pull = self
    // The digest of the last block that was skipped because its previous block is missing locally.
    var passed: Digest?
    var next = start.nextIndex
    let container = place.container
    func flush() throws -> Bool {
      read.isCut = try !pull.apply(run.drainVerified(), &result)
      return !read.isCut && run.fault == nil
    }
    /// - Returns: false if the block is invalid, an orphan, or already stored.
    func turn(to header: BlockHeader, _ bytes: UnsafeRawBufferPointer) throws -> Bool {
      let digest = header.hash
      if header.previous == passed {
        passed = digest
        return false
      }
      let before = BlockRef(instance: branch.instance, index: header.index &- 1, digest: header.previous)
      guard try flush() else { return false }
      pull.isSeenBefore = false
      if header.hash(ofIntact: bytes) != nil,
        let known = try store.blocks.block(BlockRef(instance: branch.instance, index: header.index, digest: digest))
      {
        (run, passed) = (verifiedRun(try verifier(behind: known)), nil)
        return false
      }
      if header.index > 0, let known = try store.blocks.block(before) {
        (run, passed) = (verifiedRun(try verifier(behind: known)), nil)
        return true
      }
      let key = try store.branches.chain(branch.instance)?.publicKey
      let chain = fresh(key)
      if header.index == 0 {
        (run, passed) = (verifiedRun(chain), nil)
        return true
      }
      if VerifiedRun.fault(of: bytes, header, like: chain, key: key) != nil {
        run.refuse(VerifiedRun.Fault(index: header.index, error: .badBlock(.badPrevious), bytes: Array(bytes)))
      } else {
        passed = digest
        read.orphan = read.orphan ?? header.index
      }
      return false
    }
    func readOn() throws -> ReadEnd {
      try container.readBlocks(of: branch, from: next) { index, bytes in
        next = index
        guard try pull.reserve(index, bytes.count) else {
          pull.isLimited = true
          return false
        }
        let header = try? BlockHeader(bytes)
        if let header, header.index == index, passed != nil || run.head.map({ $0.digest != header.previous }) ?? false {
          guard try turn(to: header, bytes) else {
            next = index + 1
            return run.fault == nil && !read.isCut
          }
        }
        let isSound = run.add(
          index, bytes,
          check: { (header, verifier) throws(CoreError) in
            guard !verifier.isAnonymous else { throw .noKey(try SealedBlock.key(of: bytes)) }
          })
        guard isSound else { return false }
        next = index + 1
        pull.meter?.add()
        return try run.isDue ? flush() : true
      }
    }
    do {
      read.end = try readTwice(readOn)
      while case .gap(let gap, _) = read.end, run.fault == nil, let there = try place.next(behind: gap, in: branch) {
        if read.gap == nil { read.gap = Problem(read.end, place: place.name, branch: branch) }
        (next, passed) = (there, passed ?? .zero)
        read.end = try readTwice(readOn)
      }
    } catch ContainerError.system(let error) where error.isUnreadable {
      result.add(unreadable: .system(error))
      (read.end, read.isUnreadable) = (.stopped(next: next), true)
    }
    if !read.isCut { _ = try flush() }
    self = pull
    read.isCut = read.isCut || isLimited
    read.fault = read.fault ?? run.fault
    return read
  }

  private func verifiedRun(_ verifier: ChainVerifier) -> VerifiedRun {
    VerifiedRun(verifier, keys: keys, mostBlocks: Exchange.maxBlocksPerTransaction)
  }

  private func fresh(_ key: [UInt8]?) -> ChainVerifier {
    ChainVerifier(database: exchange.folder.databaseID, instance: branch.instance, knownKey: key, isSealed: isSealed)
  }

  private func verifier(behind row: BlockRow) throws -> ChainVerifier {
    guard let chain = try store.branches.chain(branch.instance) else { throw StoreError.damaged("chain") }
    return try exchange.folder.verifier(behind: row, key: chain.publicKey)
  }

  private func finish(_ read: Read?, _ result: inout SyncResult) throws -> Problem? {
    guard let read else {
      try exchange.release(branch, in: place.name)
      return nil
    }
    if read.isCut || read.isUnreadable { return nil }
    if let fault = read.fault {
      if case .noKey = fault.error {
        // The block remains in the container until this instance receives the key.
        result.problems.append(problem(.noKey, fault.index))
      } else {
        try refuse(Problem.Code(fault.error), fault.index, fault.bytes, &result)
      }
      return nil
    }
    if let problem = Problem(read.end, place: place.name, branch: branch) {
      try wait(for: read.gap ?? problem, &result)
      return nil
    }
    guard let orphan = read.orphan else { return try finish(nil, &result) }
    return read.gap ?? problem(.gap, orphan - 1)
  }

  // MARK: - Applying

  /// Applies verified blocks from files that a reader of the branch does not reach.
  /// - Returns: whether the blocks are stored now.
  mutating func applyLoose(_ blocks: [VerifiedRun.Block], _ result: inout SyncResult) throws -> Bool {
    isLoose = true
    return try apply(blocks, &result) && applied > 0
  }

  /// - Returns: false if the blocks do not fit any branch. The problem is then reported.
  private mutating func apply(_ run: [VerifiedRun.Block], _ result: inout SyncResult) throws -> Bool {
    let ready = run.map { ReadBlock($0, keys) }
    for one in ready {
      let index = one.block.header.index
      if one.block.header.mode.contains(.removed) { continue }
      if let fault = one.content.fault {
        result.problems.append(problem(Problem.Code(fault), index, isKept: true))
      } else if one.content.isHidden {
        result.problems.append(Problem(unvouched: branch, index, place: place.name))
      }
    }
    guard let last = ready.last?.block.ref else { return true }
    let now = exchange.settings.clock()
    let isHeld = try !standing.isFullyAuthorized(branch.instance)
    var count = 0
    var fork: BranchRow?
    var total = ApplyResult()
    let (store, branch, name, isSeen) = (store, branch, place.name, isSeenBefore && !isLoose)
    var wrongFrom: UInt32?
    let hasPlace = try store.write {
      var row: BranchRow?
      var wasWrong = false
      for next in ready {
        if row == nil {
          if try store.blocks.block(next.block.ref) != nil { continue }
          guard let found = try store.branches.position(for: next.block.header, next.block.ref) else { return false }
          if found.isNew, !found.id.isMainBranch { fork = found }
          (row, wasWrong) = (found, found.isWrong)
        }
        total.add(
          try next.withBlock { block in
            block.isPending = isHeld
            return try store.intake.append(block, to: &row!, arrived: now)
          })
        count += 1
      }
      if !wasWrong { wrongFrom = row?.wrongFrom }
      if isSeen { try store.peers.setSeen(BlockRef(branch, index: last.index, digest: last.digest), in: name) }
      return true
    }
    guard hasPlace else {
      result.problems.append(problem(.fork, ready[0].block.header.index))
      return false
    }
    if let fork { result.problems.append(Problem(fork: fork.id, place: name, index: fork.first)) }
    if let wrongFrom { result.problems.append(problem(.badLamport, wrongFrom, isKept: true)) }
    result.add(total)
    result.pulled += count
    applied += ready.count
    return true
  }
}

extension BranchPull {
  /// Returns whether the limit still permits importing a block. If so, counts the block toward the limit.
  func reserve(_ index: UInt32, _ count: Int) throws -> Bool {
    guard let allowance = exchange.settings.allowance else { return true }
    if !allowance.reserve(Int64(count)) {
      // Until the creator's first block has arrived, the limit applies only to later blocks of the creator's chain.
      let isFounder = branch.instance == exchange.folder.proof?.founderInstance
      guard try !exchange.folder.hasFounder(), index == 0 || !isFounder else { return false }
    }
    allowance.delay(count, isFar: place.container.isFar)
    return true
  }

  func problem(_ code: Problem.Code, _ index: UInt32, isKept: Bool = false) -> Problem {
    var problem = Problem(code, place: place.name, branch: branch, index: index)
    problem.isStored = isKept
    return problem
  }

  /// Reports a gap or an incomplete block. Neither counts as damage until several syncs and some time have passed,
  /// because a cloud client may still be downloading the file.
  func wait(for problem: Problem, _ result: inout SyncResult) throws {
    var problem = problem
    if problem.code == .gap || problem.code == .incomplete {
      let wait = try keepApart(.incomplete, problem.index ?? 0, nil)
      let waited = exchange.settings.clock() - wait.since
      if try wait.syncs <= CopyMemory.patientSyncs || waited < exchange.settings.patience() {
        problem.code = .incomplete
      } else if problem.code == .incomplete {
        problem.code = .truncated
      }
    } else if problem.code != .noKey {
      _ = try keepApart(problem.code, problem.index ?? 0, nil)
    }
    result.problems.append(problem)
  }

  func refuse(
    _ code: Problem.Code, _ index: UInt32, _ bytes: [UInt8], _ result: inout SyncResult
  ) throws {
    // The content of a purged block must not come back through the quarantine.
    _ = try keepApart(code, index, bytes.count <= 1 << 20 && !store.purged.has(branch.instance, index) ? bytes : nil)
    result.problems.append(problem(code, index))
  }

  /// - Returns: when this problem first occurred, and in how many consecutive syncs it has occurred.
  private func keepApart(
    _ code: Problem.Code, _ index: UInt32, _ bytes: [UInt8]?
  ) throws -> (since: Int64, syncs: Int) {
    try store.write {
      try store.peers.recordQuarantined(
        branch, in: place.name, index: index, reason: code.rawValue, now: exchange.settings.clock(), bytes: bytes)
    }
  }
}

struct ReadBlock {
  let block: VerifiedRun.Block
  let content: BlockContent

  init(_ block: VerifiedRun.Block, _ keys: KeyRing?) {
    self.block = block
    content = block.bytes.withUnsafeBytes { BlockReader.content(of: $0, of: block.ref.instance, keys: keys) }
  }

  func withBlock(_ body: (inout VerifiedBlock) throws -> ApplyResult) throws -> ApplyResult {
    try VerifiedBlock.with(block.bytes, block.header, block.ref, content, body)
  }
}
