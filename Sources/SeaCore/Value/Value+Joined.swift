extension Value {
  /// The same, with the states of the other's counters where both have one at the same path through dictionaries.
  package func counting(as other: Value?) -> Value {
    switch (self, other) {
    case (.dictionary(let members), .dictionary(let others)?):
      var result = Members()
      for (name, value) in members.entries { result.append(name, value.counting(as: others[name])) }
      return .dictionary(result)
    case (.counter, .counter(let counter)?): return .counter(counter)
    default: return self
    }
  }

  /// The same as one side of a merge that is decided for: with the states of counters that the merge comes to, and in
  /// sets the elements that are there beside its own, where both have one at the same path through dictionaries.
  /// - Parameter isOpen: whether nothing merges at a path.
  package func joining(
    _ merged: Value?, isOpen: (PropertyPath) -> Bool, _ names: [String] = []
  ) -> Value {
    switch (self, merged) {
    case (.dictionary(let members), .dictionary(let others)?):
      var result = Members()
      for (name, value) in members.entries {
        result.append(name, value.joining(others[name], isOpen: isOpen, names + [name]))
      }
      return .dictionary(result)
    case (.counter, .counter(let counter)?): return .counter(counter)
    case (.set(let set), .set(let all)?):
      let merged = isOpen(PropertyPath(names: names)) ? [] : all.elements
      return .set(all.changed(to: set.elements + merged))
    default: return self
    }
  }

  /// The same as a word about what others say: with the states of their counters, and as a change of their sets, so that
  /// an element that one of them has removed is added anew.
  package func deciding(about other: Value?) -> Value {
    switch (self, other) {
    case (.dictionary(let members), .dictionary(let others)?):
      var result = Members()
      for (name, value) in members.entries { result.append(name, value.deciding(about: others[name])) }
      return .dictionary(result)
    case (.counter, .counter(let counter)?): return .counter(counter)
    case (.set(let set), .set(let all)?): return .set(all.changed(to: set.elements))
    default: return self
    }
  }

  /// Whether something stands at a path through dictionaries of which leaves show more together than one alone.
  package var hasStates: Bool {
    switch self {
    case .dictionary(let members): members.entries.contains { $0.value.hasStates }
    case .set, .counter: true
    default: false
    }
  }

  /// Whether a counter or a set stands anywhere in it: then JSON says less than is stored.
  package var holdsStates: Bool {
    switch self {
    case .dictionary(let members): members.entries.contains { $0.value.holdsStates }
    case .array(let values): values.contains(where: \.holdsStates)
    case .set, .counter: true
    default: false
    }
  }

  /// What a counter or a set comes to that both sides have changed; nil if it is neither, or not on both sides.
  ///
  /// Values without state, as JSON has them, come to the base and what both sides did to it; a counter without a base
  /// began at 0, a set empty.
  static func joined(_ base: Value?, _ ours: Value?, _ theirs: Value?) -> Value? {
    if let counted = counted(ours, theirs) { return counted }
    switch (ours, theirs) {
    case (.set(let a)?, .set(let b)?):
      var before = ElementSet()
      if case .set(let known)? = base { before = known }
      return .set(ElementSet.merged(base: before, a, b))
    case (.counterDraft(let a)?, .counterDraft(let b)?):
      var before: Int128 = 0
      if case .counterDraft(let known)? = base { before = known }
      let (counted, overflow) = b.subtractingReportingOverflow(before)
      let (sum, overflows) = a.addingReportingOverflow(counted)
      return overflow || overflows ? nil : .counterDraft(sum)
    default:
      guard let a = draftSet(ours), let b = draftSet(theirs) else { return nil }
      let merged = ElementSet.merged(base: draftSet(base) ?? ElementSet(), a, b)
      return merged.count == 0 ? .set(merged) : .setDraft(merged.elements)
    }
  }

  /// The join of two counters, which holds whatever the base: also of one that was removed and made anew, so that
  /// merging changes nothing of what is shown.
  static func counted(_ ours: Value?, _ theirs: Value?) -> Value? {
    guard case .counter(let a)? = ours, case .counter(let b)? = theirs else { return nil }
    return .counter(a.joined(b))
  }

  /// All elements under the same tag: there or not is all that is known of them.
  private static func draftSet(_ value: Value?) -> ElementSet? {
    switch value {
    case .set(let set)? where set.count == 0: set
    case .setDraft(let values)?: ElementSet().changed(to: values)
    default: nil
    }
  }
}
