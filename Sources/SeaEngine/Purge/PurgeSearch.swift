import SeaCore
import SeaStore

/// Finds the revisions to purge and the blocks that contain them.
struct PurgeSearch {
  private let store: Store
  private let members: Roster
  private var plan: PurgePlan
  private var found: [Int64: BlockRow] = [:]
  private var blocked: Set<Int64> = []
  private var times: [Int64: Int64] = [:]

  init(_ goal: PurgeGoal, _ members: Roster) {
    plan = PurgePlan(goal: goal)
    self.members = members
    store = members.store
  }

  mutating func run() throws -> PurgePlan {
    switch plan.goal {
    case .record(let id, _), .properties(let id, _, _):
      guard let row = try store.records.record(id) else { throw KitError.recordNotFound(id) }
      if row.conflict != .none { plan.conflicts = [id] }
      try addTargets(of: row)
      try addUnappliedBlocks(id)
    case .before: try addTargetsOfAll()
    }
    plan.unread = try store.blocks.blocks(.unread).count { !$0.isRemoved && $0.unread != .badPayload }
    try judge()
    return plan
  }

  // MARK: - Revisions

  private mutating func addTargets(of row: RecordRow) throws {
    let before = plan.targets.count
    for leaf in try store.records.revisions(of: row) where leaf.kind == .put && !leaf.isPurged {
      let isNow = leaf.isLeaf || !leaf.isAttached
      guard !(isNow && plan.goal.keepsNow), try isMeant(leaf, row) else { continue }
      if leaf.isLeaf { plan.endsNow = true }
      let blocks = try store.records.blocks(with: leaf, of: row)
      plan.targets[leaf.revision.digest] = blocks
      for sequence in blocks { try add(sequence) }
    }
    if plan.targets.count > before { plan.records += 1 }
  }

  private mutating func isMeant(_ leaf: Leaf, _ row: RecordRow) throws -> Bool {
    switch plan.goal {
    case .record: return true
    case .properties(_, let paths, _):
      guard let body = try store.records.body(of: leaf) else { return false }
      return try PurgeSearch.has(paths, body)
    case .before(let time):
      return try ([leaf.sequence] + store.records.blocks(with: leaf, of: row)).contains { try self.time($0) < time }
    }
  }

  private static func has(_ paths: [PropertyPath], _ body: [UInt8]) throws -> Bool {
    let value = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
    return paths.contains { value[$0] != nil }
  }

  private mutating func time(_ sequence: Int64) throws -> Int64 {
    if let known = times[sequence] { return known }
    let time = try store.blocks.block(sequence: sequence)?.time ?? .max
    times[sequence] = time
    return time
  }

  private mutating func add(_ sequence: Int64) throws {
    guard found[sequence] == nil, let row = try store.blocks.block(sequence: sequence), !row.isRemoved else { return }
    found[sequence] = row
  }

  private mutating func addTargetsOfAll() throws {
    var filter = RecordFilter()
    filter.withDeleted = true
    var search = self
    try store.records.forEachRecord(filter) { row in
      try search.members.folder.settings.checkStopOfAll()
      let before = search.plan.targets.count
      try search.addTargets(of: row)
      if row.conflict != .none, search.plan.targets.count > before { search.plan.conflicts.append(row.id) }
      return true
    }
    self = search
  }

  private mutating func addUnappliedBlocks(_ id: String) throws {
    var rows = try store.blocks.hiddenBlocks()
    for state in [BlockState.held, .heldBack, .badLamport] { rows += try store.blocks.blocks(state) }
    for row in rows where found[row.sequence] == nil && !row.isRemoved {
      guard let clear = try store.content.clearBytes(of: row) else { continue }
      let (isMeant, hasOthers) = try PurgeSearch.meant(id, plan.goal, in: clear)
      guard isMeant else { continue }
      found[row.sequence] = row
      if hasOthers { blocked.insert(row.sequence) }
    }
  }

  private static func meant(_ id: String, _ goal: PurgeGoal, in clear: [UInt8]) throws -> (Bool, Bool) {
    try clear.withUnsafeBytes { bytes in
      let payload = try BlockReader.payload(ofKept: bytes)
      let content = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[BlockHeader.size...])
      var (isMeant, hasOthers) = (false, false)
      for change in payload.changes {
        guard let body = change.body else { continue }
        var isOne = content[change.id].elementsEqual(id.utf8)
        if isOne, case .properties(_, let paths, _) = goal { isOne = try has(paths, Array(content[body])) }
        if isOne { isMeant = true } else { hasOthers = true }
      }
      return (isMeant, hasOthers)
    }
  }

  // MARK: - Blocks

  private mutating func judge() throws {
    let judge = try PurgeJudge(members)
    for row in found.values.sorted(by: { $0.sequence < $1.sequence }) {
      var block = PurgePlan.Block(row: row)
      if let obstacle = try judge.obstacle(row) {
        block.obstacle = obstacle
      } else if blocked.contains(row.sequence) {
        block.obstacle = .held
      }
      plan.blocks.append(block)
    }
    plan.count()
  }
}

struct PurgeJudge {
  private let members: Roster
  private let head: BlockRef?
  private let judge: BlockValidity

  init(_ members: Roster) throws {
    self.members = members
    head = try members.store.branches.chain(members.folder.instance)?.head
    judge = try members.judge()
  }

  func obstacle(_ row: BlockRow) throws -> PurgePlan.Obstacle? {
    if try row.index == 0 || members.store.content.header(of: row).mode.contains(.control) { return .control }
    if row.instance == members.folder.instance { return nil }
    return head.map { judge.mayOrder($0, about: row.instance) } == true ? nil : .foreign
  }
}
