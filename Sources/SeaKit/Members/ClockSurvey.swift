import SeaCore

/// The branches that were verified, and what follows for their clocks: the rules of sea-format(5), Lamport time, on nothing but what
/// was read. A block that was not read is not earned, and neither is what is behind it.
struct ClockSurvey {
  /// A branch from block 0 on.
  struct Branch {
    var name: BranchID
    var digests: [Digest] = []
    var lamports: [UInt32] = []
    var isRead: [Bool] = []
    var heads: [Int: [BlockRef]] = [:]
    /// The places of the removed blocks.
    var removed: [Int] = []

    mutating func removeAll(from index: Int) {
      guard index < digests.count else { return }
      digests.removeSubrange(index...)
      lamports.removeSubrange(index...)
      isRead.removeSubrange(index...)
      heads = heads.filter { $0.key < index }
      removed.removeAll { $0 >= index }
    }
  }

  private(set) var branches: [Branch] = []
  private var places: [BranchID: Int] = [:]
  private var names: [UUID: [BranchID]] = [:]
  /// Of the branch that was met last: blocks come one branch after another.
  private var current: (name: BranchID, place: Int)?

  /// The branches that there are.
  var chains: Dictionary<BranchID, Int>.Keys { places.keys }
  func branches(of instance: UUID) -> [BranchID] { names[instance] ?? [] }
  /// The hashes of the blocks of a branch, from block 0 on.
  func digests(of name: BranchID) -> [Digest] { places[name].map { branches[$0].digests } ?? [] }
  func branch(_ name: BranchID) -> Branch? { places[name].map { branches[$0] } }

  private mutating func place(of name: BranchID) -> Int {
    if let current, current.name == name { return current.place }
    let place = places[name] ?? branches.count
    if place == branches.count {
      branches.append(Branch(name: name))
      places[name] = place
      names[name.instance, default: []].append(name)
    }
    current = (name, place)
    return place
  }

  mutating func add(_ header: BlockHeader, _ digest: Digest, to name: BranchID) {
    let place = place(of: name)
    if header.mode.contains(.removed) { branches[place].removed.append(branches[place].digests.count) }
    branches[place].digests.append(digest)
    branches[place].lamports.append(header.lamport)
    branches[place].isRead.append(false)
  }

  /// Forgets the blocks of a branch from an index on.
  mutating func removeAll(of name: BranchID, from index: UInt32) {
    if let place = places[name] { branches[place].removeAll(from: Int(index)) }
  }

  /// What the last block of a branch names.
  mutating func add(_ heads: [BlockRef], to name: BranchID) {
    let place = place(of: name)
    guard let last = branches[place].isRead.indices.last else { return }
    branches[place].isRead[last] = true
    if !heads.isEmpty { branches[place].heads[last] = heads }
  }

  /// - Parameter sound: of the removed blocks that an order allows the heads that it says. The others, and what is behind them, are as
  ///   if they were not here.
  func clocks(sound: [SoundRemovals.Key: [BlockRef]] = [:]) -> SurveyedClocks { SurveyedClocks(self, sound) }
}

/// Which clocks are wrong, and the proven times. Every block is looked at once, however chains are interwoven.
struct SurveyedClocks {
  private struct Place {
    var branch: Int
    var index: Int
  }

  private let branches: [ClockSurvey.Branch]
  /// Of each branch where that begins which is as if it were not here.
  private let ends: [Int]
  /// Heads of the removed blocks, by branch and index.
  private var removedHeads: [[Int: [BlockRef]]]
  private var places: [Digest: Place] = [:]
  private var times: [[UInt32]] = []
  private var wrong: [Int?] = []

  fileprivate init(_ survey: ClockSurvey, _ sound: [SoundRemovals.Key: [BlockRef]]) {
    branches = survey.branches
    var ends: [Int] = []
    var removedHeads: [[Int: [BlockRef]]] = []
    for branch in survey.branches {
      var end = branch.digests.count
      var heads: [Int: [BlockRef]] = [:]
      for index in branch.removed {
        let ref = BlockRef(instance: branch.name.instance, index: UInt32(index), digest: branch.digests[index])
        guard let said = sound[SoundRemovals.Key(ref)] else {
          end = index
          break
        }
        heads[index] = said
      }
      ends.append(end)
      removedHeads.append(heads)
    }
    self.ends = ends
    self.removedHeads = removedHeads
    for (number, branch) in branches.enumerated() where !isLone(branch) {
      for index in 0..<ends[number] where places[branch.digests[index]] == nil {
        places[branch.digests[index]] = Place(branch: number, index: index)
      }
    }
    judge()
    prove()
  }

