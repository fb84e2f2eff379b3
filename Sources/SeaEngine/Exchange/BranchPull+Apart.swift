import SeaContainer
import SeaCore
import SeaStore

// What is wrong with a branch, or not here: told, kept apart, or left for another time.

extension BranchPull {
  /// Whether a block may be taken in in this run; then it counts.
  func takes(_ index: UInt32, _ count: Int) throws -> Bool {
    guard let allowance = exchange.settings.allowance else { return true }
    if !allowance.takes(Int64(count)) {
      // Whoever has nothing yet needs the founder's first block, and what comes before it.
      let isFounder = branch.instance == exchange.folder.proof?.founderInstance
      guard try !exchange.folder.hasFounder(), index == 0 || !isFounder else { return false }
    }
    allowance.pass(count, isFar: place.container.isFar)
    return true
  }

  /// A removed block that nothing allows which can be read here.
  func problem(removed fault: VerifiedRun.Fault) throws -> Problem {
    guard let digest = Digest(Array(fault.bytes.dropFirst(BlockHeader.size))),
      try removals.mayBeAllowed(BlockRef(instance: branch.instance, index: fault.index, digest: digest))
    else { return problem(.badRemoval, fault.index) }
    return Problem(unreadRemoval: branch, fault.index, place: place.name)
  }

  func problem(_ code: Problem.Code, _ index: UInt32, isKept: Bool = false) -> Problem {
    var problem = Problem(code, place: place.name, branch: branch, index: index)
    problem.isKept = isKept
    return problem
  }

  /// What was kept apart of the branch is of no more interest.
  func release() throws {
    guard try store.peers.quarantine(of: branch, in: place.name) != nil else { return }
    try store.write { try store.peers.release(branch, in: place.name) }
  }

  /// Tells of what is not whole or not there. A cloud client may still be bringing it: it counts as damage after so many syncs
  /// and so long.
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
    // What was purged does not come back as what does not verify.
    _ = try keepApart(code, index, bytes.count <= 1 << 20 && !store.purged.has(branch.instance, index) ? bytes : nil)
    result.problems.append(problem(code, index))
  }

  /// - Returns: since when the same was met, and in how many syncs in a row.
  private func keepApart(
    _ code: Problem.Code, _ index: UInt32, _ bytes: [UInt8]?
  ) throws -> (since: Int64, syncs: Int) {
    try store.write {
      try store.peers.keepApart(
        branch, in: place.name, index: index, reason: code.rawValue, now: exchange.settings.clock(), bytes: bytes)
    }
  }
}
