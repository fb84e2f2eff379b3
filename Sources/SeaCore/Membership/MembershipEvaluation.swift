/// Works out the standing of everybody from the entries and a list of upward bundles.
///
/// Instances, lines and entries are numbers here: entries by their order; instances as they come, those first that have
/// written entries. The standing of a silent line, of which nobody has, does nothing to anybody else, and nobody is cut
/// off by what is said about it: so silent lines are left aside until the end, and hear then what juniors say as well.
struct MembershipEvaluation {
  /// All entries of one author about one of its seniors that counted when it was tried.
  struct Bundle: Hashable {
    var author: Int
    var subject: Int
    var positions: [Int]

    func isOfSame(_ other: Bundle) -> Bool { author == other.author && subject == other.subject }
  }

  /// What one evaluation gives.
  struct Round {
    /// The lines in the order of rank, and the ranks of all.
    var ranked: [Int] = []
    var rank: [Int?] = []
    /// Of the instances.
    var states: [MembershipState] = []
    /// The entries that count, those that took part, and those of the bundles.
    var isLive: [Bool] = []
    var isTaken: [Bool] = []
    var isImposed: [Bool] = []
  }

  private(set) var entries: [Membership.Entry]
  private let instances: [UUID]
  private let numbers: [UUID: Int]
  /// How many lines ever had an admin.
  private var rankedLines = 0
  private let authors: [Int]
  let subjects: [Int]
  /// How many of the instances have written entries.
  private(set) var speakers = 0
  let lines: MembershipLines
  private let isSilent: [Bool]
  /// Recovery and the founder.
  private let roots: [Int]
  /// The positions of the entries by each speaker, of those among them that make an admin, and of those about each
  /// line.
  private(set) var by: [[Int]] = []
  private var raising: [[Int]] = []
  private var about: [[Int]] = []
  private let isWithin: Membership.IsWithin
  /// For each author and cut met so far, whether the blocks of its entries are within.
  private var within: [[BlockRef: [Bool]]] = []

  var now = Round()
  private(set) var evaluationsLeft = 256

  init(
    _ proof: DatabaseProof, _ births: [Membership.Birth], _ given: some Sequence<Membership.Entry>,
    isWithin: @escaping Membership.IsWithin
  ) {
    self.isWithin = isWithin
    entries = []
    for entry in given.sorted(by: Membership.Entry.precedes) {
      if let last = entries.last, Membership.Entry.isSame(last, entry) { continue }
      entries.append(entry)
    }
    var met = InstanceNumbers()
    roots = [proof.recoveryInstance, proof.founderInstance].compactMap { $0 }.map { met.number($0) }
    authors = entries.map { met.number($0.author) }
    speakers = met.instances.count
    subjects = entries.map { met.number($0.subject) }
    let lines = met.lines(births)
    self.lines = lines
    (instances, numbers) = (met.instances, met.numbers)
    var isSilent = Array(repeating: true, count: lines.members.count)
    for one in roots + authors { isSilent[lines.line[one]] = false }
    self.isSilent = isSilent
    by = Array(repeating: [], count: speakers)
    raising = by
    about = Array(repeating: [], count: lines.members.count)
    for (position, entry) in entries.enumerated() {
      by[authors[position]].append(position)
      if entry.makesAdmin { raising[authors[position]].append(position) }
      about[lines.line[subjects[position]]].append(position)
    }
    within = Array(repeating: [:], count: speakers)
  }

  var successors: Successors { Successors(instances, lines) }

  // MARK: One evaluation

  /// Decides about all lines of speakers that ever had an admin, and ranks them.
  /// - Parameter all: ranks the silent ones too.
  mutating func evaluate(_ bundles: [Bundle], all: Bool = false) {
    evaluationsLeft -= 1
    now.ranked = []
    now.rank = Array(repeating: nil, count: lines.members.count)
    now.states = Array(repeating: .none, count: instances.count)
    now.isLive = Array(repeating: false, count: entries.count)
    now.isTaken = now.isLive
    now.isImposed = now.isLive
    for bundle in bundles { for position in bundle.positions { now.isImposed[position] = true } }
    for line in roots.map({ lines.line[$0] }) where now.rank[line] == nil { rank(line) }
    var level = now.ranked.indices
    var first: [Int?] = Array(repeating: nil, count: lines.members.count)
    while !level.isEmpty {
      var found: [Int] = []
      for author in now.ranked[level].flatMap({ lines.members[$0] }) where author < speakers {
        for position in raising[author] where now.isLive[position] {
          let line = lines.line[subjects[position]]
          guard now.rank[line] == nil, all || !isSilent[line] else { continue }
          if first[line] == nil { found.append(line) }
          first[line] = min(position, first[line] ?? position)
        }
      }
      for line in found.sorted(by: { first[$0] ?? 0 < first[$1] ?? 0 }) { rank(line) }
      level = level.upperBound..<now.ranked.count
    }
  }

