import SeaContainer
import SeaCore
import SeaStore

/// What one container gave and got.
package struct Exchange: Sendable {
  package var pulled = 0
  package var pushed = 0
  package var revisions = 0
  /// Records with a new winner.
  package var records = 0
  /// Ids of records that came into conflict.
  package var conflicts: [String] = []
  package var problems: [Problem] = []

  package init() {}

  mutating func add(_ applied: Applied) {
    revisions += applied.revisions
    records += applied.records
    conflicts += applied.conflicts
  }
}

extension Database {
  /// A Lamport time may be so far above everything known and no further, or one instance could use up the clock.
  static let lamportJump: UInt32 = 1 << 24
  /// Blocks are applied in runs of about so many bytes, each one transaction; other writers have their turn between.
  static let runBytes = 8 << 20
  static let runBlocks = 10_000

  /// Takes in what the container has and this instance lacks, as far as it verifies.
  package func pull(from container: Container, named name: String, into exchange: inout Exchange) throws {
    let listing = try container.chains()
    exchange.problems += listing.foreign.map { Problem(.foreignFile, place: name, detail: $0) }
    for sibling in listing.chains where sibling.fork != nil {
      exchange.problems.append(Problem(.fork, place: name, instance: sibling.instance, detail: sibling.description))
    }
    var open = listing.chains.filter { $0.fork == nil }
    // A chain whose clock is far ahead may be told of by another one; so try again as long as anything moves.
    while !open.isEmpty {
      var deferred: [ChainName] = []
      var moved = false
      for chain in open {
        var reader = try ChainPull(self, container, name, chain)
        let finished = try reader.run(&exchange)
        moved = moved || reader.applied > 0
        if !finished { deferred.append(chain) }
      }
      if !moved {
        for chain in deferred {
          let index = try store.chain(chain.instance).map { $0.head.index + 1 } ?? 0
          exchange.problems.append(Problem(.badLamport, place: name, instance: chain.instance, index: index))
          _ = try store.transaction {
            try store.keepApart(
              container: name, instance: chain.instance, index: index, reason: Problem.Code.badLamport.rawValue,
              now: settings.clock(), bytes: nil)
          }
          store.unlock()
        }
        break
      }
      open = deferred
    }
  }
}

/// Reads one chain of a container behind what is known of it.
private struct ChainPull {
  private let database: Database
  private let container: Container
  private let name: String
  private let chain: ChainName
  private var verifier: ChainVerifier
  private let keys: KeyRing?
  private let isSealed: Bool
  private var run: [(bytes: [UInt8], header: BlockHeader, head: ChainHead)] = []
  private var runBytes = 0
  private var greatestLamport: UInt32 = 0
  private var cover = Cover()
  /// Blocks that are now kept.
  private(set) var applied = 0

  init(_ database: Database, _ container: Container, _ name: String, _ chain: ChainName) throws {
    self.database = database
    keys = try database.keysAtHand()
    isSealed = try database.isSealed()
    self.container = container
    self.name = name
    self.chain = chain
    verifier = ChainVerifier(database: database.databaseID, instance: chain.instance)
  }

