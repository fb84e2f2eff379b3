/// Computes the standing of all instances in two passes. The first pass determines which entries count by applying
/// seniors' entries in order of rank. The second pass applies all entries that count.
///
/// Instances, lines and entries are represented by indices. Entries are sorted, and their authors come before other
/// instances.
struct MembershipEvaluation {
  private let entries: [Membership.Entry]
  private let instances: [UUID]
  private let numbers: [UUID: Int]
  private let authors: [Int]
  private let subjects: [Int]
  private let lines: MembershipLines
  private let roots: [Int]
  /// The indices of the entries by each author. The next properties hold the indices of the entries that make an admin,
  /// and of the entries about each line.
  private var entriesByAuthor: [[Int]] = []
  private var adminGrantsByAuthor: [[Int]] = []
  private var entriesByLine: [[Int]] = []
  private var indexWithinAuthor: [Int]
  private let isWithin: Membership.IsWithin
  /// For each author and cut, whether the blocks that contain the author's entries are within the cut. The table is
  /// filled on demand.
  private var within: [[BlockRef: [Bool]]] = []

  private var ranked: [Int] = []
  private var rank: [Int?]
  private var rankedLines = 0
  /// The states of the instances according to seniors' entries. `finalStates` contains the states according to all entries.
  private var states: [MembershipState]
  private var finalStates: [MembershipState] = []
  /// Whether each entry counts. `isApplied` tells whether the entry was applied.
  private var isCounting: [Bool]
  private var isApplied: [Bool]

  init(
    _ proof: DatabaseProof, _ births: [Membership.FirstBlock], _ given: some Sequence<Membership.Entry>,
    isWithin: @escaping Membership.IsWithin
  ) {
    self.isWithin = isWithin
    var entries: [Membership.Entry] = []
    for entry in given.sorted(by: Membership.Entry.precedes) {
      if let last = entries.last, Membership.Entry.isSame(last, entry) { continue }
      entries.append(entry)
    }
    self.entries = entries
    var met = InstanceNumbers()
    roots = [proof.recoveryInstance, proof.founderInstance].compactMap { $0 }.map { met.number($0) }
    authors = entries.map { met.number($0.author) }
    let speakers = met.instances.count
    subjects = entries.map { met.number($0.subject) }
    lines = met.lines(births)
    (instances, numbers) = (met.instances, met.numbers)
    entriesByAuthor = Array(repeating: [], count: speakers)
    adminGrantsByAuthor = entriesByAuthor
    entriesByLine = Array(repeating: [], count: lines.members.count)
    indexWithinAuthor = []
    for (position, entry) in entries.enumerated() {
      indexWithinAuthor.append(entriesByAuthor[authors[position]].count)
      entriesByAuthor[authors[position]].append(position)
      if entry.makesAdmin { adminGrantsByAuthor[authors[position]].append(position) }
      entriesByLine[lines.line[subjects[position]]].append(position)
    }
    within = Array(repeating: [:], count: speakers)
    rank = Array(repeating: nil, count: lines.members.count)
    states = Array(repeating: .none, count: instances.count)
    isCounting = Array(repeating: false, count: entries.count)
    isApplied = isCounting
    evaluateByRank()
    applyJuniorEntries()
  }

  var successors: Successors { Successors(instances, lines) }

  /// Ranks the lines that have ever had an admin, level by level, and then the other lines by the first entry about
  /// each.
  private mutating func evaluateByRank() {
    for line in roots.map({ lines.line[$0] }) where rank[line] == nil { decideNext(line) }
    var level = ranked.indices
    var first: [Int?] = Array(repeating: nil, count: lines.members.count)
    while !level.isEmpty {
      var found: [Int] = []
      for author in ranked[level].flatMap({ lines.members[$0] }) where author < entriesByAuthor.count {
        for position in adminGrantsByAuthor[author] where isCounting[position] {
          let line = lines.line[subjects[position]]
          guard rank[line] == nil else { continue }
          if first[line] == nil { found.append(line) }
          first[line] = min(position, first[line] ?? position)
        }
      }
      for line in found.sorted(by: { first[$0] ?? 0 < first[$1] ?? 0 }) { decideNext(line) }
      level = level.upperBound..<ranked.count
    }
    rankedLines = ranked.count
    var others: [(first: Int, line: Int)] = []
    for line in lines.members.indices where rank[line] == nil {
      decide(line)
      if let first = entriesByLine[line].first(where: { isApplied[$0] }) { others.append((first, line)) }
    }
    ranked += others.sorted { $0.first < $1.first }.map(\.line)
  }

  private mutating func decideNext(_ line: Int) {
    rank[line] = ranked.count
    ranked.append(line)
    decide(line)
    for member in lines.members[line] where member < entriesByAuthor.count {
      let state = states[member]
      for position in entriesByAuthor[member] {
        isCounting[position] = covers(state.cut, position) && covers(state.authority, position)
      }
    }
  }