  /// Gives a line the next rank, and decides about it.
  private mutating func rank(_ line: Int) {
    now.rank[line] = now.ranked.count
    now.ranked.append(line)
    if !isSilent[line] { decide(line) }
  }

  /// The standing of those of a line after all of its seniors, and which of their entries count by it.
  private mutating func decide(_ line: Int) {
    var states = standings(line, leaving: [])
    var leaving: Set<Int> = []
    for position in about[line] where isLeaving(position) {
      let subject = subjects[position]
      if states[lines.place[subject]].role != nil { leaving.insert(subject) }
    }
    if !leaving.isEmpty { states = standings(line, leaving: leaving) }
    for (place, member) in lines.members[line].enumerated() {
      let state = states[place]
      now.states[member] = state
      guard member < speakers, now.rank[line] != nil, state.cut != .nothing, state.authority != .nothing else {
        continue
      }
      for (k, position) in by[member].enumerated() {
        now.isLive[position] = covers(state.cut, member, k) && covers(state.authority, member, k)
      }
    }
  }

  /// - Parameter leaving: those whose word about themselves is looked at.
  private mutating func standings(_ line: Int, leaving: Set<Int>) -> [MembershipState] {
    let members = lines.members[line]
    var start = Array(repeating: MembershipState.none, count: members.count)
    for root in roots where lines.line[root] == line {
      for place in lines.place[root]..<lines.end[root] { start[place] = .founder }
    }
    var states = LineStates(start)
    for position in about[line] {
      let subject = subjects[position]
      let place = lines.place[subject]
      let act = entries[position].act
      if lines.line[authors[position]] == line {
        // They have no say about each other.
        now.isTaken[position] =
          isLeaving(position) && leaving.contains(subject) && states.state(place).role != nil
        if now.isTaken[position] { states.apply(act, at: position, to: place) }
        continue
      }
      now.isTaken[position] = isHeard(position, by: line)
      guard now.isTaken[position] else { continue }
      states.apply(act, at: position, to: place)
      for run in touched(by: act, subject) { states.inherit(act, at: position, run) }
    }
    return members.indices.map { states.state($0) }
  }

  private func isHeard(_ position: Int, by line: Int) -> Bool {
    guard let senior = now.rank[lines.line[authors[position]]] else { return now.isImposed[position] }
    // Those behind are not ranked yet while the speakers are decided about.
    return now.isLive[position] && (isSilent[line] || senior < now.rank[line] ?? .max)
  }

  /// The successors of an instance that an act about it touches, as runs of places.
  private func touched(by act: Membership.Entry.Act, _ subject: Int) -> [Range<Int>] {
    let successors = lines.place[subject] + 1..<lines.end[subject]
    guard !successors.isEmpty, case .revoke(_, _, let keeps) = act, !keeps.isEmpty else { return [successors] }
    let line = lines.line[subject]
    let kept = keeps.compactMap { numbers[$0] }
      .filter { lines.line[$0] == line && successors.contains(lines.place[$0]) }
      .map { lines.place[$0]..<lines.end[$0] }
      .sorted { $0.lowerBound < $1.lowerBound }
    var runs: [Range<Int>] = []
    var next = successors.lowerBound
    for run in kept {
      if next < run.lowerBound { runs.append(next..<run.lowerBound) }
      next = max(next, run.upperBound)
    }
    if next < successors.upperBound { runs.append(next..<successors.upperBound) }
    return runs
  }

  private func isLeaving(_ position: Int) -> Bool {
    guard authors[position] == subjects[position], case .revoke = entries[position].act else { return false }
    return true
  }

  private mutating func covers(_ cut: Membership.Cut, _ author: Int, _ k: Int) -> Bool {
    guard case .last(let last) = cut else { return cut == .everything }
    if let known = within[author][last] { return known[k] }
    let row = by[author].map { isWithin(entries[$0].block, last) }
    within[author][last] = row
    return row[k]
  }

