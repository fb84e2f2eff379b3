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
  package func plan(_ setting: ContainerSetting) throws -> ExchangePlan { try plans([setting])[0].get() }

  /// What an exchange with containers would move, which takes in from all before it hands over to any: what comes from one
  /// goes to the others.
  /// - Parameter pulls: whether it takes in anything.
  /// - Returns: one for each, or why there is none.
  package func plans(_ settings: [ContainerSetting], pulls: Bool = true) -> [Result<ExchangePlan, any Error>] {
    var arrived = Frontier()
    var arriving: [BlockRun] = []
    let places = settings.map { setting in
      Result {
        let place = ContainerPlace(try open(setting), named: setting.name)
        let pull = arrived.missing(of: pulls ? try missing(from: place) : [])
        for run in pull { arrived.raise(run.branch, to: run.last) }
        arriving += pull
        return (place, pull)
      }
    }
    return places.map { place in
      Result {
        let (place, pull) = try place.get()
        var there = Frontier()
        for run in try place.branches() { there.raise(run.branch, to: run.last) }
        return ExchangePlan(pull: pull, push: try missing(in: place) + there.missing(of: arriving))
      }
    }
  }

  /// What a container is not known to have.
  package func toPush(_ name: String) throws -> Int { try frontier(of: name).missing(of: goingOn()).blocks }

  /// What is here and goes on from here.
  private func goingOn() throws -> [BlockRun] {
    let runs = try store.branches.runs()
    let handedOn = try Roster(folder).handedOn()
    return handedOn.isEverything ? runs : runs.compactMap { handedOn.before($0) }
  }

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
    if branch.isTrunk, let seen, try store.branches.isForked(branch.instance) { return seen }
    let here = try store.branches.branch(branch)?.head.index
    return branch.isTrunk ? here : [seen, here].compactMap { $0 }.max()
  }

  /// What this instance has and a container lacks.
  private func missing(in place: ContainerPlace) throws -> [BlockRun] {
    var theirs = try frontier(of: place.name)
    // Of a chain that has one branch the name of its last block says it all.
    let alone = try store.branches.chains().filter { try !store.branches.isForked($0.instance) }
    theirs.forget(Set(alone.map(\.instance)))
    for chain in alone {
      if let last = try place.container.lastIndex(of: chain.trunk.id) { theirs.raise(chain.trunk.id, to: last) }
    }
    return try theirs.missing(of: goingOn())
  }

  /// What a container is known to have of our branches.
  func frontier(of name: String) throws -> Frontier {
    var frontier = Frontier()
    for seen in try store.peers.seen(in: name).values {
      if let row = try store.blocks.block(seen) {
        try store.branches.extend(&frontier, to: row)
      } else if let ours = try store.branches.branch(seen.branch), ours.head.index < seen.index {
        // It has more than is here.
        frontier.raise(ours.id, to: ours.head.index)
      }
    }
    return frontier
  }
}
