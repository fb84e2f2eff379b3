import SeaCore
import SeaStore

/// Which content a conflict ends with.
package enum Resolution: Sendable {
  case winner
  case ours
  case theirs
  /// A leaf, by its revision.
  case take(String)
  /// A document: its body (nil: deleted), its type unless nil, and the leaf it was made from unless nil.
  case with(Value?, type: String?, revision: RevisionID?)
  /// No leaf as a whole: what is not the same in all of them has to be among the edits.
  case none
}

/// Changes of properties that a resolution gets on top.
package struct ResolutionEdit {
  /// The properties that it decides.
  package var properties: [String]
  package var apply: (_ id: String, _ content: Value) throws -> Value

  package init(properties: [String], apply: @escaping (_ id: String, _ content: Value) throws -> Value) {
    self.properties = properties
    self.apply = apply
  }
}

extension Conflict {
  /// A record whose conflict cannot end yet, and the properties that nobody has decided.
  package struct Open: Equatable, Sendable {
    package struct Path: Equatable, Sendable {
      package struct Side: Equatable, Sendable {
        package var revision: RevisionID
        /// JSON, `-` where there is nothing.
        package var text: String
      }
      package var pointer: String
      package var values: [Side]
    }
    package var id: String
    package var paths: [Path]
  }

  /// The properties that `decided` leaves open; those that would not merge alone if there are any.
  func open(besides decided: [String]) -> Open {
    let rest = paths.filter { path in !decided.contains { UTF8Text.equal($0, path.name) } }
    let clashes = rest.filter { $0.state == .clash }
    return Open(
      id: row.id,
      paths: (clashes.isEmpty ? rest : clashes).map { path in
        Open.Path(
          pointer: path.pointer,
          values: zip(sides, path.values).map { side, value in
            .init(
              revision: side.leaf.revision,
              text: side.leaf.kind == .put ? value.flatMap { try? $0.json() } ?? "-" : "(deleted)")
          })
      })
  }
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
  /// and on each of these a tombstone of kind `resolved`. Either all of them end or nothing is written.
  /// - Throws: `noChoice` for what neither `resolution` nor `edit` decides, `stale` for a document that was made from
  ///   another state.
  package func resolve(
    _ ids: [String], _ resolution: Resolution, label: String, edit: ResolutionEdit? = nil, dryRun: Bool = false
  ) throws -> [Resolved] {
    if dryRun {
      return try store.snapshot {
        var builder = try builder(label: label)
        return try resolve(ids, resolution, edit, &builder)
      }
    }
    try prepareKeys()
    do {
      return try writing {
        var builder = try builder(label: label)
        let results = try resolve(ids, resolution, edit, &builder)
        if !builder.isEmpty { _ = try write(&builder, label: label) }
        return results
      }
    } catch CoreError.badBlock(.badSize) {
      throw KitError.transactionTooLarge(records: ids.count)
    }
  }

  private func resolve(
    _ ids: [String], _ resolution: Resolution, _ edit: ResolutionEdit?, _ builder: inout BlockBuilder
  ) throws -> [Resolved] {
    var open: [Conflict.Open] = []
    let results = try ids.map { id in
      guard let row = try store.record(id), row.leaves > 0 else { throw KitError.recordNotFound(id) }
      guard let conflict = try conflict(of: row) else { return Resolved(id: id) }
      if case .none = resolution, let rest = conflict.undecided(edit) {
        open.append(rest)
        return Resolved(id: id)
      }
      return try resolve(conflict, resolution, edit, &builder)
    }
    if !open.isEmpty { throw KitError.noChoice(open) }
    return results
  }

  private func resolve(
    _ conflict: Conflict, _ resolution: Resolution, _ edit: ResolutionEdit?, _ builder: inout BlockBuilder
  ) throws -> Resolved {
    let id = conflict.row.id
    let winner = conflict.sides[0]
    let others = conflict.sides.dropFirst().map { $0.leaf.revision }
    let taken = try content(resolution, conflict)
    var body = taken.body
    if let edit { body = try edit.apply(id, body ?? .empty) }
    let final = try body.map { try Value.adopting($0, previous: winner.body, instance: instance) }
    var bytes = ByteWriter()
    let hasReferences = try final?.encodeBody(into: &bytes) ?? false
    let made = try builder.add(
      id, taken.type, parent: winner.leaf.revision, merged: others, kind: final == nil ? .delete : .put,
      body: final == nil ? nil : bytes.bytes, hasReferences)
    for side in conflict.sides.dropFirst() {
      try builder.add(id, side.type, parent: side.leaf.revision, merged: [], kind: .resolved, body: nil, false)
    }
    return Resolved(
      id: id, revision: made, isDeleted: final == nil, leaves: conflict.sides.map { $0.leaf.revision })
  }

  private func content(_ resolution: Resolution, _ conflict: Conflict) throws -> (body: Value?, type: String?) {
    let wanted: RevisionID
    switch resolution {
    case .winner, .none: wanted = conflict.sides[0].leaf.revision
    case .ours: wanted = try revision("ours", of: conflict.row).revision
    case .theirs: wanted = try revision("theirs", of: conflict.row).revision
    case .take(let text): wanted = try revision(text, of: conflict.row).revision
    case .with(let value, let type, let made):
      if let made, !conflict.sides.contains(where: { $0.leaf.revision == made }) {
        throw KitError.stale(
          id: conflict.row.id, have: conflict.sides[0].leaf.revision, want: made.description)
      }
      return (value, type ?? conflict.sides[0].type)
    }
    guard let side = conflict.sides.first(where: { $0.leaf.revision == wanted }) else {
      throw KitError.revisionNotFound(id: conflict.row.id, revision: wanted.description)
    }
    return (side.body, side.type)
  }
}

extension Conflict {
  /// What is left to decide when nothing is chosen as a whole; nil if the edits decide it all.
  fileprivate func undecided(_ edit: ResolutionEdit?) -> Open? {
    guard let edit, row.conflict == .live, kind != .type else { return open(besides: []) }
    let open = open(besides: edit.properties)
    return open.paths.isEmpty ? nil : open
  }
}

extension BlockBuilder {
  @discardableResult
  fileprivate mutating func add(
    _ id: String, _ type: String?, parent: RevisionID, merged: [RevisionID], kind: RevisionKind,
    body: UnsafeBufferPointer<UInt8>?, _ hasReferences: Bool
  ) throws(CoreError) -> RevisionID {
    let (id, type) = (Array(id.utf8), type.map { Array($0.utf8) })
    return try id.withUnsafeBufferPointer { id throws(CoreError) -> RevisionID in
      try (type ?? []).withUnsafeBufferPointer { bytes throws(CoreError) -> RevisionID in
        try add(
          id: id, type: type == nil ? nil : bytes, parent: parent,
          merged: Array(merged.sorted().prefix(Change.mostMerged)), kind: kind, body: body,
          hasReferences: hasReferences
        ).revision
      }
    }
  }
}
