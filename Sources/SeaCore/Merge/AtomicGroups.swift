/// Paths that count as one property, as two bodies allow: groups that share a path are one, and where a path leads
/// through something that is not a dictionary on both sides, it ends there.
struct AtomicGroups {
  struct Group {
    var paths: [PropertyPath]
    /// What becomes of a group with several paths.
    var verdict: Verdict?
  }

  var all: [Group] = []
  private var index: [[UInt8]: Int] = [:]

  init(_ groups: [[PropertyPath]], _ ours: Value, _ theirs: Value) {
    for group in groups {
      // The type is a property of its own.
      var paths = group.filter { $0.names.first != Merge.typeName }
        .map { AtomicGroups.reachable($0, ours, theirs) }.filter { !$0.names.isEmpty }
      // Whatever has a path in common with these comes to them.
      for k in all.indices.reversed() where all[k].paths.contains(where: { paths.contains(where: $0.overlaps) }) {
        paths += all.remove(at: k).paths
      }
      if !paths.isEmpty { all.append(Group(paths: paths)) }
    }
    for k in all.indices {
      var kept: [PropertyPath] = []
      for path in all[k].paths.sorted(by: { $0.names.count < $1.names.count })
      where !kept.contains(where: { $0.overlaps(path) }) {
        kept.append(path)
        index[path.key] = k
      }
      all[k].paths = kept.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
  }

  /// All paths of groups that `theirs` gives.
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
  /// Whether one of the paths is the other or leads through it.
  package func overlaps(_ other: PropertyPath) -> Bool { zip(names, other.names).allSatisfy { UTF8Text.equal($0, $1) } }

  /// Whether it is the other one or leads to it.
  package func contains(_ other: PropertyPath) -> Bool { names.count <= other.names.count && overlaps(other) }

  /// What two paths are told apart by.
  var key: [UInt8] { Array(pointer.utf8) }
}

extension Value {
  /// What stands at a path through dictionaries only.
  subscript(dictionaries names: ArraySlice<String>) -> Value? {
    guard let name = names.first else { return self }
    return members?[name]?[dictionaries: names.dropFirst()]
  }
}
