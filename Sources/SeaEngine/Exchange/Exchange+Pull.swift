import SeaContainer
import SeaCore
import SeaStore

extension Exchange {
  /// Blocks are applied in runs, each one transaction; other writers have their turn between.
  static let runBlocks = 10_000
  /// So often branches are tried that wait for others. In the order of their beginnings one of these does, unless what is
  /// there misleads.
  static let mostRounds = 100

  /// Takes in what the container has and this instance lacks, as far as it verifies: of every instance the trunk and all
  /// branches that left it.
  /// - Parameter only: no other instance's.
  package func pull(
    from container: Container, named name: String, only: UUID? = nil, into result: inout SyncResult
  ) throws {
    try pullBlocks(from: container, named: name, only: only, into: &result)
    try judge(name, into: &result)
  }

  /// Clocks may follow from what has come, and orders allow or no longer allow what was removed.
  private func judge(_ name: String, into result: inout SyncResult) throws {
    let judgement = try members.judge()
    for (branch, index) in judgement.wrong {
      var problem = Problem(.badLamport, place: name, branch: branch, index: index)
      problem.isKept = true
      result.problems.append(problem)
    }
    if let records = judgement.records { result.records = records }
    if judgement.isChanged { result.add(try members.applyWhatCounts()) }
  }

  /// Only a block that a newer program would read may name heads that can be read.
  func headsOfUnread(_ row: BlockRow, _ ring: KeyRing?) throws -> [BlockRef]? {
    guard row.unread == .notReadable else { return nil }
    let bytes = try store.content.bytes(of: row)
    return bytes.withUnsafeBytes { BlockReader.content(of: $0, of: row.instance, keys: ring).heads }
  }

  private func pullBlocks(
    from container: Container, named name: String, only: UUID?, into result: inout SyncResult
  ) throws {
    let place = ContainerPlace(container, named: name)
    let listing = try place.chains()
    result.problems += listing.foreign.filter { !Layout.isLitter($0) }.map {
      Problem(.foreignFile, place: name, detail: $0)
    }
    if only == nil { try CopyMemory.begin(store, name, container, listing.chains) }
    let meter = try WorkMeter(settings.report, .reading, name, items: { try containers.missing(from: place).blocks })
    let keys = try keychain.ringAtHand()
    for row in try store.blocks.unsoundRemovals() { try heal(row, from: place, keys) }
    let removals = PullRemovals(members, keys)
    let standing = PullStanding(members)
    var open = try place.inOrder(listing.chains.filter { only == nil || $0.instance == only })
    // A branch may have left one that comes later; so try again as long as anything moves.
    var rounds = 0
    // Whether no more may be taken in in this run; then it is noted what is left.
    func isStopped() throws -> Bool {
      guard let allowance = settings.allowance, allowance.isSpent, try folder.hasFounder() else { return false }
      let missing = try containers.missing(from: place)
      result.left.pull = missing.blocks
      if !missing.isEmpty {
        result.limit = allowance.reached
        try LeftBehind.note(missing, in: name, store)
      }
      return true
    }
    while !open.isEmpty {
      rounds += 1
      var deferred: [(branch: BranchID, problem: Problem)] = []
      var moved = false
      try removals.beginRound()
      var rest = open
      while !rest.isEmpty {
        // Where not everything may be taken in, what belongs to nobody has its turn last.
        let turn = try settings.allowance?.isLimited == true ? standing.turn(of: rest) : (now: rest, later: [])
        for branch in turn.now {
          if try isStopped() { return }
          var pull = try BranchPull(self, place, branch, keys, removals, standing, meter)
          let waits = try pull.run(&result)
          moved = moved || pull.applied > 0
          if let waits { deferred.append((branch, waits)) }
        }
        rest = turn.later
      }
      if try isStopped() { return }
      // What is ordered may stand behind what was removed.
      guard moved || removals.takeNews(), rounds < Exchange.mostRounds else {
        for (branch, problem) in deferred {
          try BranchPull(self, place, branch, keys, removals, standing, nil).wait(for: problem, &result)
        }
        return
      }
      open = deferred.map(\.branch)
    }
  }

  /// Looks for a whole copy of a block that was removed and is not to be: its hash says whether it is one.
  private func heal(_ row: BlockRow, from place: ContainerPlace, _ keys: KeyRing?) throws {
    guard let branch = try place.branch(of: row.ref) else { return }
    var whole: [UInt8]?
    _ = try place.container.readBlocks(of: branch, from: row.index) { _, bytes in
      if SHA256.hash(bytes) == row.digest { whole = Array(bytes) }
      return false
    }
    guard let whole else { return }
    let content = whole.withUnsafeBytes { BlockReader.content(of: $0, of: row.instance, keys: keys) }
    let header = try whole.withUnsafeBytes { try BlockHeader($0) }
    // Nor does the hash that is left bind what was before: what was put elsewhere is not healed there.
    let kept = try store.content.bytes(of: row).withUnsafeBytes { try BlockHeader($0) }
    guard kept.previous == header.previous else { return }
    try store.write { try VerifiedBlock.with(whole, header, row.ref, content) { try store.intake.heal(row, with: $0) } }
  }
}