  /// - Returns: false if the next block's clock is too far ahead of everything known.
  mutating func run(_ exchange: inout Exchange) throws -> Bool {
    if let known = try database.store.chain(chain.instance) {
      verifier = ChainVerifier(
        database: database.databaseID, head: known.head, lamport: known.lamport, key: known.publicKey,
        isSealed: isSealed)
    }
    greatestLamport = try database.store.greatestLamport()
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
    guard isWhole else { return true }
    if case .noKey? = fault?.error {
      // It waits where it is until somebody lets us in.
      exchange.problems.append(Problem(.noKey, place: name, instance: chain.instance, index: fault?.index))
    } else if let fault {
      try refuse(Problem.Code(fault.error), fault.index, fault.bytes, &exchange)
    } else if var problem = Problem(end, place: name, instance: chain.instance) {
      let index = problem.index ?? 0
      let syncs = try keepApart(problem.code, index, nil)
      // A cloud client is still writing it; after a few syncs that is no longer likely.
      if problem.code == .incomplete, syncs > 3 { problem.code = .truncated }
      exchange.problems.append(problem)
    } else if try isKeptApart() {
      try database.store.transaction { try database.store.release(container: name, instance: chain.instance) }
      database.store.unlock()
    }
    return !isAhead
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
    var ready: [(Int, Payload?, [UInt8]?)] = []
    for (k, one) in good.enumerated() {
      do throws(CoreError) {
        let opened = try one.bytes.withUnsafeBufferPointer { bytes throws(CoreError) in
          try BlockReader.open(UnsafeRawBufferPointer(bytes), of: chain.instance, keys: keys)
        }
        ready.append((k, opened.payload, opened.clear))
      } catch .notReadable {
        ready.append((k, nil, nil))
        exchange.problems.append(
          Problem(.notReadable, place: name, instance: chain.instance, index: one.header.index))
      } catch .noKey {
        ready.append((k, nil, nil))
        exchange.problems.append(Problem(.noKey, place: name, instance: chain.instance, index: one.header.index))
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

  /// - Returns: false if another process has meanwhile taken in another branch of the chain.
  private mutating func apply(_ ready: [(Int, Payload?, [UInt8]?)], _ exchange: inout Exchange) throws -> Bool {
    guard !ready.isEmpty else { return true }
    let store = database.store
    let now = database.settings.clock()
    let (run, name, instance) = (run, name, chain.instance)
    var count = 0
    let cut = try database.cut(of: instance)
    let results: [Applied]? = try store.transaction {
      var results: [Applied] = []
      let known = try store.chain(instance)?.head.index
      if let known, try !agrees(at: known) { return nil }
      for (k, payload, clear) in ready {
        let one = run[k]
        if let known, one.header.index <= known { continue }
        let isHeld = cut != .everything
        results.append(
          try one.bytes.withUnsafeBytes { bytes in
            try withOptionalBytes(clear) { clear in
              var block = VerifiedBlock(
                bytes: bytes, clear: clear, header: one.header, head: one.head, payload: payload)
              block.isHeld = isHeld
              return try store.append(block, arrived: now)
            }
          })
        count += 1
      }
      if let last = ready.last { try store.setSeen(run[last.0].head, in: name) }
      return results
    }
    store.unlock()
    guard let results else {
      exchange.problems.append(Problem(.fork, place: name, instance: instance, index: run[0].header.index))
      return false
    }
    for one in results { exchange.add(one) }
    exchange.pulled += count
    applied += ready.count
    return true
  }

  /// Whether the run follows the chain as the store has it now, another process may have been quicker.
  private func agrees(at known: UInt32) throws -> Bool {
    let first = run[0].header
    if known &+ 1 == first.index {
      return try database.store.block(chain.instance, known)?.digest == first.previous
    }
    let place = Int(min(known, run[run.count - 1].header.index)) - Int(first.index)
    guard place >= 0 else { return false }
    return try database.store.block(chain.instance, run[place].header.index)?.digest == run[place].head.digest
  }

  private func isKeptApart() throws -> Bool {
    try database.store.quarantine().contains { $0.container == name && $0.instance == chain.instance }
  }

  private func refuse(
    _ code: Problem.Code, _ index: UInt32, _ bytes: [UInt8], _ exchange: inout Exchange
  ) throws {
    var code = code
    if code == .badPrevious, index > 0, try isFork(at: index - 1) { code = .fork }
    _ = try keepApart(code, index, bytes.count <= 1 << 20 ? bytes : nil)
    exchange.problems.append(Problem(code, place: name, instance: chain.instance, index: index))
  }

  /// Whether the container has another block where we have one already, and both are the author's own.
  private func isFork(at index: UInt32) throws -> Bool {
    guard let ours = try database.store.block(chain.instance, index) else { return false }
    var differs = false
    _ = try container.readBlocks(of: chain, from: index) { _, bytes in
      differs = SHA256.hash(bytes) != ours.digest
      return false
    }
    return differs
  }

  private func keepApart(_ code: Problem.Code, _ index: UInt32, _ bytes: [UInt8]?) throws -> Int {
    let store = database.store
    defer { store.unlock() }
    return try store.transaction {
      try store.keepApart(
        container: name, instance: chain.instance, index: index, reason: code.rawValue,
        now: database.settings.clock(), bytes: bytes)
    }
  }
}

private func withOptionalBytes<Result>(
  _ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) throws -> Result
) rethrows -> Result {
  guard let bytes else { return try body(nil) }
  return try bytes.withUnsafeBytes { try body($0) }
}
