extension Value {
  /// Turns what a person wrote into what is stored: each counter and set of the draft takes up the state that stands
  /// at the same place of `previous`, and changes it by as much as the values differ.
  ///
  /// `previous` is the parent's body, as the parent carries it. States that stand in the draft stay.
  /// - Throws: `counterOverflow`.
  package static func adopting(_ draft: Value, previous: Value?, instance: UUID) throws(CoreError) -> Value {
    switch draft {
    case .counterDraft(let value):
      var counter = Counter()
      if case .counter(let known)? = previous { counter = known }
      let (delta, overflow) = value.subtractingReportingOverflow(counter.value)
      if overflow { throw .counterOverflow(names: []) }
      try counter.add(delta, by: instance)
      return .counter(counter)
    case .setDraft(let values):
      var set = ElementSet()
      if case .set(let known)? = previous { set = known }
      return .set(set.changed(to: values))
    case .array(let values):
      var before: [Value] = []
      if case .array(let known)? = previous { before = known }
      var result: [Value] = []
      for (k, value) in values.enumerated() {
        result.append(
          try adopting(value, within: String(k), previous: k < before.count ? before[k] : nil, instance: instance))
      }
      return .array(result)
    case .dictionary(let members):
      let before = previous?.members
      var result = Members()
      for (key, value) in members.entries {
        result.append(key, try adopting(value, within: key, previous: before?[key], instance: instance))
      }
      return .dictionary(result)
    default: return draft
    }
  }

  private static func adopting(
    _ draft: Value, within name: String, previous: Value?, instance: UUID
  ) throws(CoreError) -> Value {
    do throws(CoreError) { return try adopting(draft, previous: previous, instance: instance) } catch {
      guard case .counterOverflow(let names) = error else { throw error }
      throw .counterOverflow(names: [name] + names)
    }
  }

  /// What the value says, without the states that merge: as a person would write it down.
  package var draft: Value {
    switch self {
    case .counter(let counter): return .counterDraft(counter.value)
    case .set(let set): return .setDraft(set.elements)
    case .array(let values): return .array(values.map(\.draft))
    case .dictionary(let members):
      var result = Members()
      for (key, value) in members.entries { result.append(key, value.draft) }
      return .dictionary(result)
    default: return self
    }
  }

  /// The value as a child of the revision with this digest carries it on: elements of sets that the parent added
  /// name it now.
  package func inherited(from parent: Digest) -> Value {
    switch self {
    case .set(let set): return .set(set.inherited(from: parent))
    case .array(let values): return .array(values.map { $0.inherited(from: parent) })
    case .dictionary(let members):
      var result = Members()
      for (key, value) in members.entries { result.append(key, value.inherited(from: parent)) }
      return .dictionary(result)
    default: return self
    }
  }
}
