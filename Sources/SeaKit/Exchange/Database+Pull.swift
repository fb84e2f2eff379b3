import SeaContainer
import SeaCore
import SeaStore

/// What one container gave and got.
package struct Exchange: Sendable {
  package var pulled = 0
  package var pushed = 0
  /// Assets that were fetched.
  package var assetsPulled = 0
  /// Assets that were handed over.
  package var assetsPushed = 0
  package var revisions = 0
  /// Records with a new winner.
  package var records = 0
  /// Ids of records that came into conflict.
  package var conflicts: [String] = []
  /// Conflicts that ended by themselves.
  package var merged: [Merged] = []
  package var problems: [Problem] = []

  package init() {}

  /// Assets both ways.
  package var assets: Int { assetsPulled + assetsPushed }

  mutating func add(_ applied: ApplyResult) {
    revisions += applied.revisions
    records += applied.records
    conflicts += applied.conflicts
  }
}

extension Database {
  /// A Lamport time may be so far above everything known and no further, or one instance could use up the clock.
  static let lamportJump: UInt32 = 1 << 24
  /// Blocks are applied in runs of about so many bytes, each one transaction; other writers have their turn between.
  static let runBytes = 8 << 20
  static let runBlocks = 10_000

  /// Takes in what the container has and this instance lacks, as far as it verifies: of every instance the trunk and all
  /// branches that left it.
  /// - Parameter only: no other instance's.
  package func pull(
    from container: Container, named name: String, only: UUID? = nil, into exchange: inout Exchange
  ) throws {
    let listing = try container.chains()
    exchange.problems += listing.foreign.map { Problem(.foreignFile, place: name, detail: $0) }
    let count = try WorkCount(settings.report, .reading, name) { try toPull(container, named: name) }
    var open = listing.chains.filter { only == nil || $0.instance == only }
    // A chain whose clock is far ahead may be told of by another one, and a branch may have left one that comes later;
    // so try again as long as anything moves.
    while !open.isEmpty {
      var deferred: [(chain: BranchID, problem: Problem)] = []
      var moved = false
      for chain in open {
        var reader = try ChainPull(self, container, name, chain)
        reader.count = count
        let waits = try reader.run(&exchange)
        moved = moved || reader.applied > 0
        if let waits { deferred.append((chain, waits)) }
      }
      if !moved {
        for (chain, problem) in deferred {
          exchange.problems.append(problem)
          _ = try store.write {
            try store.peers.keepApart(
              chain, in: name, index: problem.index ?? 0,
              reason: problem.code.rawValue, now: settings.clock(), bytes: nil)
          }
        }
        break
      }
      open = deferred.map { $0.chain }
    }
  }
}
