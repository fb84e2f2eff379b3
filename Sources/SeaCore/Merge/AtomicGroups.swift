/// Paths that count as one property, as two bodies allow: groups that share a path are one, and where a path leads
/// through something that is not a dictionary on both sides, it ends there.
struct AtomicGroups {
  struct Group {
    var paths: [[String]]
    /// What becomes of a group with several paths.
    var verdict: Verdict?
  }

  var all: [Group] = []
  private var index: [[UInt8]: Int] = [:]

  init(_ groups: [[PropertyPath]], _ ours: Value, _ theirs: Value) {
    for group in groups {
      // The type is a property of its own.
      var paths = group.filter { $0.names.first != Merge.typeName }
        .map { AtomicGroups.reachable($0.names, ours, theirs) }.filter { !$0.isEmpty }
      // Whatever has a path in common with these comes to them.
      for k in all.indices.reversed() where all[k].paths.contains(where: { a in paths.contains { overlap(a, $0) } }) {
        paths += all.remove(at: k).paths
      }
      if !paths.isEmpty { all.append(Group(paths: paths)) }
    }
    for k in all.indices {
      var kept: [[String]] = []
      for path in all[k].paths.sorted(by: { $0.count < $1.count }) where !kept.contains(where: { overlap($0, path) }) {
        kept.append(path)
        index[PropertyPath(names: path).key] = k
      }
      all[k].paths = kept.sorted { PropertyPath(names: $0).key.lexicographicallyPrecedes(PropertyPath(names: $1).key) }
    }
  }

  /// All paths of groups that `theirs` gives.
  var taken: [PropertyPath] {
    all.filter { $0.verdict?.side == .theirs }.flatMap { $0.paths.map { PropertyPath(names: $0) } }
  }

  func index(of names: [String]) -> Int? { all.isEmpty ? nil : index[PropertyPath(names: names).key] }

  private static func reachable(_ names: [String], _ ours: Value, _ theirs: Value) -> [String] {
    var (a, b): (Value?, Value?) = (ours, theirs)
    for (k, name) in names.enumerated() {
      guard case .dictionary(let x)? = a, case .dictionary(let y)? = b else { return Array(names[..<k]) }
      (a, b) = (x[name], y[name])
    }
    return names
  }
}

/// Whether one path is the other or leads through it.
private func overlap(_ a: [String], _ b: [String]) -> Bool { zip(a, b).allSatisfy { UTF8Text.equal($0, $1) } }

extension PropertyPath {
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
