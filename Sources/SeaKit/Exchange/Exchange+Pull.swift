import SeaContainer
import SeaCore
import SeaStore

extension Exchange {
  /// A Lamport time may be so far above everything known and no further, or one instance could use up the clock.
  static let lamportJump: UInt32 = 1 << 24
  /// Blocks are applied in runs, each one transaction; other writers have their turn between.
  static let runBlocks = 10_000

  /// Takes in what the container has and this instance lacks, as far as it verifies: of every instance the trunk and all
  /// branches that left it.
  /// - Parameter only: no other instance's.
  package func pull(
    from container: Container, named name: String, only: UUID? = nil, into result: inout SyncResult
  ) throws {
    let place = ContainerPlace(container, named: name)
    let listing = try place.chains()
    result.problems += listing.foreign.map { Problem(.foreignFile, place: name, detail: $0) }
    let meter = try WorkMeter(settings.report, .reading, name, items: { try containers.missing(from: place).blocks })
    let keys = try keychain.ringAtHand()
    let removals = PullRemovals(members, keys)
    var open = listing.chains.filter { only == nil || $0.instance == only }
    // A chain whose clock is far ahead may be told of by another one, and a branch may have left one that comes later;
    // so try again as long as anything moves.
    while !open.isEmpty {
      var deferred: [(branch: BranchID, problem: Problem)] = []
      var moved = false
      for branch in open {
        var pull = try BranchPull(self, place, branch, keys, removals, meter)
        let waits = try pull.run(&result)
        moved = moved || pull.applied > 0
        if let waits { deferred.append((branch, waits)) }
      }
      // What is ordered may stand behind what was removed.
      guard moved || removals.takeNews() else {
        for (branch, problem) in deferred {
          result.problems.append(problem)
          _ = try BranchPull(self, place, branch, keys, removals, nil).keepApart(problem.code, problem.index ?? 0, nil)
        }
        return
      }
      open = deferred.map(\.branch)
    }
  }
}
