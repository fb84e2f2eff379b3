import SeaContainer
import SeaCore
import SeaStore

/// Reads one chain of a container, or a branch of one, behind what is known of it.
struct ChainPull {
  let database: Database
  let container: Container
  let name: String
  let chain: BranchID
  private var verifier: ChainVerifier
  private let keys: KeyRing?
  private let isSealed: Bool
  private var run: [(bytes: [UInt8], header: BlockHeader, head: BlockRef)] = []
  private var runBytes = 0
  private var greatestLamport: UInt32 = 0
  private var cover = Cover()
  /// Told of each block that is read.
  var count: WorkCount?
  /// Blocks that are now kept.
  private(set) var applied = 0

  init(_ database: Database, _ container: Container, _ name: String, _ chain: BranchID) throws {
    self.database = database
    keys = try database.keysAtHand()
    isSealed = try database.isSealed()
    self.container = container
    self.name = name
    self.chain = chain
    verifier = ChainVerifier(database: database.databaseID, instance: chain.instance)
  }

  /// - Returns: what the rest has to wait for: a clock too far ahead of everything known, a branch that this one left.
  mutating func run(_ exchange: inout Exchange) throws -> Problem? {
    switch try start() {
    case .nothing:
      try release()
      return nil
    case .orphan(let index): return problem(.gap, index)
    case .behind(let row): try begin(behind: row)
    }
    let first = verifier.nextIndex
    var (end, fault, isAhead) = try read(&exchange)
    if let refused = fault, refused.index == first, isOfAnother(refused.error) {
      // The folder has another branch than the one that it was thought to go on from.
      switch try search() {
      case .nothing:
        try release()
        return nil
      case .orphan(let index): return problem(.gap, index)
      case .behind(let row):
        if row?.index != verifier.head?.index || row?.digest != verifier.head?.digest {
          try begin(behind: row)
          (end, fault, isAhead) = try read(&exchange)
        }
      }
    }
    guard let end else { return nil }
    if case .noKey? = fault?.error {
      // It waits where it is until somebody lets us in.
      exchange.problems.append(problem(.noKey, fault?.index ?? 0))
    } else if let fault {
      try refuse(Problem.Code(fault.error), fault.index, fault.bytes, &exchange)
    } else if var problem = Problem(end, place: name, instance: chain.instance) {
      let index = problem.index ?? 0
      problem.fork = chain.fork
      let syncs = try keepApart(problem.code, index, nil)
      // A cloud client is still writing it; after a few syncs that is no longer likely.
      if problem.code == .incomplete, syncs > 3 { problem.code = .truncated }
      exchange.problems.append(problem)
    } else {
      try release()
    }
    return isAhead ? problem(.badLamport, verifier.nextIndex) : nil
  }

  /// Whether a block is refused only for what is before it.
  private func isOfAnother(_ error: CoreError) -> Bool {
    switch error {
    case .badBlock(.badPrevious), .badBlock(.badLamport): true
    default: false
    }
  }

  private func problem(_ code: Problem.Code, _ index: UInt32) -> Problem {
    Problem(code, place: name, instance: chain.instance, index: index, fork: chain.fork)
  }

  private mutating func begin(behind row: BlockRow?) throws {
    verifier = ChainVerifier(database: database.databaseID, instance: chain.instance)
    guard let row, let trunk = try database.store.blocks.chain(chain.instance) else { return }
    verifier = ChainVerifier(
      database: database.databaseID,
      head: BlockRef(instance: chain.instance, index: row.index, digest: row.digest), lamport: row.lamport,
      key: trunk.publicKey, isSealed: isSealed)
  }

  /// Reads on from the verifier's head, and applies what verifies.
  /// - Returns: no end if something was refused on the way.
  private mutating func read(
    _ exchange: inout Exchange
  ) throws -> (end: ReadEnd?, fault: (index: UInt32, error: CoreError, bytes: [UInt8])?, isAhead: Bool) {
    greatestLamport = try database.store.blocks.greatestLamport()
    var fault: (index: UInt32, error: CoreError, bytes: [UInt8])?
    var isAhead = false
    var reader = self
    let end = try container.readBlocks(of: chain, from: verifier.nextIndex) { index, bytes in
      do throws(CoreError) {
        let lamport = try BlockHeader(bytes).lamport
        if reader.greatestLamport < .max - Database.lamportJump, lamport > reader.greatestLamport + Database.lamportJump
        {
          isAhead = true
          return false
        }
        let header = try reader.verifier.check(bytes, keys: reader.keys)
        guard reader.verifier.isSealed == reader.isSealed else { throw .badBlock(.badMode) }
        guard !reader.verifier.isAnonymous else { throw .noKey(epoch: try SealedBlock.epoch(of: bytes)) }
        reader.greatestLamport = max(reader.greatestLamport, header.lamport)
        reader.cover.add(header)
        reader.run.append((Array(bytes), header, reader.verifier.head!))
        reader.runBytes += bytes.count
        reader.count?.add()
      } catch {
        fault = (index, error, Array(bytes))
        return false
      }
      if reader.runBytes >= Database.runBytes || reader.run.count >= Database.runBlocks {
        return try reader.flush(&exchange)
      }
      return true
    }
    let isWhole = try reader.flush(&exchange, isEnd: true)
    self = reader
    return (isWhole ? end : nil, fault, isAhead)
  }

