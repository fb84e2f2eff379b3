/// Undoes the changes of an operation in the current content, property by property.
///
/// Dictionaries are handled key by key; any other value, including an array, is treated as a unit. A property is
/// restored if it still has the value that the operation wrote. A property is kept if the operation did not change it,
/// or if it has its earlier value again. Any other property has changed since the operation, so it is a conflict.
///
/// Counters lose the operation's increments. Sets lose the elements that the operation added and regain the elements
/// that the operation removed, even if other operations have changed the sets.
package struct UndoMerge {
  /// A function that returns the value that a counter would have without the operation.
  /// - Parameters:
  ///   - before: the value before the operation. `after` is the value after the operation.
  /// - isJoined: whether the counter merges automatically, which is never the case within an array.
  package typealias Count<Failure: Error> = (
    _ before: Counter, _ after: Counter, _ now: Counter, _ names: [String], _ isJoined: Bool
  ) throws(Failure) -> Counter

  package struct Tags: Sendable {
    /// Maps each revision that undid an operation to the values that it restored. The revision's tags are treated as
    /// the tags in those values.
    package var restoredValues: [Digest: Value] = [:]
    package var undoneRevisions: Set<Digest> = []
    /// The join of the other live leaves with the earlier content; nil if there are no other leaves.
    package var joinOfOtherLeaves: LiveJoin?

    package init() {}
  }

  /// The result. Conflicting properties keep their current values.
  package private(set) var content: Content
  package private(set) var clashes: [PropertyPath] = []
  package private(set) var restored: [PropertyPath] = []
  private let made: Value?
  private let tags: Tags

  /// - Parameters:
  /// - after: the content after the operation, or a substitute for it.
  ///   - made: the content that the operation itself wrote, for counters and sets; nil if it equals `after`.
  /// - atomic: groups of paths that are treated as one property.
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

  /// Handles, as one property, a record that was deleted before or after the operation or is deleted now.
  private mutating func all<Failure>(
    _ before: Content, _ after: Content, _ now: Content, _ count: Count<Failure>
  ) throws(Failure) -> Content {
    func isSame(_ a: Content, _ b: Content) -> Bool {
      isEqualIgnoringHistory(a.body, b.body) && (a.body == nil || a.typeValue == b.typeValue)
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
        paths.allSatisfy { isEqualIgnoringHistory(a[dictionaries: $0.names[...]], b[dictionaries: $0.names[...]]) }
      }
      return try restoredValue(
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
      // The substitute for the operation's content does not necessarily contain the earlier value.
      guard case .counter(let own)? = made?[dictionaries: names[...]] else {
        return .counter(try count(a, b, c, names, true))
      }
      return .counter(try count(a, own, c, names, true))
    case (.set(let a)?, .set(let b)?, .set(let c)?):
      guard case .set(let own)? = made?[dictionaries: names[...]] else { return .set(set(a, b, b, c, names)) }
      return .set(set(a, b, own, c, names))
    default:
      return try restoredValue(
        before, after, now, names, isLeft: isEqualIgnoringHistory(before, after), isEqualIgnoringHistory(now, after),
        isBack: isEqualIgnoringHistory(now, before), count)
    }
  }

  private mutating func restoredValue<Failure>(
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

  /// Returns the earlier value in the form in which a child of the current revision stores it. Elements in both sets
  /// keep their tags, and counters lose the operation's increments.
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

  /// - Parameter made: the set that the operation itself wrote.
  private func set(
    _ before: ElementSet, _ after: ElementSet, _ made: ElementSet, _ now: ElementSet, _ names: [String]
  ) -> ElementSet {
    func isLeft(_ value: Value) -> Bool {
      let tags = before.tags(of: value)
      return !tags.isEmpty && tags == made.tags(of: value)
    }
    // Keep an element that another operation also added.
    func isOwn(_ item: ElementSet.Item) -> Bool {
      let made = Set(after.tags(of: item.value))
      if Set(item.tags).isSubset(of: made) { return true }
      return first(item.tags, of: item.value, names).isSubset(of: made.union(first(Array(made), of: item.value, names)))
    }
    // An element that had been added only by undone revisions does not count as present before the operation.
    func stood(_ value: Value) -> Bool {
      let tags = before.tags(of: value)
      return first(tags, of: value, names).contains {
        if case .revision(let one) = $0 { !self.tags.undoneRevisions.contains(one) } else { true }
      }
    }
    let kept = now.items.filter { isLeft($0.value) || stood($0.value) || !isOwn($0) }
    let gone = before.items.filter { stood($0.value) && !after.contains($0.value) && !now.contains($0.value) }
    let anew = now.items.filter {
      isOwn($0) && stood($0.value) && before.tags(of: $0.value) != after.tags(of: $0.value)
    }
    var result = now.changed(to: kept.map(\.value))
    let together = tags.joinOfOtherLeaves?.set(at: names)
    for value in (gone + anew).map(\.value) {
      if together?.contains(value) ?? true {
        // The element gets a new tag, which `restoredValues` makes equivalent to the first addition.
        result.addAnew(value)
      } else {
        // Another leaf also removed the element, so the element was not shown. Restore the tags that the other leaf
        // removed.
        result.remove(value)
        for tag in before.tags(of: value) { result.add(value, tag: tag) }
      }
    }
    return result
  }

  /// Returns the original additions of an element by following its tags through undone operations.
  private func first(_ all: [ElementSet.Tag], of value: Value, _ names: [String]) -> Set<ElementSet.Tag> {
    var found: Set<ElementSet.Tag> = []
    var seen: Set<ElementSet.Tag> = []
    var left = all
    while let tag = left.popLast() {
      guard seen.insert(tag).inserted else { continue }
      if case .revision(let one) = tag, case .set(let set)? = tags.restoredValues[one]?[dictionaries: names[...]],
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

/// Whether both values are equal if the history in counters and sets is ignored.
private func isEqualIgnoringHistory(_ a: Value?, _ b: Value?) -> Bool {
  switch (a, b) {
  case (nil, nil): true
  case (.counter(let a)?, .counter(let b)?): a.value == b.value
  case (.set(let a)?, .set(let b)?): a.items.map(\.encoding) == b.items.map(\.encoding)
  case (.array(let a)?, .array(let b)?): a.count == b.count && zip(a, b).allSatisfy { isEqualIgnoringHistory($0, $1) }
  case (.dictionary(let a)?, .dictionary(let b)?):
    a.count == b.count
      && zip(a.entries, b.entries).allSatisfy {
        UTF8Text.equal($0.key, $1.key) && isEqualIgnoringHistory($0.value, $1.value)
      }
  case (let a?, let b?): a == b
  default: false
  }
}
