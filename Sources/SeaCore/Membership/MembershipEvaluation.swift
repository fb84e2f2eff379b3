/// Works out the standing of everybody from the entries and a list of upward bundles.
///
/// Instances and entries are numbers here: entries by their order; instances as they come, the founder first, then those
/// that have written entries. The standing of the others, the silent ones, does nothing to anybody, and nobody is cut
/// off by what is said about them: so they are left aside until the end, and hear then what juniors say as well.
struct MembershipEvaluation {
  /// All entries of one author about one of its seniors that counted when it was tried.
  struct Bundle: Hashable {
    var author: Int
    var subject: Int
    var positions: [Int]

    func isOfSame(_ other: Bundle) -> Bool { author == other.author && subject == other.subject }
  }

  /// What one evaluation gives.
  private struct Round {
    /// The instances in the order of rank, and the ranks.
    var ranked: [Int] = []
    var rank: [Int?] = []
    var states: [MembershipState] = []
    /// The entries that count, those that took part, and those of the bundles.
    var isLive: [Bool] = []
    var isTaken: [Bool] = []
    var isImposed: [Bool] = []
  }

  private(set) var entries: [Membership.Entry]
  private var instances: [UUID] = []
  private var authors: [Int] = []
  private var subjects: [Int] = []
  /// How many of the instances are not silent.
  private var speakers = 0
  /// The positions of the entries by each speaker, of those among them that make an admin, and of those about each
  /// instance.
  private var by: [[Int]] = []
  private var raising: [[Int]] = []
  private var about: [[Int]] = []
  private let isWithin: Membership.IsWithin
  /// For each author and cut met so far, whether the blocks of its entries are within.
  private var within: [[BlockRef: [Bool]]] = []

  private var now = Round()
  private var evaluationsLeft = 256

  init(founder: UUID, entries given: some Sequence<Membership.Entry>, isWithin: @escaping Membership.IsWithin) {
    self.isWithin = isWithin
    entries = []
    for entry in given.sorted(by: Membership.Entry.precedes) {
      if let last = entries.last, Membership.Entry.isSame(last, entry) { continue }
      entries.append(entry)
    }
    var numbers: [UUID: Int] = [:]
    func number(_ instance: UUID) -> Int {
      if let known = numbers[instance] { return known }
      numbers[instance] = instances.count
      instances.append(instance)
      return instances.count - 1
    }
    _ = number(founder)
    authors = entries.map { number($0.author) }
    speakers = instances.count
    subjects = entries.map { number($0.subject) }
    by = Array(repeating: [], count: speakers)
    raising = by
    about = Array(repeating: [], count: instances.count)
    for (position, entry) in entries.enumerated() {
      by[authors[position]].append(position)
      if entry.makesAdmin { raising[authors[position]].append(position) }
      about[subjects[position]].append(position)
    }
    within = Array(repeating: [:], count: speakers)
  }

  // MARK: One evaluation

  /// Decides about all speakers who were ever made admins, and ranks them.
  /// - Parameter all: ranks the silent ones too.
  private mutating func evaluate(_ bundles: [Bundle], all: Bool = false) {
    evaluationsLeft -= 1
    let count = all ? instances.count : speakers
    now.ranked = [0]
    now.rank = Array(repeating: nil, count: instances.count)
    now.rank[0] = 0
    now.states = Array(repeating: .none, count: count)
    now.isLive = Array(repeating: false, count: entries.count)
    now.isTaken = now.isLive
    now.isImposed = now.isLive
    for bundle in bundles { for position in bundle.positions { now.isImposed[position] = true } }
    decide(0)
    var level = 0..<1
    var first: [Int?] = Array(repeating: nil, count: count)
    while !level.isEmpty {
      var found: [Int] = []
      for author in now.ranked[level] where author < speakers {
        for position in raising[author] where subjects[position] < count && now.isLive[position] {
          let subject = subjects[position]
          guard now.rank[subject] == nil else { continue }
          if first[subject] == nil { found.append(subject) }
          first[subject] = min(position, first[subject] ?? position)
        }
      }
      for subject in found.sorted(by: { first[$0] ?? 0 < first[$1] ?? 0 }) {
        now.rank[subject] = now.ranked.count
        now.ranked.append(subject)
        if subject < speakers { decide(subject) }
      }
      level = level.upperBound..<now.ranked.count
    }
  }

  /// The standing of one instance after all of its seniors, and which of its own entries count by it.
  private mutating func decide(_ subject: Int) {
    var state = standing(subject, leaving: false)
    if state.role != nil, about[subject].contains(where: { isLeaving($0) }) {
      state = standing(subject, leaving: true)
    }
    now.states[subject] = state
    guard subject < speakers, now.rank[subject] != nil, state.cut != .nothing, state.authority != .nothing else {
      return
    }
    for (k, position) in by[subject].enumerated() {
      now.isLive[position] = covers(state.cut, subject, k) && covers(state.authority, subject, k)
    }
  }

  private mutating func standing(_ subject: Int, leaving: Bool) -> MembershipState {
    var state = subject == 0 ? MembershipState.founder : .none
    for position in about[subject] {
      let author = authors[position]
      if author == subject {
        now.isTaken[position] = leaving && isLeaving(position) && state.role != nil
      } else if let senior = now.rank[author] {
        // Those behind are not ranked yet while the speakers are decided about.
        let isHeard = subject >= speakers || senior < now.rank[subject] ?? .max
        now.isTaken[position] = isHeard && now.isLive[position]
      } else {
        now.isTaken[position] = now.isImposed[position]
      }
      if now.isTaken[position] { state.apply(entries[position].act, at: position) }
    }
    return state
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

  // MARK: Upward bundles

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
    for author in now.ranked.dropFirst() {
      var upward: [Int: [Int]] = [:]
      for position in by[author] where now.isLive[position] {
        guard let senior = now.rank[subjects[position]], senior < now.rank[author] ?? 0 else { continue }
        upward[subjects[position], default: []].append(position)
      }
      let next = upward.map { Bundle(author: author, subject: $0.key, positions: $0.value) }
        .filter { !refused.contains($0) && !accepted.contains($0) }
        .min { $0.positions.last ?? 0 < $1.positions.last ?? 0 }
      if let next { return next }
    }
    return nil
  }

  // MARK: What it comes to

  /// Decides about the silent ones, and about those who never were admins. Nothing depends on them.
  mutating func decideOthers() {
    var others: [(first: Int, subject: Int)] = []
    for subject in instances.indices where subject >= speakers || now.rank[subject] == nil {
      decide(subject)
      if now.rank[subject] != nil { continue }
      if let first = about[subject].first(where: { now.isTaken[$0] }) { others.append((first, subject)) }
    }
    for other in others.sorted(by: { $0.first < $1.first }) {
      now.rank[other.subject] = now.ranked.count
      now.ranked.append(other.subject)
    }
  }

  var counted: [Membership.Entry] { entries.indices.filter { now.isTaken[$0] }.map { entries[$0] } }

  /// By rank.
  func standings(founderKey: [UInt8]?) -> [Membership.Standing] {
    now.ranked.enumerated().map { rank, number in
      let state = now.states[number]
      var authorisation: Authorisation?
      if let position = state.authorised, case .authorise(let given) = entries[position].act { authorisation = given }
      return Membership.Standing(
        instance: instances[number], role: state.role, cut: state.cut, authority: state.authority, rank: rank,
        authorised: state.authorised.map { entries[$0] }, revoked: state.revoked.map { entries[$0] },
        key: authorisation?.key ?? (number == 0 ? founderKey : nil), exchange: authorisation?.exchange)
    }
  }
}