  /// Whether nothing can lead to its blocks but the branch itself.
  private func isLone(_ branch: ClockSurvey.Branch) -> Bool { branches.count == 1 && branch.heads.isEmpty }

  /// Where a block is that somebody names; nil if it is not here.
  private func place(of head: BlockRef) -> Place? {
    guard let place = places[head.digest], place.index == Int(head.index),
      branches[place.branch].name.instance == head.instance
    else { return nil }
    return place
  }

  private func heads(_ branch: Int, _ index: Int) -> [BlockRef] {
    removedHeads[branch][index] ?? (branches[branch].isRead[index] ? branches[branch].heads[index] ?? [] : [])
  }

  /// Goes through all branches, each as far as what `step` looks for is known; `step` says what block it waits for.
  private func walk(_ done: inout [Int], _ step: (_ branch: Int, _ index: Int, _ done: [Int]) -> Step) {
    var waiting: [Digest: [Int]] = [:]
    var todo = Array(branches.indices.reversed())
    while let branch = todo.popLast() {
      let before = done[branch]
      loop: while done[branch] < ends[branch] {
        switch step(branch, done[branch], done) {
        case .done: done[branch] += 1
        case .waits(let digest):
          waiting[digest, default: []].append(branch)
          break loop
        case .stops: break loop
        }
      }
      for at in before..<done[branch] { todo += waiting.removeValue(forKey: branches[branch].digests[at]) ?? [] }
    }
  }

  private enum Step {
    case done
    case waits(Digest)
    case stops
  }

  private mutating func judge() {
    var earned = branches.map { _ in 0 }
    var wrong: [Int?] = branches.map { _ in nil }
    walk(&earned) { number, at, earned in
      let branch = branches[number]
      guard branch.isRead[at] || removedHeads[number][at] != nil else { return .stops }
      var greatest = at > 0 ? branch.lamports[at - 1] : 0
      for head in heads(number, at) {
        guard let place = place(of: head) else { return .stops }
        guard place.index < earned[place.branch] else { return .waits(head.digest) }
        greatest = max(greatest, branches[place.branch].lamports[place.index])
      }
      guard branch.lamports[at] == LamportClock.next(after: greatest) else {
        wrong[number] = at
        return .stops
      }
      return .done
    }
    self.wrong = wrong
  }

  private mutating func prove() {
    var known = branches.map { _ in 0 }
    var times: [[UInt32]] = branches.map { _ in [] }
    walk(&known) { number, at, known in
      var greatest = times[number].last ?? 0
      for head in heads(number, at) {
        guard let place = place(of: head) else { continue }
        guard place.index < known[place.branch] else { return .waits(head.digest) }
        greatest = max(greatest, times[place.branch][place.index])
      }
      times[number].append(LamportClock.next(after: greatest))
      return .done
    }
    self.times = times
  }

  /// The proven time of a block; nil if it is not here.
  func time(of block: BlockRef) -> UInt32? {
    if let place = place(of: block) { return times[place.branch][place.index] }
    guard branches.count == 1, Int(block.index) < ends[0], branches[0].digests[Int(block.index)] == block.digest else {
      return nil
    }
    return times[0][Int(block.index)]
  }

  /// Whether a block or one before it has a clock that does not follow.
  func isWrong(_ block: BlockRef) -> Bool {
    if let place = place(of: block) { return wrong[place.branch].map { $0 <= place.index } ?? false }
    return branches.count == 1 && (wrong[0].map { $0 <= Int(block.index) } ?? false)
  }

  /// The first block of each branch whose clock does not follow. What a sibling branch has from the trunk is told of the trunk.
  var wrongBlocks: [(branch: BranchID, index: UInt32)] {
    let trunks = Dictionary(branches.filter(\.name.isTrunk).map { ($0.name, $0.digests) }) { first, _ in first }
    return branches.indices.compactMap { number -> (branch: BranchID, index: UInt32)? in
      guard let at = wrong[number] else { return nil }
      let branch = branches[number]
      if !branch.name.isTrunk, let trunk = trunks[branch.name.trunk], at < trunk.count, trunk[at] == branch.digests[at]
      {
        return nil
      }
      return (branch.name, UInt32(at))
    }
    .sorted { $0.branch < $1.branch }
  }
}
