import SeaCore

/// The clocks of verified branches, which are the basis for computing proven times.
struct ClockSurvey: ClockFacts {
  /// The blocks of a branch, starting at block 0 or after a block of a branch that has already been read.
  struct Branch {
    var name: BranchID
    var first = 0
    var base: ClockPlace?
    /// Whether the branch's signer is unknown. The clocks of such a branch are not evidence.
    var isAnonymous = false
    var digests: [Digest] = []
    var lamports: [UInt32] = []
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
  private var siblings: [Digest: [Int]] = [:]
  private var leaving: [Int: [Int]] = [:]
  /// The branch of the last lookup, cached because blocks arrive branch by branch.
  private var current: (name: BranchID, place: Int)?

  var chains: Dictionary<BranchID, Int>.Keys { places.keys }
  func branch(_ name: BranchID) -> Branch? { places[name].map { branches[$0] } }
  func number(of name: BranchID) -> Int? { current?.name == name ? current?.place : places[name] }

  func block(_ number: Int, _ index: UInt32) -> BlockRef? {
    let branch = branches[number]
    guard Int(index) >= branch.first, Int(index) < branch.end else { return nil }
    return BlockRef(instance: branch.name.instance, index: index, digest: branch.digests[Int(index) - branch.first])
  }

  // MARK: - Evidence

  func locate(_ ref: BlockRef) -> ClockPlace? {
    let index = Int(ref.index)
    var number = places[ref.branch.mainBranch]
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

  /// Returns the block at an index of a branch or of the branch that it forked from; nil if the block has not been
  /// read.
  func block(of name: BranchID, at index: UInt32) -> BlockRef? {
    guard var number = places[name], Int(index) < branches[number].end else { return nil }
    while Int(index) < branches[number].first {
      guard let base = branches[number].base else { return nil }
      number = base.branch
    }
    return block(number, index)
  }

  func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool {
    guard block.index <= last.index, block.instance == last.instance, var place = locate(last) else { return false }
    while Int(block.index) < branches[place.branch].first {
      guard let base = branches[place.branch].base else { return false }
      place = base
    }
    return branches[place.branch].has(Int(block.index), block.digest)
  }

  /// Returns the heads that a block and its ancestors name, starting with the earliest ancestor.
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

  // MARK: - Reading

  mutating func begin(_ name: BranchID, behind block: BlockRef) {
    guard places[name] == nil, let base = locate(block) else { return }
    let number = branchIndex(of: name)
    branches[number].base = base
    branches[number].first = base.index + 1
    leaving[base.branch, default: []].append(number)
  }

  private mutating func branchIndex(of name: BranchID) -> Int {
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
    let place = branchIndex(of: name)
    branches[place].isAnonymous = isAnonymous
    if header.heads > 0 { branches[place].heads[branches[place].end] = header.heads(in: bytes) }
    if !name.isMainBranch { siblings[digest, default: []].append(place) }
    branches[place].digests.append(digest)
    branches[place].lamports.append(header.lamport)
  }

  mutating func removeAll(of name: BranchID, from index: UInt32) {
    guard let place = places[name] else { return }
    let gone = Set(branches[place].digests.dropFirst(max(0, Int(index) - branches[place].first)))
    if !name.isMainBranch { for digest in gone { siblings[digest]?.removeAll { $0 == place } } }
    branches[place].removeAll(from: Int(index))
  }
}

/// Finds wrong clocks and proven times among blocks in memory.
struct SurveyedClocks {
  private let survey: ClockSurvey
  private var judge: ClockEvaluation

  init(_ survey: ClockSurvey) {
    self.survey = survey
    let branches = survey.branches.map { ClockBranch(first: $0.first, end: $0.end, next: $0.first) }
    judge = ClockEvaluation(Dictionary(uniqueKeysWithValues: branches.enumerated().map { ($0, $1) }))
    judge.run(branches.indices.reversed(), survey)
  }

  /// Returns entries with their proven times. Leaves out entries in or after a block with a wrong clock.
  func timed(_ entries: [Membership.Entry]) -> [Membership.Entry] {
    var times = ProvenTimes(survey, judge.branches)
    return entries.compactMap { entry in
      survey.locate(entry.block).flatMap { isWrong($0) ? nil : entry.at(times.time(of: $0)) }
    }
  }

  func isWrong(_ block: BlockRef) -> Bool { survey.locate(block).map(isWrong) ?? false }

  private func isWrong(_ place: ClockPlace) -> Bool { judge.branches[place.branch]!.isWrong(place.index) }

  /// The first block with a wrong clock in each branch. Omits branches that forked from another branch after such a
  /// block. A block shared with the main branch is reported only for the main branch.
  var wrongBlocks: [(branch: BranchID, index: UInt32)] {
    judge.wrong.compactMap { number -> (branch: BranchID, index: UInt32)? in
      let (branch, at) = (survey.branches[number], judge.branches[number]!.next)
      if branch.base.map(isWrong) == true { return nil }
      let trunk = branch.name.isMainBranch ? nil : survey.branch(branch.name.mainBranch)
      return trunk?.has(at, branch.digests[at - branch.first]) == true ? nil : (branch.name, UInt32(at))
    }
    .sorted { $0.branch < $1.branch }
  }
}
