import SeaContainer
import SeaCore
import SeaStore

/// The outcome of an exchange with containers.
package struct SyncResult: Sendable {
  package var pulled = 0
  package var pushed = 0
  /// Blocks that a container had lost or damaged and has again; `pushed` includes them.
  package var healed = 0
  /// Damage in the container that was repaired.
  package var mended: [Problem] = []
  /// Purged blocks, files and assets whose content was still in a container.
  package var emptied = 0
  package var assetsPulled = 0
  package var assetsPushed = 0
  /// Assets that a container had lost or damaged and has again; `assetsPushed` includes them.
  package var assetsHealed = 0
  /// Key slots that a container had lost or damaged and has again.
  package var slotsHealed = 0
  package var revisions = 0
  /// Records with a new winner.
  package var records = 0
  /// Ids of records that came into conflict.
  package var conflicts: [String] = []
  /// Conflicts that were merged automatically.
  package var merged: [Merged] = []
  package var problems: [Problem] = []
  /// Unreadable files with new blocks: later blocks of their branches wait, and everything else continues.
  package private(set) var unreadable: [ContainerError] = []
  /// The ends of container branches that were written to, and of our own branches.
  var written: [BlockRef] = []
  /// The limit that left work for the next run; nil if no work is left.
  package var limit: Allowance.Limit?
  package var left = Left()

  package init(pulled: Int = 0, pushed: Int = 0, assetsPushed: Int = 0) {
    self.pulled = pulled
    self.pushed = pushed
    self.assetsPushed = assetsPushed
  }

  /// Assets fetched and handed over.
  package var assets: Int { assetsPulled + assetsPushed }

  /// Whether nothing changed, and there is nothing to report.
  package var isNothing: Bool { !hasChanged && pulled + assetsPulled + merged.count + problems.count == 0 }

  /// Whether a file is still arriving.
  package var isArriving: Bool { problems.contains { $0.code == .incomplete } }

  /// Returns the condition of a container, as far as it was checked.
  package func state(of container: String) -> ContainerCondition {
    if problems.contains(where: { $0.isDamage && $0.place == container }) { return .damaged }
    return !unreadable.isEmpty ? .failed : isArriving ? .arriving : .ok
  }

  mutating func note(unreadable error: ContainerError) {
    if unreadable.count < 20, !unreadable.contains(error) { unreadable.append(error) }
  }

  mutating func forgetUnreadable() { unreadable = [] }

  /// Throws the first read error, for callers that need all blocks.
  func throwUnreadable() throws { if let error = unreadable.first { throw error } }

  /// Drops the reported gaps of a branch, once the file after the gap turned out invalid.
  /// - Returns: whether there were any.
  mutating func forgetGaps(in branch: BranchID, of place: String) -> Bool {
    let count = problems.count
    problems.removeAll { $0.place == place && $0.branch == branch && $0.isGap }
    return problems.count < count
  }

  /// Drops the reports of awaited blocks of a chain before another search.
  mutating func forgetAwaited(of instance: UUID, in place: String) {
    problems.removeAll { problem in
      problem.place == place && problem.branch?.instance == instance && !problem.isKept && !problem.isOfAsset
        && (problem.code == .incomplete || problem.code == .gap) && problem.detail != Problem.placeholder
    }
  }

  /// Whether this sync wrote anything to the container, except for new small files.
  var hasChanged: Bool {
    pushed + healed + mended.count + emptied + assetsPushed + assetsHealed + slotsHealed > 0
  }

  mutating func add(_ applied: ApplyResult) {
    revisions += applied.revisions
    records += applied.records
    conflicts += applied.conflicts
  }

  /// Adds the outcome of another container.
  package mutating func add(_ other: SyncResult) {
    pulled += other.pulled
    pushed += other.pushed
    healed += other.healed
    mended += other.mended
    emptied += other.emptied
    assetsPulled += other.assetsPulled
    assetsPushed += other.assetsPushed
    assetsHealed += other.assetsHealed
    slotsHealed += other.slotsHealed
    revisions += other.revisions
    records += other.records
    conflicts += other.conflicts
    merged += other.merged
    problems += other.problems
    other.unreadable.forEach { note(unreadable: $0) }
    limit = limit ?? other.limit
    left = left + other.left
  }
}

/// The outcome of the exchange with one container. Completed work stays, whatever failed later.
package struct SyncOutcome {
  package var result = SyncResult()
  package var failure: (any Error)?

  package init() {}

  init(result: SyncResult, failure: (any Error)?) { (self.result, self.failure) = (result, failure) }

  package init(catching body: () throws -> SyncResult) {
    do { result = try body() } catch { failure = error }
  }

  func get() throws -> SyncResult {
    if let failure { throw failure }
    return result
  }
}
