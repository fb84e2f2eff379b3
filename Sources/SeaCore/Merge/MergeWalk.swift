struct MergeWalk {
  typealias ProvenanceAt = (PropertyPath) -> (ours: Provenance, theirs: Provenance)

  private(set) var groups: AtomicGroups
  private let rules: MergeRules
  private let provenance: ProvenanceAt
  var paths: [Merge.Path] = []
  /// The work for merged texts. Beyond the limit, texts remain conflicts.
  private var cells = 0
  private static let mostCells = 1 << 29
  /// The cost of merged texts, for `RevisionGraph.spend`.
  var textSteps: Int { cells > MergeWalk.mostCells ? 1 << 40 : cells / 64 }

  init(_ base: Base, _ ours: Members, _ theirs: Members, _ rules: MergeRules, _ provenance: @escaping ProvenanceAt) {
    self.rules = rules
    self.provenance = provenance
    groups = AtomicGroups(rules.atomic, .dictionary(ours), .dictionary(theirs))
    if groups.all.isEmpty { return }
    let place = BasePlace(base)
    for k in groups.all.indices where groups.all[k].paths.count > 1 {
      groups.all[k].verdict = verdict(groups.all[k].paths, place, .dictionary(ours), .dictionary(theirs))
    }
  }

  mutating func dictionary(_ base: BasePlace, _ ours: Members, _ theirs: Members, _ names: [String]) -> Members {
    var result = Members()
    for name in Members.keys(of: [base.value?.members ?? Members(), ours, theirs]) {
      if let value = value(base.child(name), ours[name], theirs[name], names + [name]) { result.append(name, value) }
    }
    return result
  }

  mutating func value(_ base: BasePlace, _ ours: Value?, _ theirs: Value?, _ names: [String]) -> Value? {
    let group = groups.index(of: names)
    if let group, let verdict = groups.all[group].verdict {
      let isSame = ours == theirs && base.equals(ours)
      return add(base, ours, theirs, names, isSame ? Verdict(.same) : verdict)
    }
    if ours == theirs { return add(base, ours, theirs, names, Verdict(base.equals(ours) ? .same : .sameChange)) }
    if group == nil, case .dictionary(let a)? = ours, case .dictionary(let b)? = theirs {
      return .dictionary(dictionary(base, a, b, names))
    }
    let counted = Value.counted(ours, theirs)
    if base.equals(ours), counted == nil || counted == theirs {
      return add(base, ours, theirs, names, Verdict(.theirs, .theirs))
    }
    if base.equals(theirs), counted == nil || counted == ours {
      return add(base, ours, theirs, names, Verdict(.ours, .ours))
    }
    if let joined = Value.joined(base.value, ours, theirs) {
      return add(base, ours, theirs, names, Verdict(.joined), joined)
    }
    let path = PropertyPath(names: names)
    guard let policy = rules.policy(path), names.first != Merge.typeName || policy.choosesSide,
      let choice = choose(policy, base, ours, theirs, path)
    else { return add(base, ours, theirs, names, Verdict(.clash)) }
    switch choice {
    case .ours: return add(base, ours, theirs, names, Verdict(.settled(policy), .ours))
    case .theirs: return add(base, ours, theirs, names, Verdict(.settled(policy), .theirs))
    case .value(let value): return add(base, ours, theirs, names, Verdict(.settled(policy)), value)
    }
  }

  private mutating func choose(
    _ policy: Policy, _ base: BasePlace, _ ours: Value?, _ theirs: Value?, _ path: PropertyPath
  ) -> Policy.Choice? {
    guard policy == .text else { return policy.choose(ours, theirs, provenance(path)) }
    if cells > MergeWalk.mostCells { return nil }
    return Policy.mergeTexts(base.known, ours, theirs, cells: &cells).map { .value($0) }
  }

  private mutating func add(
    _ base: BasePlace, _ ours: Value?, _ theirs: Value?, _ names: [String], _ verdict: Verdict, _ made: Value? = nil
  ) -> Value? {
    let merged = made ?? (verdict.side == .theirs ? theirs : ours)
    paths.append(
      Merge.Path(
        path: PropertyPath(names: names), base: base.value, ours: ours, theirs: theirs, state: verdict.state,
        merged: merged, side: verdict.side))
    return merged
  }

  private func verdict(_ paths: [PropertyPath], _ base: BasePlace, _ ours: Value, _ theirs: Value) -> Verdict {
    func value(_ side: Value, _ path: PropertyPath) -> Value? { side[dictionaries: path.names[...]] }
    func isUnchanged(_ side: Value) -> Bool {
      paths.allSatisfy { base.descendant($0.names).equals(value(side, $0)) }
    }
    let (oursIsBase, theirsIsBase) = (isUnchanged(ours), isUnchanged(theirs))
    if paths.allSatisfy({ value(ours, $0) == value(theirs, $0) }) { return Verdict(oursIsBase ? .same : .sameChange) }
    if oursIsBase { return Verdict(.theirs, .theirs) }
    if theirsIsBase { return Verdict(.ours, .ours) }
    let policies = paths.map(rules.policy)
    guard let policy = policies[0], policy.choosesSide, policies.allSatisfy({ $0 == policy }) else {
      return Verdict(.clash)
    }
    // For a group, a policy can only choose a side. The provenance of the first path decides.
    switch policy.choose(nil, nil, provenance(paths[0])) {
    case .ours?: return Verdict(.settled(policy), .ours)
    case .theirs?: return Verdict(.settled(policy), .theirs)
    default: return Verdict(.clash)
    }
  }
}

struct Verdict {
  var state: Merge.State
  var side: Merge.Side?

  init(_ state: Merge.State, _ side: Merge.Side? = nil) {
    self.state = state
    self.side = side
  }
}
