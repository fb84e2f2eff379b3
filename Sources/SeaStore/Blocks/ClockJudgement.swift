import SeaCore

/// Works out which clocks are earned and which are wrong; see `Store.judgeClocks`.
struct ClockJudgement {
  private let connection: Connection
  private let tables: BranchTable
  private var blocks: BlockTable { tables.blocks }
  private var branches: [Int64: BranchRow] = [:]
  /// All of them, the trunk first.
  private var keys: [UUID: [Int64]] = [:]
  /// The sibling branches of an instance by the branch that they leave, once that was asked for.
  private var leaving: [UUID: [Int64: [Int64]]] = [:]
  /// Branches that wait for a block of another one, which is here and not earned.
  private var waiting: [Int64: Waiters] = [:]
  /// Where a branch that waits will go on.
  private var steps: [Int64: Step] = [:]
  private var todo: [Int64] = []
  private(set) var wrong: [(branch: BranchID, index: UInt32)] = []
  private(set) var takenBack = 0
  /// The first block that was earned now.
  private(set) var firstEarned: Int64?

  /// Of removed blocks the heads that orders claim.
  private let claims: [BlockKey: [BlockRef]]

  /// A block that is next in its branch, and which of the blocks that it names were looked at.
  private struct Step {
    var sequence: Int64
    var lamport: UInt32
    var heads: [BlockRef]
    /// Of a removed block what orders claim that it named: those of them count that are earned.
    var claims: [BlockRef]?
    var position = 0
    var greatest: UInt32
  }

  init(_ connection: Connection, _ tables: BranchTable, _ claims: [BlockKey: [BlockRef]]) throws(StoreError) {
    self.connection = connection
    self.claims = claims
    self.tables = tables
    for branch in try tables.branches() {
      branches[branch.key] = branch
      keys[branch.instance, default: []].append(branch.key)
    }
  }

  mutating func run(_ unread: (BlockRow) throws -> [BlockRef]?) throws {
    let open = try connection.statement("SELECT id, awaits FROM branch WHERE earned < head AND wrong = 0 ORDER BY id")
    defer { open.reset() }
    var awaited: [(key: Int64, head: BlockRef?)] = []
    while try open.step() { awaited.append((Int64(open.int(0)), BlockRef(awaited: open.bytes(1)))) }
    for (key, head) in awaited {
      // What it has waited for has still not come.
      if let head, try locate(head) == nil { continue }
      todo.append(key)
    }
    while let key = todo.popLast() { try advance(key, unread) }
  }

  /// Goes on along a branch as far as it can be told.
  private mutating func advance(_ key: Int64, _ unread: (BlockRow) throws -> [BlockRef]?) throws {
    guard var branch = branches[key] else { return }
    let before = branch.earned
    var missing: BlockRef?
    next: while branch.isOpen {
      let kept = steps.removeValue(forKey: key)
      guard var step = try kept ?? begin(branch, unread) else { break }
      while step.position < step.heads.count {
        let head = step.heads[step.position]
        guard let (owner, lamport) = try locate(head) else {
          missing = head
          break next
        }
        guard let other = branches[owner], other.earned >= Int64(head.index) else {
          if branches[owner]?.isWrong == true {
            // Behind a wrong clock it is wrong itself; a head that is wrong is never earned.
            if step.position == 0, head.instance == branch.instance {
              branch.isWrong = true
              break next
            }
          } else {
            steps[key] = step
            waiting[owner, default: Waiters()].add(key, until: Int64(head.index))
          }
          missing = head
          break next
        }
        step.greatest = max(step.greatest, lamport)
        step.position += 1
      }
      if let claims = step.claims { step.greatest = max(step.greatest, try earned(claims, for: key, step.lamport)) }
      guard step.lamport == LamportClock.next(after: step.greatest) else {
        // More may come for a removed block, and its clock is never wrong.
        branch.isWrong = step.claims == nil
        break
      }
      branch.earned += 1
      firstEarned = min(firstEarned ?? .max, step.sequence)
    }
    branches[key] = branch
    try write(branch, missing)
    if branch.earned > before { waiting[key]?.take(upTo: branch.earned, into: &todo) }
    if branch.isWrong { try takeBack(key) }
  }

  /// The greatest Lamport time of the earned ones of some heads that are claimed for a removed block. The branch waits for the others.
  private mutating func earned(_ claims: [BlockRef], for key: Int64, _ lamport: UInt32) throws(StoreError) -> UInt32 {
    var greatest: UInt32 = 0
    for head in claims {
      guard let there = try locate(head), there.lamport < lamport, let other = branches[there.branch] else { continue }
      if other.earned >= Int64(head.index) {
        greatest = max(greatest, there.lamport)
      } else if !other.isWrong {
        waiting[there.branch, default: Waiters()].add(key, until: Int64(head.index))
      }
    }
    return greatest
  }