  /// Applies the run so far: what its signature covers, each block whole.
  /// - Returns: false if something of it does not verify.
  private mutating func flush(_ exchange: inout Exchange, isEnd: Bool = false) throws -> Bool {
    guard !run.isEmpty else { return true }
    var bad = verifier.settle()
    if isEnd, bad == nil { bad = cover.openFrom }
    let limit = min(bad ?? .max, cover.openFrom ?? .max)
    let good = run.prefix { $0.header.index < limit }
    defer {
      run.removeFirst(bad == nil ? good.count : run.count)
      runBytes = 0
    }
    var refused: (Problem.Code, Int)?
    var ready: [Ready] = []
    for (k, one) in good.enumerated() {
      do throws(CoreError) {
        let opened = try one.bytes.withUnsafeBufferPointer { bytes throws(CoreError) in
          try BlockReader.open(UnsafeRawBufferPointer(bytes), of: chain.instance, keys: keys)
        }
        ready.append(Ready(at: k, payload: opened.payload, clear: opened.clear))
      } catch .notReadable {
        ready.append(Ready(at: k))
        exchange.problems.append(problem(.notReadable, one.header.index))
      } catch .noKey {
        ready.append(Ready(at: k))
        exchange.problems.append(problem(.noKey, one.header.index))
      } catch {
        refused = (Problem.Code(error), k)
        break
      }
    }
    guard try apply(ready, &exchange) else { return false }
    if let (code, k) = refused {
      try refuse(code, run[k].header.index, run[k].bytes, &exchange)
      return false
    }
    if let bad, let block = run.first(where: { $0.header.index == bad }) {
      try refuse(.badSignature, bad, block.bytes, &exchange)
      return false
    }
    return true
  }

  /// - Returns: false if the run cannot be put where it belongs.
  private mutating func apply(_ ready: [Ready], _ exchange: inout Exchange) throws -> Bool {
    guard !ready.isEmpty else { return true }
    let store = database.store
    let now = database.settings.clock()
    let (run, instance, chain, name) = (run, chain.instance, chain, name)
    var count = 0
    let isHeld = try database.members.cut(of: instance) != .everything
    var fork: (chain: BranchID, index: UInt32)?
    let results: [ApplyResult]? = try store.write {
      var results: [ApplyResult] = []
      var growth: BranchRow?
      for next in ready {
        let one = run[next.at]
        var place: BranchRow
        if let growth {
          place = growth
        } else {
          // Another process may have been quicker.
          if try store.blocks.block(one.head) != nil { continue }
          guard let found = try store.blocks.place(for: one.header, one.head) else { return nil }
          if found.isNew, !found.id.isTrunk { fork = (found.id, found.first) }
          place = found
        }
        results.append(
          try next.withBlock(one.bytes, one.header, one.head) { block in
            block.isHeld = isHeld
            return try store.append(block, to: &place, arrived: now)
          })
        growth = place
        count += 1
      }
      if let last = ready.last {
        let head = run[last.at].head
        try store.peers.setSeen(BlockRef(chain, index: head.index, digest: head.digest), in: name)
      }
      return results
    }
    guard let results else {
      exchange.problems.append(problem(.fork, run[0].header.index))
      return false
    }
    if let fork {
      exchange.problems.append(
        Problem(
          .fork, place: name, instance: instance, index: fork.index, fork: fork.chain.fork,
          detail: fork.chain.description))
    }
    for one in results { exchange.add(one) }
    exchange.pulled += count
    applied += ready.count
    return true
  }

  /// What was kept apart of the folder is of no more interest.
  private func release() throws {
    guard try isKeptApart() else { return }
    try database.store.write { try database.store.peers.release(chain, in: name) }
  }

  private func isKeptApart() throws -> Bool {
    try database.store.peers.quarantine(of: chain, in: name) != nil
  }

  private func refuse(
    _ code: Problem.Code, _ index: UInt32, _ bytes: [UInt8], _ exchange: inout Exchange
  ) throws {
    _ = try keepApart(code, index, bytes.count <= 1 << 20 ? bytes : nil)
    exchange.problems.append(problem(code, index))
  }

  private func keepApart(_ code: Problem.Code, _ index: UInt32, _ bytes: [UInt8]?) throws -> Int {
    let store = database.store
    return try store.write {
      try store.peers.keepApart(
        chain, in: name, index: index, reason: code.rawValue,
        now: database.settings.clock(), bytes: bytes)
    }
  }
}

/// A block of a run that verifies, and what it says if that can be read.
private struct Ready {
  let at: Int
  var payload: Payload?
  var clear: [UInt8]?

  func withBlock(
    _ bytes: [UInt8], _ header: BlockHeader, _ head: BlockRef, _ body: (inout VerifiedBlock) throws -> ApplyResult
  ) throws -> ApplyResult {
    try bytes.withUnsafeBytes { bytes in
      var block = VerifiedBlock(bytes: bytes, header: header, head, payload: payload)
      guard let clear else { return try body(&block) }
      return try clear.withUnsafeBytes {
        block.clear = $0
        return try body(&block)
      }
    }
  }
}
