import SeaCore

/// Which clocks are wrong, and the proven times. Every block is looked at once, however chains are interwoven.
struct SurveyedClocks {
  private typealias Place = ClockSurvey.Spot

  private let branches: [ClockSurvey.Branch]
  /// Of each branch where that begins which is as if it were not here.
  private let ends: [Int]
  /// Heads of the removed blocks, by branch and index.
  private var removedHeads: [[Int: [BlockRef]]]
  private var places: [Digest: Place] = [:]
  private var times: [[UInt32]] = []
  private var wrong: [Int?] = []
  /// Branches that begin behind a block whose clock is wrong.
  private var areBehindWrong: [Bool] = []

  init(_ survey: ClockSurvey, _ sound: [SoundRemovals.Key: [BlockRef]?]) {
    branches = survey.branches
    var ends: [Int] = []
    var removedHeads: [[Int: [BlockRef]]] = []
    for branch in survey.branches {
      // What it left comes before it.
      var end = branch.base.map { $0.index < ends[$0.branch] } == false ? branch.first : branch.end
      var heads: [Int: [BlockRef]] = [:]
      for index in branch.removed where index < end {
        let digest = branch.digests[index - branch.first]
        let ref = BlockRef(instance: branch.name.instance, index: UInt32(index), digest: digest)
        guard let said = sound[SoundRemovals.Key(ref)] else {
          end = index
          break
        }
        if let said { heads[index] = said }
      }
      ends.append(end)
      removedHeads.append(heads)
    }
    self.ends = ends
    self.removedHeads = removedHeads
    for (number, branch) in branches.enumerated() where !isLone(branch) {
      for index in branch.first..<ends[number] where places[branch.digests[index - branch.first]] == nil {
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
    removedHeads[branch][index]
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
      loop: while done[branch] < ends[branch] {
        switch step(branch, done[branch], done) {
        case .done: done[branch] += 1
        case .waits(let digest):
          waiting[digest, default: []].append(branch)
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
    case waits(Digest)
    case stops
  }

  private mutating func judge() {
    var earned = branches.map(\.first)
    var wrong: [Int?] = branches.map { _ in nil }
    walk(&earned) { number, at, earned in
      let branch = branches[number]
      guard branch.isRead[at - branch.first] || removedHeads[number][at] != nil else { return .stops }
      var greatest = lamport(before: at, of: branch)
      for head in heads(number, at) {
        guard let place = place(of: head) else { return .stops }
        guard place.index < earned[place.branch] else { return .waits(head.digest) }
        greatest = max(greatest, lamport(of: place))
      }
      guard branch.lamports[at - branch.first] == LamportClock.next(after: greatest) else {
        wrong[number] = at
        return .stops
      }
      return .done
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
      var greatest = times[number].last ?? branches[number].base.map(time) ?? 0
      for head in heads(number, at) {
        guard let place = place(of: head) else { continue }
        guard place.index < known[place.branch] else { return .waits(head.digest) }
        greatest = max(greatest, time(place))
      }
      times[number].append(LamportClock.next(after: greatest))
      return .done
    }
    self.times = times
    if zip(known, ends).contains(where: { $0 < $1 }) { proveTheRest(known) }
  }

  /// What waits for itself: what an order claims for a removed block may lead in a circle.
  private mutating func proveTheRest(_ known: [Int]) {
    var places: [Place: Int] = [:]
    var list: [Place] = []
    for number in branches.indices {
      for index in known[number]..<max(known[number], ends[number]) {
        places[Place(branch: number, index: index)] = list.count
        list.append(Place(branch: number, index: index))
      }
    }
    let removed = branches.map { Set($0.removed) }
    var (before, claimed, greatest): ([[Int]], [[Int]], [UInt32]) = ([], [], [])
    for spot in list {
      var (real, said, time): ([Int], [Int], UInt32) = ([], [], 0)
      func lead(to place: Place, _ isClaimed: Bool) {
        if let at = places[place] {
          if isClaimed { said.append(at) } else { real.append(at) }
        } else if place.index < known[place.branch] {
          time = max(time, times[place.branch][place.index - branches[place.branch].first])
        }
      }
      let branch = branches[spot.branch]
      let isClaimed = removed[spot.branch].contains(spot.index)
      if spot.index > branch.first {
        lead(to: Place(branch: spot.branch, index: spot.index - 1), isClaimed)
      } else if let base = branch.base {
        lead(to: base, isClaimed)
      }
      for head in heads(spot.branch, spot.index) { if let place = place(of: head) { lead(to: place, isClaimed) } }
      before.append(real)
      claimed.append(said)
      greatest.append(time)
    }
    let found = ProvenTime.times(before: before, claimed: claimed, greatest: greatest)
    for (spot, time) in zip(list, found) { times[spot.branch].append(time) }
  }

  /// The proven time of a block; nil if it is not here.
  func time(of block: BlockRef) -> UInt32? {
    if let place = place(of: block) {
      let at = place.index - branches[place.branch].first
      return at < times[place.branch].count ? times[place.branch][at] : nil
    }
    guard branches.count == 1, Int(block.index) < ends[0], branches[0].digests[Int(block.index)] == block.digest else {
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

  /// The same of a block that may stand behind what is as if it were not here.
  func isWrong(at spot: ClockSurvey.Spot) -> Bool {
    areBehindWrong[spot.branch] || wrong[spot.branch].map { $0 <= spot.index } ?? false
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