  // MARK: What it comes to

  /// Decides about the silent ones, and about those who never were admins. Nothing depends on them.
  mutating func decideOthers() {
    rankedLines = now.ranked.count
    var others: [(first: Int, line: Int)] = []
    for line in lines.members.indices where isSilent[line] || now.rank[line] == nil {
      decide(line)
      if now.rank[line] != nil { continue }
      if let first = about[line].first(where: { now.isTaken[$0] }) { others.append((first, line)) }
    }
    for other in others.sorted(by: { $0.first < $1.first }) {
      now.rank[other.line] = now.ranked.count
      now.ranked.append(other.line)
    }
  }

  var counted: [Membership.Entry] { entries.indices.filter { now.isTaken[$0] }.map { entries[$0] } }

  /// By instance, of all in lines that ever had an admin.
  var ranks: [UUID: Int] {
    var ranks: [UUID: Int] = [:]
    for (rank, line) in now.ranked.prefix(rankedLines).enumerated() {
      for number in lines.members[line] { ranks[instances[number]] = rank }
    }
    return ranks
  }

  /// By rank, in a line predecessors first.
  func standings(_ proof: DatabaseProof) -> [Membership.Standing] {
    var all: [Membership.Standing] = []
    for (rank, line) in now.ranked.enumerated() {
      let members = lines.members[line]
      for number in members {
        let state = now.states[number]
        let isRoot = roots.contains(number)
        guard isRoot || state.role != nil || state.authorised != nil || state.revoked != nil else { continue }
        var authorisation: Authorisation?
        if let position = state.authorised, case .authorise(let given) = entries[position].act,
          given.instance == instances[number]
        {
          authorisation = given
        }
        let rootKey = [proof.founder, proof.recovery].compactMap { $0 }
          .first { isRoot && Identity.instance(key: $0) == instances[number] }
        all.append(
          Membership.Standing(
            instance: instances[number], role: state.role, cut: state.cut, authority: state.authority, rank: rank,
            isRanked: rank < rankedLines, line: instances[members[0]],
            follows: lines.predecessor[number].map { instances[$0] },
            authorised: state.authorised.map { entries[$0] }, revoked: state.revoked.map { entries[$0] },
            key: authorisation?.key ?? rootKey, exchange: authorisation?.exchange))
      }
    }
    return all
  }
}

/// Upward bundles: what juniors say about their seniors.
extension MembershipEvaluation {
  /// Takes up the bundles one by one, until none is left that can be.
  mutating func decideBundles() {
    var accepted: [Bundle] = []
    var refused: Set<Bundle> = []
    evaluate(accepted)
    while evaluationsLeft > 0, let bundle = nextBundle(besides: accepted, refused) {
      let before = now
      if let trial = decided(accepted.filter { !$0.isOfSame(bundle) }, with: bundle) {
        accepted = trial
        refused = []
      } else {
        now = before
        refused.insert(bundle)
      }
    }
    evaluate(accepted, all: true)
  }

  /// The bundles that can be in together with the last one, or nil if that one cannot.
  private mutating func decided(_ bundles: [Bundle], with last: Bundle) -> [Bundle]? {
    var bundles = bundles
    while evaluationsLeft > 0 {
      evaluate(bundles + [last])
      let standing = bundles.filter { counts($0) }
      if standing.count == bundles.count { return counts(last) ? bundles + [last] : nil }
      bundles = standing
    }
    return nil
  }

  private func counts(_ bundle: Bundle) -> Bool { bundle.positions.allSatisfy { now.isLive[$0] } }

  private func nextBundle(besides accepted: [Bundle], _ refused: Set<Bundle>) -> Bundle? {
    for (rank, line) in now.ranked.enumerated().dropFirst() {
      var upward: [Bundle] = []
      for author in lines.members[line] where author < speakers {
        var about: [Int: [Int]] = [:]
        for position in by[author] where now.isLive[position] {
          guard let senior = now.rank[lines.line[subjects[position]]], senior < rank else { continue }
          about[subjects[position], default: []].append(position)
        }
        upward += about.map { Bundle(author: author, subject: $0.key, positions: $0.value) }
      }
      let next =
        upward.filter { !refused.contains($0) && !accepted.contains($0) }
        .min { $0.positions.last ?? 0 < $1.positions.last ?? 0 }
      if let next { return next }
    }
    return nil
  }
}
