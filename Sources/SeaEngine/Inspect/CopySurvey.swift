import SeaCore
import SeaStore

/// How many blocks of each chain the copies of the database have, as far as this instance knows.
package struct CopySurvey: Sendable {
  /// The blocks that are stored here, by author.
  package fileprivate(set) var here: [UUID: Int] = [:]
  /// The blocks that an instance had when it wrote its newest block, by instance and author.
  package fileprivate(set) var instances: [UUID: [UUID: Int]] = [:]
  /// The blocks that a container had when it was last seen, by container and author.
  package fileprivate(set) var containers: [String: [UUID: Int]] = [:]
  package fileprivate(set) var forked: Set<UUID> = []

  /// The number of blocks to read of each instance, newest first. A block names only heads that are new to its author.
  fileprivate static let mostBlocks = 10_000
}

extension Database {
  package func copySurvey() throws -> CopySurvey {
    try store.snapshot {
      var survey = CopySurvey()
      let runs = try store.branches.runs()
      for run in runs { survey.here[run.branch.instance, default: 0] += run.count }
      func counts(_ frontier: VersionVector) -> [UUID: Int] {
        var counts = survey.here
        for run in frontier.missing(of: runs) { counts[run.branch.instance, default: 0] -= run.count }
        return counts
      }
      for chain in try store.branches.chains() where chain.instance != instance {
        survey.instances[chain.instance] = counts(try frontier(seenBy: chain.instance, among: runs))
        if try store.branches.isForked(chain.instance) { survey.forked.insert(chain.instance) }
      }
      survey.instances[instance] = survey.here
      for setting in try containers.settings() {
        survey.containers[setting.name] = counts(try containers.frontier(of: setting.name))
      }
      return survey
    }
  }

  private func frontier(seenBy instance: UUID, among runs: [BlockRun]) throws -> VersionVector {
    var frontier = VersionVector()
    for branch in try store.branches.branches(of: instance) {
      try store.branches.extend(&frontier, to: branch.head)
    }
    var left = CopySurvey.mostBlocks
    try store.branches.forEachTransaction(of: instance) { row in
      let heads = try store.content.heads(of: row)
      for head in heads { try store.branches.extend(&frontier, to: head) }
      left -= 1
      return left > 0 && (heads.isEmpty || !frontier.missing(of: runs).isEmpty)
    }
    return frontier
  }
}
