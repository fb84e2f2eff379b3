import SeaCore

/// The branches that were verified, and what they testify about clocks.
struct ClockSurvey: ClockTestimony {
  /// The blocks of a branch: from block 0 on, or behind a block of a branch that came before.
  struct Branch {
    var name: BranchID
    var first = 0
    var base: ClockPlace?
    /// Whether nobody here knows who has signed it: then nothing is said of its clocks.
    var isAnonymous = false
    var digests: [Digest] = []
    var lamports: [UInt32] = []
    /// By index.
    var heads: [Int: [BlockRef]] = [:]

    var end: Int { first + digests.count }

    func has(_ index: Int, _ digest: Digest) -> Bool {
      index >= first && index < end && digests[index - first] == digest
    }

    mutating func removeAll(from index: Int) {
      guard index < end else { return }
      let rest = max(0, index - first)
      digests.removeSubrange(rest...)
      lamports.removeSubrange(rest...)
      heads = heads.filter { $0.key < index }
    }
  }

  private(set) var branches: [Branch] = []
  private var places: [BranchID: Int] = [:]
  /// Of blocks in branches that are no trunks: in which.
  private var siblings: [Digest: [Int]] = [:]
  /// Of branches that others leave: which.
  private var leaving: [Int: [Int]] = [:]
  /// Of the branch that was met last: blocks come one branch after another.
  private var current: (name: BranchID, place: Int)?

  /// The branches that there are.
  var chains: Dictionary<BranchID, Int>.Keys { places.keys }
  func branch(_ name: BranchID) -> Branch? { places[name].map { branches[$0] } }
  /// The number of a branch in `branches`.
  func number(of name: BranchID) -> Int? { current?.name == name ? current?.place : places[name] }

  /// The block that a branch has itself at an index.
  func block(_ number: Int, _ index: UInt32) -> BlockRef? {
    let branch = branches[number]
    guard Int(index) >= branch.first, Int(index) < branch.end else { return nil }
    return BlockRef(instance: branch.name.instance, index: index, digest: branch.digests[Int(index) - branch.first])
  }

  // MARK: - What they testify

  func locate(_ ref: BlockRef) -> ClockPlace? {
    let index = Int(ref.index)
    var number = places[ref.branch.trunk]
    if number.map({ branches[$0].has(index, ref.digest) }) != true {
      number = siblings[ref.digest]?.first {
        branches[$0].name.instance == ref.instance && branches[$0].has(index, ref.digest)
      }
    }
    return number.map { ClockPlace(branch: $0, index: index, lamport: lamport($0, index)) }
  }

  func block(_ number: Int, _ index: Int) -> ClockBlock? {
    guard index < branches[number].end, !branches[number].isAnonymous else { return nil }
    return ClockBlock(lamport: lamport(number, index), heads: branches[number].heads[index] ?? [])
  }

  func lamport(_ number: Int, _ index: Int) -> UInt32 { branches[number].lamports[index - branches[number].first] }

  func base(of number: Int) -> BlockRef? {
    branches[number].base.flatMap { block($0.branch, UInt32($0.index)) }
  }

  func siblings(leaving number: Int) -> [Int] { leaving[number] ?? [] }

  /// The block at an index of a branch, or of what that left, as far as it has come.
  func block(of name: BranchID, at index: UInt32) -> BlockRef? {
    guard var number = places[name], Int(index) < branches[number].end else { return nil }
    while Int(index) < branches[number].first {
      guard let base = branches[number].base else { return nil }
      number = base.branch
    }
    return block(number, index)
  }

  /// Whether a block is on the way to another one, or is that one.
  func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool {
    guard block.index <= last.index, block.instance == last.instance, var place = locate(last) else { return false }
    while Int(block.index) < branches[place.branch].first {
      guard let base = branches[place.branch].base else { return false }
      place = base
    }
    return branches[place.branch].has(Int(block.index), block.digest)
  }

