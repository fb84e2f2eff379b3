import SeaCore
import SeaStore

extension Conflicts {
  /// What the sides of a conflict and their base may say together to be merged for whoever only wants to see it. A value takes
  /// a hundred times what it may have come as.
  private static let mostValues = 500_000

  /// The conflict of a record that says more than that, worked out where its versions lie; nil if it says less.
  /// - Parameter isLeft: whether there is no budget left to find the base, and it is worked out without.
  func largeConflict(of row: RecordRow, _ graph: RecordGraph, isLeft: Bool = false) throws -> Conflict? {
    let leaves = graph.ending
    let base = try isLeft ? nil : graph.base(of: leaves)
    if !isLeft, try graph.hold(leaves + [base].compactMap { $0 }, atMost: Conflicts.mostValues) { return nil }
    let stored = try leaves.map { try graph.stored($0) }
    let before = try base.map { try graph.stored($0) }
    func side(_ leaf: Leaf, _ content: StoredContent) throws -> Conflict.Side {
      let body = content.body.map { Value.packed(StoredValue($0[...])) }
      return try self.side(leaf, Content(type: content.type, body: body), source: graph.storedSource(of: leaf))
    }
    let sides = try zip(leaves, stored).map(side)
    let live = sides.indices.filter { sides[$0].leaf.kind == .put }
    var conflict = Conflict(
      row: row, kind: .edit, base: try base.flatMap { base in try before.map { try side(base, $0) } }, sides: sides,
      waiting: graph.contenders.count - leaves.count, paths: [],
      merged: live.max { sides[$0].leaf.revision < sides[$1].leaf.revision }.map { sides[$0].content } ?? .deleted)
    conflict.kind = Conflict.kind(row, live.map { sides[$0] }, conflict.base)
    // A first revision comes from nothing.
    if isLeft, conflict.kind == .addition, live.allSatisfy({ sides[$0].leaf.revision.depth > 1 }) {
      conflict.kind = .edit
    }
    (conflict.isLarge, conflict.isLeft) = (true, isLeft)
    let compared = live.count == 1 ? [before ?? .deleted, stored[live[0]]] : live.map { stored[$0] }
    var names = try DifferingNames(compared)
    (conflict.paths, conflict.isCut) = try (conflict.paths(at: &names, stored, before), names.isCut)
    return conflict
  }
}

/// The properties in which states of a record differ, the first of them.
private struct DifferingNames {
  private static let most = 64
  private(set) var names: [String] = []
  private(set) var isCut = false

  init(_ states: [StoredContent]) throws {
    var found = Members()
    for other in states.dropFirst() {
      var left = DifferingNames.most
      for change in try Difference(from: states[0], to: other).changes {
        left -= 1
        if left < 0 { break }
        found[change.name] = .null
      }
      isCut = isCut || left < 0
    }
    isCut = isCut || found.count > DifferingNames.most
    names = Array(found.keys.prefix(DifferingNames.most))
  }
}

extension Conflict {
  static func kind(_ row: RecordRow, _ live: [Side], _ base: Side?) -> Kind {
    let types = Set(live.map { Array(($0.type ?? "").utf8) })
    return row.conflict == .deletion ? .deletion : types.count > 1 ? .type : base == nil ? .addition : .edit
  }

  /// What the sides say at properties. More than one change of a property counts as a clash.
  fileprivate func paths(
    at names: inout DifferingNames, _ stored: [StoredContent], _ base: StoredContent?
  ) throws -> [Path] {
    let names = names.names
    let before = try base.map { try $0.values(at: names) } ?? Members()
    let values = try stored.map { try $0.values(at: names) }
    return names.map { name in
      let (old, all) = (before[name], values.map { $0[name] })
      let changed = zip(sides, all).filter { $0.leaf.kind == .put && (base == nil || $1 != old) }.map(\.1)
      let isClash = hasDeletion || changed.dropFirst().contains { $0 != changed[0] }
      let merged = isClash ? all.first ?? nil : changed.first ?? old
      return Path(
        path: PropertyPath(names: [name]), base: old, values: all, state: isClash ? .clash : .merges, merged: merged)
    }
  }
}

extension StoredContent {
  /// Properties, each as it lies.
  fileprivate func values(at names: [String]) throws -> Members {
    var found = Members()
    guard let body else { return found }
    let wanted = Set(names.map { Array($0.utf8) })
    if let type, wanted.contains(Array(Merge.typeName.utf8)) { found[Merge.typeName] = .string(type) }
    var entries = try StoredEntries(body: body)
    while let entry = entries.next(), found.count < names.count {
      if entry.isOne(of: wanted) { found[entry.name] = try entry.value.packed() }
    }
    return found
  }
}
