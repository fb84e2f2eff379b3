/// What an operation made of a content, taken back from what is said now, property by property.
///
/// Dictionaries are gone through key by key; everything else is one value, arrays too. What the operation left alone
/// stays as it is now. What it changed and still says what the operation made of it says again what it said before; what
/// says that already stays. Anything else clashes: somebody has changed it since.
///
/// Counters lose what was counted, and of sets go the elements that were added and come those that were taken out,
/// whatever else was done to them.
package struct TakeBack {
  /// What a counter says without the operation.
  /// - Parameters:
  ///   - before: and `after`, what it said before the operation, and what that made of it.
  ///   - isJoined: whether it merges by itself; within arrays nothing does.
  package typealias Count<Failure: Error> = (
    _ before: Counter, _ after: Counter, _ now: Counter, _ names: [String], _ isJoined: Bool
  ) throws(Failure) -> Counter

  /// What is known of the revisions that the tags of sets name.
  package struct Tags: Sendable {
    /// Of one that took something back: what it said again. Its tags count as those there.
    package var said: [Digest: Value] = [:]
    /// Those whose own work has been taken back.
    package var gone: Set<Digest> = []
    /// What the other live leaves and what was there before say together; nil where there are no others.
    package var together: LiveJoin?

    package init() {}
  }

  /// Where there are clashes it is what is said now.
  package private(set) var content: Content
  package private(set) var clashes: [PropertyPath] = []
  /// What says again what it said before.
  package private(set) var restored: [PropertyPath] = []
  private let made: Value?
  private let tags: Tags

  /// - Parameters:
  ///   - after: what the operation made of it, or what stands for that.
  ///   - made: what the operation itself made of it, if that is not the same: by it counters are counted.
  ///   - atomic: paths that count as one property.
  package init<Failure>(
    before: Content, after: Content, made: Content? = nil, now: Content, atomic: [[PropertyPath]] = [],
    tags: Tags = Tags(), count: Count<Failure>
  ) throws(Failure) {
    content = now
    self.tags = tags
    self.made = (made ?? after).body
    guard let a = before.body, let b = after.body, let c = now.body else {
      content = try all(before, after, now, count)
      return
    }
    if before.typeValue != after.typeValue, now.typeValue != before.typeValue {
      let path = PropertyPath(names: [Merge.typeName])
      if now.typeValue == after.typeValue {
        content.type = before.type
        restored.append(path)
      } else {
        clashes.append(path)
      }
    }
    let groups = AtomicGroups(atomic, b, c)
    content.body = try value(a, b, c, [], Whole(before: a, after: b, now: c, groups: groups), count)
  }

  private struct Whole {
    var before: Value
    var after: Value
    var now: Value
    var groups: AtomicGroups
  }

  /// The record was not there before or after, or it is not there now: it is as if all of it were one property.
  private mutating func all<Failure>(
    _ before: Content, _ after: Content, _ now: Content, _ count: Count<Failure>
  ) throws(Failure) -> Content {
    func isSame(_ a: Content, _ b: Content) -> Bool {
      says(a.body, b.body) && (a.body == nil || a.typeValue == b.typeValue)
    }
    let path = PropertyPath(names: [])
    if isSame(before, after) || isSame(now, before) { return now }
    guard isSame(now, after) else {
      clashes.append(path)
      return now
    }
    restored.append(path)
    return before
  }

  private mutating func value<Failure>(
    _ before: Value?, _ after: Value?, _ now: Value?, _ names: [String], _ whole: Whole, _ count: Count<Failure>
  ) throws(Failure) -> Value? {
    if let group = whole.groups.index(of: names) {
      let paths = whole.groups.all[group].paths
      func isSame(_ a: Value, _ b: Value) -> Bool {
        paths.allSatisfy { says(a[dictionaries: $0.names[...]], b[dictionaries: $0.names[...]]) }
      }
      return try one(
        before, after, now, names, isLeft: isSame(whole.before, whole.after), isSame(whole.now, whole.after),
        isBack: isSame(whole.now, whole.before), count)
    }
    switch (before, after, now) {
    case (.dictionary(let a)?, .dictionary(let b)?, .dictionary(let c)?):
      var result = Members()
      for name in Members.keys(of: [a, b, c]) {
        if let value = try value(a[name], b[name], c[name], names + [name], whole, count) { result.append(name, value) }
      }
      return .dictionary(result)
    case (.counter(let a)?, .counter(let b)?, .counter(let c)?):
      // What stands for what the operation made may never have known what it said before.
      guard case .counter(let own)? = made?[dictionaries: names[...]] else {
        return .counter(try count(a, b, c, names, true))
      }
      return .counter(try count(a, own, c, names, true))
    case (.set(let a)?, .set(let b)?, .set(let c)?):
      guard case .set(let own)? = made?[dictionaries: names[...]] else { return .set(set(a, b, b, c, names)) }
      return .set(set(a, b, own, c, names))
    default:
      return try one(
        before, after, now, names, isLeft: says(before, after), says(now, after), isBack: says(now, before), count)
    }
  }

  private mutating func one<Failure>(
    _ before: Value?, _ after: Value?, _ now: Value?, _ names: [String], isLeft: Bool, _ isAsAfter: Bool,
    isBack: Bool, _ count: Count<Failure>
  ) throws(Failure) -> Value? {
    if isLeft || isBack { return now }
    let path = PropertyPath(names: names)
    guard isAsAfter else {
      clashes.append(path)
      return now
    }
    restored.append(path)
    guard let before else { return nil }
    return try again(before, made?[dictionaries: names[...]], now, names, isJoined: true, count)
  }

  /// What was said before, as a child of what is said now: what stands in both of a set keeps its tags, and counters
  /// lose what was counted.
  private func again<Failure>(
    _ before: Value, _ after: Value?, _ now: Value?, _ names: [String], isJoined: Bool, _ count: Count<Failure>
  ) throws(Failure) -> Value {
    switch (before, now) {
    case (.dictionary(let members), .dictionary(let current)?):
      var result = Members()
      for (name, value) in members.entries {
        let made = after?.members?[name]
        result.append(name, try again(value, made, current[name], names + [name], isJoined: isJoined, count))
      }
      return .dictionary(result)
    case (.array(let values), .array(let current)?):
      var made: [Value] = []
      if case .array(let values)? = after { made = values }
      var result: [Value] = []
      for (k, value) in values.enumerated() {
        result.append(
          try again(
            value, k < made.count ? made[k] : nil, k < current.count ? current[k] : nil, names, isJoined: false, count))
      }
      return .array(result)
    case (.set(let set), .set(let current)?): return .set(current.changed(to: set.elements))
    case (.counter(let counter), .counter(let current)?):
      guard case .counter(let made)? = after else { return before }
      return .counter(try count(counter, made, current, names, isJoined))
    default: return before
    }
  }

  /// - Parameter made: what the operation itself made of it.
  private func set(
    _ before: ElementSet, _ after: ElementSet, _ made: ElementSet, _ now: ElementSet, _ names: [String]
  ) -> ElementSet {
    func isLeft(_ value: Value) -> Bool {
      let tags = before.tags(of: value)
      return !tags.isEmpty && tags == made.tags(of: value)
    }
    // What somebody else has added too stays.
    func isOwn(_ item: ElementSet.Item) -> Bool {
      let made = Set(after.tags(of: item.value))
      if Set(item.tags).isSubset(of: made) { return true }
      return first(item.tags, of: item.value, names).isSubset(of: made.union(first(Array(made), of: item.value, names)))
    }
    // What was there by something that has been taken back was not there.
    func stood(_ value: Value) -> Bool {
      let tags = before.tags(of: value)
      return first(tags, of: value, names).contains {
        if case .revision(let one) = $0 { !self.tags.gone.contains(one) } else { true }
      }
    }
    let kept = now.items.filter { isLeft($0.value) || stood($0.value) || !isOwn($0) }
    let gone = before.items.filter { stood($0.value) && !after.contains($0.value) && !now.contains($0.value) }
    let anew = now.items.filter {
      isOwn($0) && stood($0.value) && before.tags(of: $0.value) != after.tags(of: $0.value)
    }
    var result = now.changed(to: kept.map(\.value))
    let together = tags.together?.set(at: names)
    for value in (gone + anew).map(\.value) {
      if together?.contains(value) ?? true {
        // It is added by what takes its removal back, or its new addition: so it counts as that which had added it first.
        result.addAnew(value)
      } else {
        // What another leaf has taken out, too, was not shown: it comes back as that which the other has taken out.
        result.remove(value)
        for tag in before.tags(of: value) { result.add(value, tag: tag) }
      }
    }
    return result
  }

  /// Who added an element first, of those by whom it stands there.
  private func first(_ all: [ElementSet.Tag], of value: Value, _ names: [String]) -> Set<ElementSet.Tag> {
    var found: Set<ElementSet.Tag> = []
    var seen: Set<ElementSet.Tag> = []
    var left = all
    while let tag = left.popLast() {
      guard seen.insert(tag).inserted else { continue }
      if case .revision(let one) = tag, case .set(let set)? = tags.said[one]?[dictionaries: names[...]],
        set.contains(value)
      {
        left += set.tags(of: value)
      } else {
        found.insert(tag)
      }
    }
    return found
  }
}

/// Whether both say the same, whatever their counters and sets remember.
private func says(_ a: Value?, _ b: Value?) -> Bool {
  switch (a, b) {
  case (nil, nil): true
  case (.counter(let a)?, .counter(let b)?): a.value == b.value
  case (.set(let a)?, .set(let b)?): a.items.map(\.encoding) == b.items.map(\.encoding)
  case (.array(let a)?, .array(let b)?): a.count == b.count && zip(a, b).allSatisfy { says($0, $1) }
  case (.dictionary(let a)?, .dictionary(let b)?):
    a.count == b.count
      && zip(a.entries, b.entries).allSatisfy { UTF8Text.equal($0.key, $1.key) && says($0.value, $1.value) }
  case (let a?, let b?): a == b
  default: false
  }
}