  /// The heads that a block names, and those before it, the first ones first.
  func heads(upTo block: BlockRef) -> [BlockRef] {
    var found: [[BlockRef]] = []
    var next = places[block.branch].map { (branch: $0, index: Int(block.index)) }
    while let now = next {
      let branch = branches[now.branch]
      let own = branch.heads.filter { $0.key <= now.index }.sorted { $0.key < $1.key }
      found.append(own.flatMap(\.value))
      next = branch.base.map { ($0.branch, $0.index) }
    }
    return found.reversed().flatMap { $0 }
  }

  // MARK: - What is read

  /// A branch goes on behind a block of one that came before.
  mutating func begin(_ name: BranchID, behind block: BlockRef) {
    guard places[name] == nil, let base = locate(block) else { return }
    let number = place(of: name)
    branches[number].base = base
    branches[number].first = base.index + 1
    leaving[base.branch, default: []].append(number)
  }

  private mutating func place(of name: BranchID) -> Int {
    if let current, current.name == name { return current.place }
    let place = places[name] ?? branches.count
    if place == branches.count {
      branches.append(Branch(name: name))
      places[name] = place
    }
    current = (name, place)
    return place
  }

  mutating func add(
    _ bytes: UnsafeRawBufferPointer, _ header: BlockHeader, _ digest: Digest, to name: BranchID, isAnonymous: Bool
  ) {
    let place = place(of: name)
    branches[place].isAnonymous = isAnonymous
    if header.heads > 0 { branches[place].heads[branches[place].end] = header.heads(in: bytes) }
    if !name.isTrunk { siblings[digest, default: []].append(place) }
    branches[place].digests.append(digest)
    branches[place].lamports.append(header.lamport)
  }

  /// Forgets the blocks of a branch from an index on.
  mutating func removeAll(of name: BranchID, from index: UInt32) {
    guard let place = places[name] else { return }
    let gone = Set(branches[place].digests.dropFirst(max(0, Int(index) - branches[place].first)))
    if !name.isTrunk { for digest in gone { siblings[digest]?.removeAll { $0 == place } } }
    branches[place].removeAll(from: Int(index))
  }
}

/// Which clocks are wrong of blocks in memory, and the proven times.
struct SurveyedClocks {
  private let survey: ClockSurvey
  private var judge: ClockJudge

  init(_ survey: ClockSurvey) {
    self.survey = survey
    let branches = survey.branches.map { ClockBranch(first: $0.first, end: $0.end, next: $0.first) }
    judge = ClockJudge(Dictionary(uniqueKeysWithValues: branches.enumerated().map { ($0, $1) }))
    judge.run(branches.indices.reversed(), survey)
  }

  /// The proven times of some entries, but those in blocks that have a clock that does not follow, or one before.
  func timed(_ entries: [Membership.Entry]) -> [Membership.Entry] {
    var times = ProvenTimes(survey, judge.branches)
    return entries.compactMap { entry in
      survey.locate(entry.block).flatMap { isWrong($0) ? nil : entry.at(times.time(of: $0)) }
    }
  }

  /// Whether a block or one before it has a clock that does not follow.
  func isWrong(_ block: BlockRef) -> Bool { survey.locate(block).map(isWrong) ?? false }

  private func isWrong(_ place: ClockPlace) -> Bool { judge.branches[place.branch]!.isWrong(place.index) }

  /// The first block of each branch whose clock does not follow, but of those that left another one behind such a block. What a sibling
  /// branch has from the trunk is told of the trunk.
  var wrongBlocks: [(branch: BranchID, index: UInt32)] {
    judge.wrong.compactMap { number -> (branch: BranchID, index: UInt32)? in
      let (branch, at) = (survey.branches[number], judge.branches[number]!.next)
      if branch.base.map(isWrong) == true { return nil }
      let trunk = branch.name.isTrunk ? nil : survey.branch(branch.name.trunk)
      return trunk?.has(at, branch.digests[at - branch.first]) == true ? nil : (branch.name, UInt32(at))
    }
    .sorted { $0.branch < $1.branch }
  }
}
