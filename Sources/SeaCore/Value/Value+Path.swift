extension Value {
  /// The value at a path; nil if it leads nowhere.
  package subscript(path: PropertyPath) -> Value? {
    var value = self
    for name in path.names {
      switch value.unlabelled {
      case .dictionary(let members):
        guard let next = members[name] else { return nil }
        value = next
      case .array(let values):
        guard let index = PropertyPath.index(name), index < values.count else { return nil }
        value = values[index]
      case .packed(let stored):
        guard let array = try? stored.value() else { return nil }
        guard let found = array[PropertyPath(names: [name])] else { return nil }
        value = found
      default: return nil
      }
    }
    return value
  }

  /// Puts a value at a path. Dictionaries on the way are made; in an array an index is replaced, and the index after
  /// the last, or `-`, appends.
  package mutating func set(_ value: Value, at path: PropertyPath) throws(CoreError) {
    self = try replaced(path.names[...], with: value, path)
  }

  private func replaced(
    _ names: ArraySlice<String>, with new: Value, _ path: PropertyPath
  ) throws(CoreError) -> Value {
    guard let name = names.first else { return new }
    let rest = names.dropFirst()
    switch self {
    case .dictionary(var members):
      // What is made on the way is no array, and nothing can be appended to it.
      if members[name] == nil, let next = rest.first, UTF8Text.equal(next, "-") {
        throw .badPath(.badIndex, path.description)
      }
      members[name] = try (members[name] ?? .empty).replaced(rest, with: new, path)
      return .dictionary(members)
    case .array(var values):
      let index = UTF8Text.equal(name, "-") ? values.count : PropertyPath.index(name)
      guard let index, index <= values.count else { throw .badPath(.badIndex, path.description) }
      let old = index < values.count ? values[index] : .empty
      let item = try old.replaced(rest, with: new, path)
      if index < values.count { values[index] = item } else { values.append(item) }
      return .array(values)
    case .labelled(let value, let semanticType):
      return .labelled(try value.replaced(names, with: new, path), semanticType)
    case .packed(let stored): return try stored.value().replaced(names, with: new, path)
    default: throw .badPath(.notAContainer, path.description)
    }
  }

  /// Takes the value at a path away and returns it; nil, and nothing is changed, if the path leads nowhere.
  @discardableResult
  package mutating func remove(at path: PropertyPath) -> Value? {
    guard let value = self[path], !path.names.isEmpty else { return nil }
    self = without(path.names[...])
    return value
  }

  private func without(_ names: ArraySlice<String>) -> Value {
    guard let name = names.first else { return self }
    let rest = names.dropFirst()
    switch self {
    case .dictionary(var members):
      members[name] = rest.isEmpty ? nil : members[name]?.without(rest)
      return .dictionary(members)
    case .array(var values):
      guard let index = PropertyPath.index(name), index < values.count else { return self }
      if rest.isEmpty { values.remove(at: index) } else { values[index] = values[index].without(rest) }
      return .array(values)
    case .labelled(let value, let semanticType): return .labelled(value.without(names), semanticType)
    case .packed: return unpacked.without(names)
    default: return self
    }
  }

  /// Moves the value at `source` to `target`.
  package mutating func rename(_ source: PropertyPath, to target: PropertyPath) throws(CoreError) {
    var copy = self
    guard let value = copy.remove(at: source) else { throw .badPath(.notFound, source.description) }
    try copy.set(value, at: target)
    self = copy
  }

  /// The value after a JSON merge patch (RFC 7396): dictionaries are merged member by member, null removes, anything
  /// else replaces.
  package func merged(patch: Value) -> Value {
    guard case .dictionary(let changes) = patch else { return patch }
    let known = members?.entries ?? []
    var result = Members()
    var k = 0
    for (key, change) in changes.entries {
      while k < known.count, Members.precedes(known[k].key, key) {
        result.append(known[k].key, known[k].value)
        k += 1
      }
      var old: Value?
      if k < known.count, UTF8Text.equal(known[k].key, key) {
        old = known[k].value
        k += 1
      }
      if case .null = change { continue }
      result.append(key, (old ?? .null).merged(patch: change))
    }
    for (key, value) in known[k...] { result.append(key, value) }
    return .dictionary(result)
  }
}
