/// Groups of paths that are merged as one property, adapted to two bodies. Groups that share a path are joined. A path
/// is cut off where a value is not a dictionary on both sides.
package struct AtomicGroups {
  package struct Group {
    package var paths: [PropertyPath]
    var verdict: Verdict?
  }

  package var all: [Group] = []
  private var index: [[UInt8]: Int] = [:]

  package init(_ groups: [[PropertyPath]], _ ours: Value, _ theirs: Value) {
    // The type is a separate property. Shorter paths are sorted first, so that a path comes before the paths within it.
    let paths = groups.enumerated().flatMap { k, group in
      group.filter { $0.names.first != Merge.typeName }.map { (k, AtomicGroups.reachable($0, ours, theirs)) }
    }.filter { !$0.1.names.isEmpty }.sorted { ($0.1.names.count, $0.0) < ($1.1.names.count, $1.0) }
    var joined = Array(groups.indices)
    func root(_ k: Int) -> Int {
      var k = k
      while joined[k] != k {
        joined[k] = joined[joined[k]]
        k = joined[k]
      }
      return k
    }
    var owners = PathTree<Int>()
    var kept: [(owner: Int, path: PropertyPath)] = []
    for (k, path) in paths {
      if let other = owners.around(path) { joined[root(k)] = root(other) } else { kept.append((k, path)) }
      owners.add(path, k)
    }
    var places: [Int: Int] = [:]
    for (owner, path) in kept.sorted(by: { $0.path.key.lexicographicallyPrecedes($1.path.key) }) {
      let owner = root(owner)
      let place = places[owner] ?? all.count
      if place == all.count { all.append(Group(paths: [])) }
      places[owner] = place
      all[place].paths.append(path)
      index[path.key] = place
    }
  }

  var taken: [PropertyPath] { all.filter { $0.verdict?.side == .theirs }.flatMap(\.paths) }

  func index(of names: [String]) -> Int? { all.isEmpty ? nil : index[PropertyPath(names: names).key] }

  private static func reachable(_ path: PropertyPath, _ ours: Value, _ theirs: Value) -> PropertyPath {
    var (a, b): (Value?, Value?) = (ours, theirs)
    for (k, name) in path.names.enumerated() {
      guard case .dictionary(let x)? = a, case .dictionary(let y)? = b else {
        return PropertyPath(names: Array(path.names[..<k]))
      }
      (a, b) = (x[name], y[name])
    }
    return path
  }
}

extension PropertyPath {
  /// Whether the paths are equal or one of them is a prefix of the other.
  package func overlaps(_ other: PropertyPath) -> Bool { zip(names, other.names).allSatisfy { UTF8Text.equal($0, $1) } }

  package func contains(_ other: PropertyPath) -> Bool { names.count <= other.names.count && overlaps(other) }

  var key: [UInt8] { Array(pointer.utf8) }
}

extension Value {
  /// Returns the value at a path that leads only through dictionaries.
  subscript(dictionaries names: ArraySlice<String>) -> Value? {
    guard let name = names.first else { return self }
    if case .packed(let stored) = self, var entries = stored.entries {
      while let entry = entries.next() {
        if UTF8Text.equal(entry.name, name) { return try? entry.value.packed()[dictionaries: names.dropFirst()] }
      }
    }
    return members?[name]?[dictionaries: names.dropFirst()]
  }
}
