import SeaCore

/// Which clocks are wrong, and the proven times. Every block is looked at once, however chains are interwoven.
struct SurveyedClocks {
  private typealias Place = ClockSurvey.Spot

  private let branches: [ClockSurvey.Branch]
  /// What orders claim of the removed blocks, by branch and index.
  private var claimed: [[Int: [BlockRef]]] = []
  private var places: [Digest: Place] = [:]
  private var times: [[UInt32]] = []
  private var wrong: [Int?] = []
  /// Branches that begin behind a block whose clock is wrong.
  private var areBehindWrong: [Bool] = []

  init(_ survey: ClockSurvey, _ claims: [BlockKey: [BlockRef]]) {
    branches = survey.branches
    for branch in branches {
      claimed.append(
        Dictionary(
          uniqueKeysWithValues: branch.removed.map { index in
            let digest = branch.digests[index - branch.first]
            let ref = BlockRef(instance: branch.name.instance, index: UInt32(index), digest: digest)
            return (index, claims[BlockKey(ref)] ?? [])
          }))
    }
    for (number, branch) in branches.enumerated() where !isLone(branch) {
      for index in branch.first..<branch.end where places[branch.digests[index - branch.first]] == nil {
        places[branch.digests[index - branch.first]] = Place(branch: number, index: index)
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
    claimed[branch][index]
      ?? (branches[branch].isRead[index - branches[branch].first] ? branches[branch].heads[index] ?? [] : [])
  }

  /// Goes through all branches, each as far as what `step` looks for is known; `step` says what block it waits for.
  private func walk(_ done: inout [Int], _ step: (_ branch: Int, _ index: Int, _ done: [Int]) -> Step) {
    var waiting: [Digest: [Int]] = [:]
    var todo = Array(branches.indices.reversed())
    while let branch = todo.popLast() {
      let (before, first) = (done[branch], branches[branch].first)
      if let base = branches[branch].base, base.index >= done[base.branch] {
        waiting[branches[base.branch].digests[base.index - branches[base.branch].first], default: []].append(branch)
        continue
      }
      loop: while done[branch] < branches[branch].end {
        switch step(branch, done[branch], done) {
        case .done: done[branch] += 1
        case .waits(let digests):
          for digest in digests { waiting[digest, default: []].append(branch) }
          break loop
        case .stops: break loop
        }
      }
      for at in before..<done[branch] {
        todo += waiting.removeValue(forKey: branches[branch].digests[at - first]) ?? []
      }
    }
  }

  private enum Step {
    case done
    /// For any of these.
    case waits([Digest])
    case stops
  }

  private mutating func judge() {
    var earned = branches.map(\.first)
    var wrong: [Int?] = branches.map { _ in nil }
    walk(&earned) { number, at, earned in
      let branch = branches[number]
      let isRemoved = claimed[number][at] != nil
      guard branch.isRead[at - branch.first] || isRemoved else { return .stops }
      let lamport = branch.lamports[at - branch.first]
      var greatest = self.lamport(before: at, of: branch)
      var open: [Digest] = []
      for head in heads(number, at) {
        guard let place = place(of: head) else {
          if isRemoved { continue }
          return .stops
        }
        // Of what is claimed for a removed block that counts which is earned.
        if isRemoved, self.lamport(of: place) >= lamport { continue }
        if place.index < earned[place.branch] {
          greatest = max(greatest, self.lamport(of: place))
        } else if isRemoved {
          open.append(head.digest)
        } else {
          return .waits([head.digest])
        }
      }
      if lamport == LamportClock.next(after: greatest) { return .done }
      if isRemoved { return .waits(open) }
      wrong[number] = at
      return .stops
    }
    self.wrong = wrong
    var areBehindWrong: [Bool] = []
    for branch in branches {
      areBehindWrong.append(
        branch.base.map { areBehindWrong[$0.branch] || wrong[$0.branch] ?? .max <= $0.index } ?? false)
    }
    self.areBehindWrong = areBehindWrong
  }

  private func lamport(of place: Place) -> UInt32 {
    branches[place.branch].lamports[place.index - branches[place.branch].first]
  }

  private func lamport(before index: Int, of branch: ClockSurvey.Branch) -> UInt32 {
    index > branch.first ? branch.lamports[index - 1 - branch.first] : branch.base.map(lamport) ?? 0
  }

  private mutating func prove() {
    var known = branches.map(\.first)
    var times: [[UInt32]] = branches.map { _ in [] }
    func time(_ place: Place) -> UInt32 { times[place.branch][place.index - branches[place.branch].first] }
    walk(&known) { number, at, known in
      let branch = branches[number]
      let (lamport, isRemoved) = (branch.lamports[at - branch.first], claimed[number][at] != nil)
      var greatest = times[number].last ?? branch.base.map(time) ?? 0
      for head in heads(number, at) {
        guard let place = place(of: head),
          LamportClock.proves(self.lamport(of: place), lamport, isRemoved: isRemoved)
        else { continue }
        guard place.index < known[place.branch] else { return .waits([head.digest]) }
        greatest = max(greatest, time(place))
      }
      times[number].append(LamportClock.proven(lamport, after: greatest))
      return .done
    }
    self.times = times
  }

  /// The proven time of a block; nil if it is not here.
  func time(of block: BlockRef) -> UInt32? {
    if let place = place(of: block) {
      let at = place.index - branches[place.branch].first
      return at < times[place.branch].count ? times[place.branch][at] : nil
    }
    guard branches.count == 1, Int(block.index) < branches[0].end, branches[0].digests[Int(block.index)] == block.digest
    else {
      return nil
    }
    return times[0][Int(block.index)]
  }

  /// Whether a block or one before it has a clock that does not follow.
  func isWrong(_ block: BlockRef) -> Bool {
    if let place = place(of: block) {
      return areBehindWrong[place.branch] || wrong[place.branch].map { $0 <= place.index } ?? false
    }
    return branches.count == 1 && (wrong[0].map { $0 <= Int(block.index) } ?? false)
  }

  /// The first block of each branch whose clock does not follow. What a sibling branch has from the trunk is told of the trunk.
  var wrongBlocks: [(branch: BranchID, index: UInt32)] {
    let trunks = Dictionary(branches.filter(\.name.isTrunk).map { ($0.name, $0.digests) }) { first, _ in first }
    return branches.indices.compactMap { number -> (branch: BranchID, index: UInt32)? in
      guard let at = wrong[number] else { return nil }
      let branch = branches[number]
      if !branch.name.isTrunk, let trunk = trunks[branch.name.trunk], at < trunk.count,
        trunk[at] == branch.digests[at - branch.first]
      {
        return nil
      }
      return (branch.name, UInt32(at))
    }
    .sorted { $0.branch < $1.branch }
  }
}
