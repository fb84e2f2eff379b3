import SeaContainer
import SeaCore

extension ChainCopy {
  /// Makes up for what a writer of the own chain has not come to: a full folder becomes one file, and what lies beside such a file is
  /// taken away.
  func foldRest() throws {
    guard isOwn, !dryRun, allowance?.isSpent != true else { return }
    for there in theres where !there.waits && there.gone.isEmpty && there.survey.hasUnfolded {
      try prepare()
      try container.fold(there.branch)
    }
  }
}
