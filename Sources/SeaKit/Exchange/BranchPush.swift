import SeaContainer
import SeaCore
import SeaStore

/// Gives a container the branches of a chain that has several. Where each of them lies there is found by what its blocks
/// are: our trunk may be a sibling branch there, and the other way round.
struct BranchPush {
  private let database: Database
  private let container: Container
  private let name: String
  private let instance: UUID
  /// Told of each block that is handed over.
  var count: WorkCount?

  init(_ database: Database, _ container: Container, _ name: String, _ instance: UUID) {
    self.database = database
    self.container = container
    self.name = name
    self.instance = instance
  }

  /// - Parameter chains: what the container has.
  mutating func run(_ chains: [BranchID], _ exchange: inout Exchange) throws {
    let store = database.store
    let seen = try store.peers.seen(of: instance, in: name)
    var isQuiet = try database.toPush(instance, name) == 0
    var found = 0
    for chain in chains where chain.instance == instance {
      guard let known = seen[chain] else {
        isQuiet = false
        continue
      }
      found += 1
      let last = try container.lastIndex(of: chain)
      if last != known.index { isQuiet = false }
      if last.map({ $0 < known.index }) ?? true { lost(chain, known, last, &exchange) }
    }
    if found < seen.count {
      isQuiet = false
      for (branch, head) in seen where !chains.contains(branch) {
        lost(BranchID(instance), head, nil, &exchange)
        try store.write { try store.peers.forgetSeen(branch, in: name) }
      }
    }
    if isQuiet { return }
    let ours = try BranchTree(store, instance)
    var theirs = try BranchTree(container, instance, among: chains)
    for at in ours.inOrder {
      guard try push(at, of: ours, into: &theirs, &exchange) else { return }
    }
    try remember(theirs)
  }

  private func lost(_ chain: BranchID, _ known: BlockRef, _ last: UInt32?, _ exchange: inout Exchange) {
    exchange.problems.append(
      Problem(
        .rolledBack, place: name, instance: instance, index: last, fork: chain.fork,
        detail: "block \(known.index) was there before"))
  }

  /// - Returns: false if something that is not known is in the way.
  private func push(
    _ at: Int, of ours: BranchTree, into theirs: inout BranchTree, _ exchange: inout Exchange
  ) throws -> Bool {
    let branch = ours.branches[at]
    let found = try theirs.find(at, of: ours)
    if let found, found.index == branch.last {
      let there = theirs.branches[found.branch]
      if try database.store.peers.seen(there.chain, in: name)?.index == there.last { return true }
    }
    let start = found.map { $0.index + 1 } ?? 0
    var target = found?.branch ?? theirs.index(of: BranchID(instance))
    var from = start
    if let there = target, start <= branch.last, theirs.branches[there].last >= start {
      // It goes on with another block there: a branch of its own, unless that block is not known to be good.
      let chain = theirs.branches[there].chain
      guard let other = try container.identity(of: chain, at: start)?.digest,
        try database.store.blocks.block(BlockRef(instance: instance, index: start, digest: other)) != nil
      else {
        try inTheWay(chain, start, &exchange)
        return false
      }
      target = nil
    } else if let there = target {
      // The last push may have ended with the power: what is written anew is the same.
      let near = min(start, branch.last)
      from = max(theirs.branches[there].first, near - near % 1000)
    }
    guard let first = try ours.digest(at: min(start, branch.last), along: at) else {
      throw StoreError.damaged("block \(branch.chain)/\(start)")
    }
    let hasTrunk = theirs.index(of: BranchID(instance)) != nil
    let chain =
      target.map { theirs.branches[$0].chain }
      ?? (start == 0 && !hasTrunk ? BranchID(instance) : BranchID(instance, forkedAt: first))
    let path = ours.path(to: at)
    var next = from
    do {
      let written = try container.writeBlocks(of: chain, from: from) {
        guard let step = path.first(where: { next <= $0.last }), next <= branch.last,
          let row = try database.store.blocks.block(step.branch.chain, next)
        else { return nil }
        next += 1
        count?.add()
        return try database.intactBytes(of: row)
      }
      exchange.pushed += written - Int(start - from)
    } catch ContainerError.differs(_, let index, let incomplete) {
      let code: Problem.Code = incomplete ? .incomplete : .fork
      exchange.problems.append(Problem(code, place: name, instance: instance, index: index, fork: chain.fork))
      return false
    }
    if let target {
      theirs.extend(target, to: max(branch.last, theirs.branches[target].last))
    } else {
      theirs.add(BranchTree.Branch(chain: chain, first: start, last: branch.last, parent: found?.branch))
    }
    return true
  }

  private func inTheWay(_ chain: BranchID, _ index: UInt32, _ exchange: inout Exchange) throws {
    let end = try container.readBlocks(of: chain, from: index) { _, _ in false }
    var problem =
      Problem(end, place: name, instance: instance)
      ?? Problem(.fork, place: name, instance: instance, index: index)
    problem.fork = chain.fork
    exchange.problems.append(problem)
  }

  private func remember(_ theirs: BranchTree) throws {
    let store = database.store
    var heads: [BlockRef] = []
    for at in theirs.branches.indices {
      let branch = theirs.branches[at]
      guard let digest = try theirs.digest(at: branch.last, along: at),
        try store.blocks.block(BlockRef(instance: instance, index: branch.last, digest: digest)) != nil
      else { continue }
      let head = BlockRef(branch.chain, index: branch.last, digest: digest)
      if try store.peers.seen(branch.chain, in: name) != head { heads.append(head) }
    }
    guard !heads.isEmpty else { return }
    try store.write { for head in heads { try store.peers.setSeen(head, in: name) } }
  }
}

extension Database {
  /// How many blocks of an instance's chain and its branches a container is not known to have.
  func toPush(_ instance: UUID, _ name: String) throws -> Int {
    let (tree, first) = try unpushed(instance, name)
    return tree.branches.indices.reduce(0) { $0 + Int(tree.branches[$1].last) + 1 - Int(first[$1]) }
  }

  /// The branches of a chain, and of each the first block that a container is not known to have.
  func unpushed(_ instance: UUID, _ name: String) throws -> (tree: BranchTree, first: [UInt32]) {
    let tree = try BranchTree(store, instance)
    var first = tree.branches.map { $0.first }
    for (_, head) in try store.peers.seen(of: instance, in: name) {
      guard let row = try store.blocks.block(head),
        let at = tree.index(of: row.branch)
      else { continue }
      var next = head.index + 1
      var one: Int? = at
      while let branch = one {
        first[branch] = max(first[branch], next)
        next = tree.branches[branch].first
        one = tree.branches[branch].parent
      }
    }
    return (tree, first)
  }
}
