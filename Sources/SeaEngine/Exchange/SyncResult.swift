import SeaContainer
import SeaCore
import SeaStore

package struct SyncResult: Sendable {
  package var pulled = 0
  package var pushed = 0
  /// The number of lost or damaged blocks that were written again. They are included in `pushed`.
  package var healed = 0
  package var mended: [Problem] = []
  /// The number of purged blocks, files and assets whose content was still in a container and has been removed.
  package var emptied = 0
  package var assetsPulled = 0
  package var assetsPushed = 0
  /// The number of lost or damaged assets that were written again. They are included in `assetsPushed`.
  package var assetsHealed = 0
  package var slotsHealed = 0
  package var revisions = 0
  /// The number of records whose winner changed.
  package var records = 0
  package var conflicts: [String] = []
  package var merged: [Merged] = []
  package var problems: [Problem] = []
  /// Errors in reading files. Later blocks of the same branches have to wait; other branches are not affected.
  package private(set) var unreadable: [ContainerError] = []
  /// The last blocks of this instance's branches, and of all branches in the container that were written to.
  var written: [BlockRef] = []
  package var limit: Allowance.Limit?
  package var left = Left()

  package init(pulled: Int = 0, pushed: Int = 0, assetsPushed: Int = 0) {
    self.pulled = pulled
    self.pushed = pushed
    self.assetsPushed = assetsPushed
  }

  package var assets: Int { assetsPulled + assetsPushed }

  package var isNothing: Bool { !hasChanged && pulled + assetsPulled + merged.count + problems.count == 0 }

  package var isIncomplete: Bool { problems.contains { $0.code == .incomplete } }

  /// Returns the condition of a container, based on the files that were checked.
  package func state(of container: String) -> ContainerCondition {
    if problems.contains(where: { $0.isDamage && $0.place == container }) { return .damaged }
    return !unreadable.isEmpty ? .failed : isIncomplete ? .incomplete : .ok
  }

  mutating func add(unreadable error: ContainerError) {
    if unreadable.count < 20, !unreadable.contains(error) { unreadable.append(error) }
  }

  mutating func forgetUnreadable() { unreadable = [] }

  /// Throws the first read error. Used by callers that need all blocks.
  func throwUnreadable() throws { if let error = unreadable.first { throw error } }

  /// Drops the gaps reported for a branch, because the file after the gap has turned out to be invalid.
  /// - Returns: whether any gap was reported.
  mutating func forgetGaps(in branch: BranchID, of place: String) -> Bool {
    let count = problems.count
    problems.removeAll { $0.place == place && $0.branch == branch && $0.isGap }
    return problems.count < count
  }

  /// Drops the reports of missing blocks of a chain before searching for them again.
  mutating func forgetAwaited(of instance: UUID, in place: String) {
    problems.removeAll { problem in
      problem.place == place && problem.branch?.instance == instance && !problem.isStored && !problem.isOfAsset
        && (problem.code == .incomplete || problem.code == .gap) && problem.detail != Problem.placeholder
    }
  }

  /// Whether this sync wrote anything to the container other than new small files.
  var hasChanged: Bool {
    pushed + healed + mended.count + emptied + assetsPushed + assetsHealed + slotsHealed > 0
  }

  mutating func add(_ applied: ApplyResult) {
    revisions += applied.revisions
    records += applied.records
    conflicts += applied.conflicts
  }

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
    other.unreadable.forEach { add(unreadable: $0) }
    limit = limit ?? other.limit
    left = left + other.left
  }
}

/// The outcome of a sync with one container. The result is valid even after a failure.
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
