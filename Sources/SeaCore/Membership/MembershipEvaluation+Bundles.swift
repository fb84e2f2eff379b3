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