  private mutating func decide(_ line: Int) {
    for (member, state) in zip(lines.members[line], decided(line)) { states[member] = state }
  }

  /// Also applies juniors' entries, which change seniors' roles and cuts, but not which of the seniors' entries count.
  private mutating func applyJuniorEntries() {
    finalStates = states
    for line in ranked.prefix(rankedLines)
    where entriesByLine[line].contains(where: { isCounting[$0] && !isBySenior($0, of: line) }) {
      for (member, state) in zip(lines.members[line], decided(line, byAll: true)) { finalStates[member] = state }
    }
  }

  private mutating func decided(_ line: Int, byAll: Bool = false) -> [MembershipState] {
    let found = standings(line, leaving: [], byAll)
    var leaving: Set<Int> = []
    for position in entriesByLine[line] where isLeaving(position) {
      let subject = subjects[position]
      if found[lines.place[subject]].role != nil { leaving.insert(subject) }
    }
    return leaving.isEmpty ? found : standings(line, leaving: leaving, byAll)
  }

  /// - Parameter leaving: the instances that revoke themselves effectively.
  private mutating func standings(_ line: Int, leaving: Set<Int>, _ byAll: Bool) -> [MembershipState] {
    let members = lines.members[line]
    var start = Array(repeating: MembershipState.none, count: members.count)
    for root in roots where lines.line[root] == line {
      for place in lines.place[root]..<lines.end[root] { start[place] = .founder }
    }
    var states = LineStates(start)
    for position in entriesByLine[line] {
      let subject = subjects[position]
      let place = lines.place[subject]
      let act = entries[position].act
      if lines.line[authors[position]] == line {
        // Other entries between members of a line do not count.
        guard isLeaving(position), leaving.contains(subject), states.state(place).role != nil else { continue }
        isApplied[position] = true
        states.apply(act, at: position, to: place)
        continue
      }
      guard isCounting[position], byAll || isBySenior(position, of: line) else { continue }
      isApplied[position] = true
      states.apply(act, at: position, to: place)
      for run in affectedSuccessors(by: act, subject) { states.inherit(act, at: position, run) }
    }
    return members.indices.map { states.state($0) }
  }

  private func isBySenior(_ position: Int, of line: Int) -> Bool {
    rank[lines.line[authors[position]]] ?? .max < rank[line] ?? .max
  }

  /// Returns the successors that are affected by an act about an instance, as ranges of positions in the line.
  private func affectedSuccessors(by act: Membership.Entry.Act, _ subject: Int) -> [Range<Int>] {
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

  private mutating func covers(_ cut: Membership.BlockSelection, _ position: Int) -> Bool {
    guard case .last(let last) = cut else { return cut == .everything }
    let author = authors[position]
    if let known = within[author][last] { return known[indexWithinAuthor[position]] }
    let row = entriesByAuthor[author].map { isWithin(entries[$0].block, last) }
    within[author][last] = row
    return row[indexWithinAuthor[position]]
  }

  var counted: [Membership.Entry] { entries.indices.filter { isApplied[$0] }.map { entries[$0] } }

  var ranks: [UUID: Int] {
    var ranks: [UUID: Int] = [:]
    for (rank, line) in ranked.prefix(rankedLines).enumerated() {
      for number in lines.members[line] { ranks[instances[number]] = rank }
    }
    return ranks
  }

  func standings(_ proof: DatabaseProof) -> [Membership.Standing] {
    var all: [Membership.Standing] = []
    for (rank, line) in ranked.enumerated() {
      let members = lines.members[line]
      for number in members {
        let (heard, state) = (states[number], finalStates[number])
        let isRoot = roots.contains(number)
        guard isRoot || state.role != nil || state.authorized != nil || state.revoked != nil else { continue }
        var authorization: Authorization?
        if let position = state.authorized, case .authorize(let given) = entries[position].act,
          given.instance == instances[number]
        {
          authorization = given
        }
        let rootKey = [proof.founder, proof.recovery].compactMap { $0 }
          .first { isRoot && Identity.instance(key: $0) == instances[number] }
        all.append(
          Membership.Standing(
            instance: instances[number],
            role: state.role == .admin && heard.authority != .everything ? .write : state.role,
            cut: state.cut, consideredBlocks: heard.cut, authority: heard.authority, rank: rank,
            isRanked: rank < rankedLines, line: instances[members[0]],
            follows: lines.predecessor[number].map { instances[$0] },
            authorized: state.authorized.map { entries[$0] }, revoked: state.revoked.map { entries[$0] },
            key: authorization?.key ?? rootKey, exchange: authorization?.exchange))
      }
    }
    return all
  }
}
