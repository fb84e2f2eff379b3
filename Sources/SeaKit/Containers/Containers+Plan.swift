import SeaContainer
import SeaCore
import SeaStore

/// What an exchange with a container would move, by names and by what is remembered of it: nothing is read or verified.
package struct ExchangePlan: Equatable, Sendable {
  /// What the container has and this instance lacks; branches go by the container's names.
  package var pull: [BlockRun] = []
  /// What this instance has and the container lacks; branches go by our names.
  package var push: [BlockRun] = []

  package init(pull: [BlockRun] = [], push: [BlockRun] = []) {
    self.pull = pull
    self.push = push
  }
}

extension Containers {
  /// What an exchange with a container would move.
  package func plan(_ setting: ContainerSetting) throws -> ExchangePlan {
    let place = ContainerPlace(try open(setting), named: setting.name)
    return ExchangePlan(pull: try missing(from: place), push: try missing(in: place))
  }

  /// What a container is not known to have.
  package func toPush(_ name: String) throws -> Int { try frontier(of: name).missing(of: store.blocks.runs()).blocks }

  /// What a container has and this instance lacks.
  func missing(from place: ContainerPlace) throws -> [BlockRun] {
    var ours = Frontier()
    for branch in try place.chains().chains {
      if let last = try lastKnown(of: branch, in: place.name) { ours.raise(branch, to: last) }
    }
    return try ours.missing(of: place.branches())
  }

  /// The last index of a branch of a container up to which nothing is lacking here.
  private func lastKnown(of branch: BranchID, in name: String) throws -> UInt32? {
    let seen = try store.peers.seen(branch, in: name)?.index
    if branch.isTrunk, let seen, try store.blocks.isForked(branch.instance) { return seen }
    let here = try store.blocks.branch(branch)?.head.index
    return branch.isTrunk ? here : [seen, here].compactMap { $0 }.max()
  }

  /// What this instance has and a container lacks.
  private func missing(in place: ContainerPlace) throws -> [BlockRun] {
    var theirs = try frontier(of: place.name)
    // Of a chain that has one branch the name of its last block says it all.
    for chain in try store.blocks.chains() where try !store.blocks.isForked(chain.instance) {
      theirs.forget(chain.instance)
      if let last = try place.container.lastIndex(of: chain.trunk.id) { theirs.raise(chain.trunk.id, to: last) }
    }
    return try theirs.missing(of: store.blocks.runs())
  }

  /// What a container is known to have of our branches.
  private func frontier(of name: String) throws -> Frontier {
    var frontier = Frontier()
    for seen in try store.peers.seen(in: name).values {
      if let row = try store.blocks.block(seen) {
        try store.blocks.extend(&frontier, to: row)
      } else if let ours = try store.blocks.branch(seen.branch), ours.head.index < seen.index {
        // It has more than is here.
        frontier.raise(ours.id, to: ours.head.index)
      }
    }
    return frontier
  }
}
