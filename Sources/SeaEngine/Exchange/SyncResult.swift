import SeaContainer
import SeaCore
import SeaStore

/// What containers gave and got.
package struct SyncResult: Sendable {
  package var pulled = 0
  package var pushed = 0
  /// Blocks that a container had lost or damaged, and has again; they count as pushed too.
  package var healed = 0
  /// What was damaged in the container and is not any more.
  package var mended: [Problem] = []
  /// Blocks, files and assets that were purged and whose content was still in a container.
  package var emptied = 0
  /// Assets that were fetched.
  package var assetsPulled = 0
  /// Assets that were handed over.
  package var assetsPushed = 0
  /// Those of them that a container had lost or damaged, and has again.
  package var assetsHealed = 0
  /// Slots of keys that a container had lost or damaged, and has again.
  package var slotsHealed = 0
  package var revisions = 0
  /// Records with a new winner.
  package var records = 0
  /// Ids of records that came into conflict.
  package var conflicts: [String] = []
  /// Conflicts that ended by themselves.
  package var merged: [Merged] = []
  package var problems: [Problem] = []
  /// Files that cannot be read, and are known to nobody here: what is behind them in their branch waits, and all else is done.
  package private(set) var unreadable: [ContainerError] = []
  /// How far branches are in the container of which something was written, and the own ones.
  var written: [BlockRef] = []
  /// What was left for the next run, and why; nil if nothing was.
  package var limit: Allowance.Limit?
  package var left = Left()

  package init(pulled: Int = 0, pushed: Int = 0, assetsPushed: Int = 0) {
    self.pulled = pulled
    self.pushed = pushed
    self.assetsPushed = assetsPushed
  }

  /// Assets both ways.
  package var assets: Int { assetsPulled + assetsPushed }

  /// Whether nothing came of it, and nothing is to be said.
  package var isNothing: Bool { !hasChanged && pulled + assetsPulled + merged.count + problems.count == 0 }

  /// Whether something has not arrived yet that is on its way.
  package var isArriving: Bool { problems.contains { $0.code == .incomplete } }

  /// How it is with a container, as far as it was looked at.
  package func state(of container: String) -> ContainerCondition {
    if problems.contains(where: { $0.isDamage && $0.place == container }) { return .damaged }
    return !unreadable.isEmpty ? .failed : isArriving ? .arriving : .ok
  }

  mutating func note(unreadable error: ContainerError) {
    if unreadable.count < 20, !unreadable.contains(error) { unreadable.append(error) }
  }

  mutating func forgetUnreadable() { unreadable = [] }

  /// For who has to have all of it.
  func throwUnreadable() throws { if let error = unreadable.first { throw error } }

  /// What was told to be missing before something is not, once that has turned out to be nothing.
  /// - Returns: whether anything was.
  mutating func forgetGaps(in branch: BranchID, of place: String) -> Bool {
    let count = problems.count
    problems.removeAll { $0.place == place && $0.branch == branch && $0.isGap }
    return problems.count < count
  }

  /// What was told to be waited for of a chain is looked for once more.
  mutating func forgetAwaited(of instance: UUID, in place: String) {
    problems.removeAll { problem in
      problem.place == place && problem.branch?.instance == instance && !problem.isKept && !problem.isOfAsset
        && (problem.code == .incomplete || problem.code == .gap) && problem.detail != Problem.placeholder
    }
  }

  /// Whether anything was written into the container of this sync, but for small files.
  var hasChanged: Bool {
    pushed + healed + mended.count + emptied + assetsPushed + assetsHealed + slotsHealed > 0
  }

  mutating func add(_ applied: ApplyResult) {
    revisions += applied.revisions
    records += applied.records
    conflicts += applied.conflicts
  }

  /// Adds up what several containers gave and got.
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

/// What came of the exchange with a container: what was done stays, whatever failed then.
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
