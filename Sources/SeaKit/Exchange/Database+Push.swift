import SeaContainer
import SeaCore
import SeaStore

extension Database {
  /// Gives the container what this instance knows and the container lacks: its own chain and those it relays.
  package func push(to container: Container, named name: String, into exchange: inout Exchange) throws {
    let seen = try store.peers.seen(in: name)
    let forked = Set(try store.blocks.siblings().map { $0.instance })
    let count = try WorkCount(settings.report, .handing, name) { try toPush(name) }
    var there: [BranchID]?
    for chain in try store.blocks.chains() {
      guard forked.contains(chain.instance) else {
        try push(chain, to: container, named: name, seen[chain.trunk.id], count, &exchange)
        continue
      }
      if there == nil { there = try container.chains().chains }
      var push = BranchPush(self, container, name, chain.instance)
      push.count = count
      try push.run(there!, &exchange)
    }
  }

  private func push(
    _ chain: ChainRow, to container: Container, named name: String, _ seen: BlockRef?, _ count: WorkCount?,
    _ exchange: inout Exchange
  ) throws {
    let place = BranchID(chain.instance)
    let last = try container.lastIndex(of: place)
    if let seen, last.map({ $0 < seen.index }) ?? true {
      exchange.problems.append(
        Problem(
          .rolledBack, place: name, instance: chain.instance, index: last,
          detail: "block \(seen.index) was there before"))
    }
    var start: UInt32 = 0
    if let last {
      guard last <= chain.head.index else { return }
      start = last + 1
      if seen?.index != last {
        guard try isOurs(last, chain, container, name, &exchange) else { return }
        // The last push may have ended with the power.
        if seen != nil { start = try container.firstMissing(of: place, through: last) }
      }
      if seen == nil { try fillGaps(below: last, chain, container, place, &exchange) }
    }
    guard start <= chain.head.index else {
      if seen != chain.head { try remember(chain.head, name) }
      return
    }
    var next = start
    do {
      exchange.pushed += try container.writeBlocks(of: place, from: start) {
        guard next <= chain.head.index, let row = try store.blocks.block(BranchID(chain.instance), next) else {
          return nil
        }
        next += 1
        count?.add()
        return try intactBytes(of: row)
      }
    } catch ContainerError.differs(_, let index, let incomplete) {
      exchange.problems.append(
        Problem(incomplete ? .incomplete : .fork, place: name, instance: chain.instance, index: index))
      return
    }
    try remember(chain.head, name)
  }

  /// Puts back what is missing in the middle of a chain. To look for it costs a look at every name, so it is done when
  /// a container is met for the first time, or anew.
  private func fillGaps(
    below last: UInt32, _ chain: ChainRow, _ container: Container, _ place: BranchID, _ exchange: inout Exchange
  ) throws {
    var index: UInt32 = 0
    while index < last {
      defer { index += 1 }
      guard try !container.has(place, index) else { continue }
      exchange.pushed += try container.writeBlocks(of: place, from: index) {
        guard try index < last && !container.has(place, index) else { return nil }
        defer { index += 1 }
        return try store.blocks.block(BranchID(chain.instance), index).map { try intactBytes(of: $0) }
      }
    }
  }

  /// A block as it was when it was taken in: what this disk has damaged does not go on to others.
  func intactBytes(of row: BlockRow) throws -> [UInt8] {
    let bytes = try store.blocks.bytes(of: row)
    let digest = try bytes.withUnsafeBytes { Database.digest(of: $0, try BlockHeader($0)) }
    guard digest == row.digest else { throw StoreError.damaged("block \(row.place)") }
    return bytes
  }

  /// Whether the last block that the container has of a chain is the one that we have at its place.
  private func isOurs(
    _ index: UInt32, _ chain: ChainRow, _ container: Container, _ name: String, _ exchange: inout Exchange
  ) throws -> Bool {
    guard let ours = try store.blocks.block(BranchID(chain.instance), index) else { return false }
    var found: Digest?
    let end = try container.readBlocks(of: BranchID(chain.instance), from: index) { _, bytes in
      found = SHA256.hash(bytes)
      return false
    }
    if found == ours.digest { return true }
    let problem =
      found == nil
      ? Problem(end, place: name, instance: chain.instance)
      : Problem(.fork, place: name, instance: chain.instance, index: index)
    if let problem { exchange.problems.append(problem) }
    return false
  }

  private func remember(_ head: BlockRef, _ name: String) throws {
    try store.write { try store.peers.setSeen(head, in: name) }
  }
}