  /// The block behind those that are earned; nil if its heads cannot be read.
  private func begin(_ branch: BranchRow, _ unread: (BlockRow) throws -> [BlockRef]?) throws -> Step? {
    let index = UInt32(branch.earned + 1)
    guard let row = try blocks.block(branch.id, index) else { return nil }
    guard var heads = try row.isRemoved ? [] : heads(of: row, unread) else { return nil }
    var greatest: UInt32 = 0
    if index > branch.first {
      greatest = try blocks.block(branch.id, index - 1)?.lamport ?? 0
    } else if index > 0 {
      // What a sibling branch leaves is one more block that it follows from.
      heads.insert(BlockRef(branch.id, index: index - 1, digest: branch.previous), at: 0)
    }
    return Step(
      sequence: row.sequence, lamport: row.lamport, heads: heads,
      claims: row.isRemoved ? claims[BlockKey(row.ref)] ?? [] : nil, greatest: greatest)
  }

  private func heads(of row: BlockRow, _ unread: (BlockRow) throws -> [BlockRef]?) throws -> [BlockRef]? {
    row.state == .unread ? try unread(row) : try blocks.content.heads(of: row)
  }

  /// The branch in which a block lies, and its clock; nil if it is not here.
  private func locate(_ head: BlockRef) throws(StoreError) -> (branch: Int64, lamport: UInt32)? {
    if let trunk = keys[head.instance]?.first {
      let find = try connection.statement("SELECT lamport, digest FROM block WHERE branch = ? AND idx = ?")
      defer { find.reset() }
      find.bind(1, trunk as Int64?).bind(2, Int(head.index))
      if try find.step(), Digest(find.array(1)) == head.digest {
        return (trunk, UInt32(truncatingIfNeeded: find.int(0)))
      }
    }
    guard let row = try blocks.block(head), let key = try tables.branch(row.branch)?.key else { return nil }
    return (key, row.lamport)
  }

  private func write(_ branch: BranchRow, _ missing: BlockRef?) throws(StoreError) {
    let update = try connection.statement("UPDATE branch SET earned = ?, wrong = ?, awaits = ? WHERE id = ?")
    update.bind(1, branch.earned as Int64?).bind(2, branch.isWrong ? 1 : 0).bind(3, copy: missing?.awaited)
    try update.bind(4, branch.key as Int64?).run()
  }

  /// Takes back what was applied of a branch whose clock is wrong, and of those that leave it there.
  private mutating func takeBack(_ key: Int64) throws(StoreError) {
    var wrongs = [key]
    while let key = wrongs.popLast() {
      guard let branch = branches[key], let from = branch.wrongFrom else { continue }
      wrong.append((branch.id, from))
      let applied = try connection.statement(
        "SELECT count(*) FROM block WHERE branch = ? AND idx >= ? AND applied IN (1, 5)")
      applied.bind(1, key as Int64?).bind(2, Int(from))
      if try applied.step() { takenBack += applied.int(0) }
      applied.reset()
      let update = try connection.statement(
        "UPDATE block SET applied = 3 WHERE branch = ? AND idx >= ? AND applied <> 0")
      try update.bind(1, key as Int64?).bind(2, Int(from)).run()
      // Those that left it behind that block.
      for other in try siblings(of: branch.instance)[key] ?? [] {
        guard var sibling = branches[other], !sibling.isWrong, sibling.first > from else { continue }
        sibling.isWrong = true
        branches[other] = sibling
        steps[other] = nil
        try write(sibling, nil)
        wrongs.append(other)
      }
    }
  }

  private mutating func siblings(of instance: UUID) throws(StoreError) -> [Int64: [Int64]] {
    if let known = leaving[instance] { return known }
    var found: [Int64: [Int64]] = [:]
    for key in keys[instance] ?? [] {
      guard let sibling = branches[key], sibling.first > 0,
        let (base, _) = try locate(BlockRef(sibling.id, index: sibling.first - 1, digest: sibling.previous))
      else { continue }
      found[base, default: []].append(key)
    }
    leaving[instance] = found
    return found
  }
}

/// Who waits for blocks of one branch: those that wait for the lowest index come first.
private struct Waiters {
  private var heap = Heap<(index: Int64, key: Int64)> { $0.index < $1.index }

  mutating func add(_ key: Int64, until index: Int64) { heap.push((index, key)) }

  mutating func take(upTo index: Int64, into list: inout [Int64]) {
    while let first = heap.first, first.index <= index, let next = heap.pop() { list.append(next.key) }
  }
}

extension BlockRef {
  /// As it stands in `branch.awaits`.
  fileprivate var awaited: [UInt8] {
    instance.bytes + withUnsafeBytes(of: index.bigEndian) { Array($0) } + digest.bytes
  }

  fileprivate init?(awaited bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 + 4 + Digest.size, let base = bytes.baseAddress else { return nil }
    self.init(
      instance: UUID(base), index: UInt32(bigEndian: base.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
      digest: Digest(base + 20))
  }
}
