import SeaCore
import SeaStore

/// How the leaves of a record disagree.
package struct Conflict: Sendable {
  package enum Kind: String, Sendable {
    case edit = "edit/edit"
    /// A deletion that lost to an edit.
    case deletion = "delete/edit"
    /// The same id was made twice.
    case addition = "add/add"
    case type = "type/type"
  }

  package enum PathState: String, Sendable {
    /// Only one side changed it, or all to the same.
    case merges
    case clash
  }

  package struct Path: Sendable {
    package var name: String
    package var base: Value?
    /// In the order of the leaves.
    package var values: [Value?]
    package var state: PathState
    /// What merging alone would give; nil for nothing there.
    package var merged: Value?
  }

  package struct Side: Sendable {
    package var leaf: Leaf
    package var type: String?
    package var body: Value?
    package var author: BlockRow?
  }

  package var row: RecordRow
  package var kind: Kind
  package var base: Side?
  /// Best first; the first is the winner.
  package var sides: [Side]
  /// Properties that are not the same everywhere.
  package var paths: [Path]
}

extension Database {
  package func conflict(of row: RecordRow) throws -> Conflict? {
    guard row.conflict != .none else { return nil }
    let sides = try contenders(of: row).map { try side($0) }
    let base = try base(of: row).map { try side($0) }
    let types = Set(sides.filter { $0.leaf.kind == .put }.map { Array(($0.type ?? "").utf8) })
    let kind: Conflict.Kind =
      sides.contains { $0.leaf.kind == .delete }
      ? .deletion : types.count > 1 ? .type : base == nil ? .addition : .edit
    return Conflict(row: row, kind: kind, base: base, sides: sides, paths: Database.paths(base, sides))
  }

  private func side(_ leaf: Leaf) throws -> Conflict.Side {
    let change = try store.change(of: leaf)
    let body = try change.body.map { try $0.withUnsafeBufferPointer { try Value.decode(body: $0) } }
    return Conflict.Side(leaf: leaf, type: change.type, body: body, author: try store.block(sequence: leaf.sequence))
  }

  /// Property by property: what the live sides made of the base.
  private static func paths(_ base: Conflict.Side?, _ sides: [Conflict.Side]) -> [Conflict.Path] {
    let live = sides.filter { $0.leaf.kind == .put }
    var names = Members()
    for side in live + [base].compactMap({ $0 }) {
      for key in side.body?.members?.keys ?? [] { names[key] = .null }
    }
    return names.keys.compactMap { name in
      let old = base?.body?.members?[name]
      let values = live.map { $0.body?.members?[name] }
      guard values.contains(where: { $0 != values[0] }) else { return nil }
      // Without a common base every difference is one that a person must look at.
      let changed = base == nil ? values : values.filter { $0 != old }
      let merges = base != nil && !changed.contains { $0 != changed[0] }
      return Conflict.Path(
        name: name, base: old, values: values, state: merges ? .merges : .clash,
        merged: merges ? changed[0] : values[0])
    }
  }

  package func forEachConflict(type: String? = nil, _ body: (Conflict) throws -> Bool) throws {
    var filter = RecordFilter()
    filter.type = type
    filter.withDeleted = true
    filter.onlyConflicts = true
    try store.forEachRecord(filter) { row in
      guard let conflict = try conflict(of: row) else { return true }
      return try body(conflict)
    }
  }
}

// MARK: - Resolving

/// Which content a conflict ends with.
package enum Resolution {
  case winner
  case ours
  case theirs
  /// A leaf, by its revision.
  case take(String)
  /// This content, and this type unless nil.
  case with(Value, type: String?)
}

extension Database {
  package struct Resolved: Sendable {
    package var id: String
    /// Nil if there was no conflict.
    package var revision: RevisionID?
    /// Whether the record is deleted now.
    package var isDeleted = false
    package var leaves: [RevisionID] = []
  }

  /// Ends the conflicts of records in one block: on the winning branch a revision that has taken in the other leaves,
  /// and on each of these a tombstone of kind `resolved`.
  /// - Parameter edit: changes what the resolution gives, before it is written.
  package func resolve(
    _ ids: [String], _ resolution: Resolution, label: String, edit: ((Value?) throws -> Value)? = nil,
    dryRun: Bool = false
  ) throws -> [Resolved] {
    if dryRun {
      return try store.snapshot {
        var builder = try builder(label: label)
        return try ids.map { try resolve($0, resolution, edit, &builder) }
      }
    }
    return try store.transaction {
      var builder = try builder(label: label)
      let results = try ids.map { try resolve($0, resolution, edit, &builder) }
      if !builder.isEmpty { _ = try write(&builder, label: label) }
      return results
    }
  }

  private func resolve(
    _ id: String, _ resolution: Resolution, _ edit: ((Value?) throws -> Value)?,
    _ builder: inout BlockBuilder
  ) throws -> Resolved {
    guard let row = try store.record(id), row.leaves > 0 else { throw KitError.recordNotFound(id) }
    guard let conflict = try conflict(of: row) else { return Resolved(id: id) }
    let winner = conflict.sides[0]
    let others = conflict.sides.dropFirst().map { $0.leaf.revision }
    let taken = try content(resolution, conflict)
    var body = taken.body
    if let edit { body = try edit(body?.settled(parentDigest: winner.leaf.revision.digest)) }
    let final = try body.map {
      try Value.adopting($0, previous: winner.body, instance: instance)
        .settled(parentDigest: winner.leaf.revision.digest)
    }
    var idText = id
    var typeText = taken.type ?? ""
    var bytes = ByteWriter()
    let hasReferences = try final?.encodeBody(into: &bytes) ?? false
    let made = try idText.withUTF8 { idBytes in
      let made = try typeText.withUTF8 { typeBytes in
        try builder.add(
          id: idBytes, type: taken.type == nil ? nil : typeBytes, parent: winner.leaf.revision,
          merged: Array(others.sorted().prefix(Change.mostMerged)), kind: final == nil ? .delete : .put,
          body: final == nil ? nil : bytes.bytes, hasReferences: hasReferences)
      }
      for side in conflict.sides.dropFirst() {
        var sideType = side.type ?? ""
        try sideType.withUTF8 { sideBytes in
          _ = try builder.add(
            id: idBytes, type: side.type == nil ? nil : sideBytes, parent: side.leaf.revision, kind: .resolved,
            body: nil, hasReferences: false)
        }
      }
      return made.revision
    }
    return Resolved(
      id: id, revision: made, isDeleted: final == nil, leaves: conflict.sides.map { $0.leaf.revision })
  }

  private func content(_ resolution: Resolution, _ conflict: Conflict) throws -> (body: Value?, type: String?) {
    let side: Conflict.Side
    switch resolution {
    case .winner: side = conflict.sides[0]
    case .with(let value, let type): return (value, type ?? conflict.sides[0].type)
    case .ours, .theirs, .take:
      let wanted: Leaf
      switch resolution {
      case .ours: wanted = try revision("ours", of: conflict.row)
      case .theirs: wanted = try revision("theirs", of: conflict.row)
      case .take(let text): wanted = try revision(text, of: conflict.row)
      default: preconditionFailure()
      }
      guard let found = conflict.sides.first(where: { $0.leaf.revision == wanted.revision }) else {
        throw KitError.revisionNotFound(id: conflict.row.id, revision: wanted.revision.description)
      }
      side = found
    }
    return (side.body?.settled(parentDigest: side.leaf.revision.digest), side.type)
  }
}
