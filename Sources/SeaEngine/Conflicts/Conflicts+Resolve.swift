import SeaCore
import SeaStore

/// What became of a conflict that was to end.
package struct Resolved: Sendable {
  package var id: String
  /// Nil if there was no conflict.
  package var revision: RevisionID?
  /// Whether the record is deleted now.
  package var isDeleted = false
  package var leaves: [RevisionID] = []
  /// Leaves that still disagree: one revision cannot take in all.
  package var left = 0
  package var how = Settled.How.manual
  /// What nobody has decided; then nothing was written.
  package var open: OpenConflict?
  /// The record as it is to be; nil for a deleted one.
  package var content: Content?
}

/// How conflicts are to end.
package struct ResolveOptions {
  package var edit: ResolutionEdit?
  /// Whether records that are decided end although others are not.
  package var isPartial = false
  package var dryRun = false

  package init(edit: ResolutionEdit? = nil, isPartial: Bool = false, dryRun: Bool = false) {
    self.edit = edit
    self.isPartial = isPartial
    self.dryRun = dryRun
  }
}

extension Conflicts {
  /// Ends the conflicts of records in one block: on the winning branch a revision that has taken in the other leaves,
  /// and on each of these a tombstone of kind `resolved`. Either all of them end or nothing is written, unless it may
  /// be done in part.
  /// - Throws: `noChoice` for what neither `resolution` nor the edit decides, `stale` for what was made from another
  ///   state.
  package func resolve(
    _ ids: [String], _ resolution: Resolution, label: String, _ options: ResolveOptions = ResolveOptions()
  ) throws -> [Resolved] {
    if options.dryRun {
      return try store.snapshot {
        var builder = try author.builder(label: label)
        return try resolve(ids, resolution, options, &builder)
      }
    }
    do {
      return try author.write {
        var builder = try author.builder(label: label)
        let results = try resolve(ids, resolution, options, &builder)
        if !builder.isEmpty { try author.append(&builder, label: label) }
        return results
      }
    } catch CoreError.badBlock(.badSize) {
      throw KitError.transactionTooLarge(records: ids.count)
    }
  }

  private func resolve(
    _ ids: [String], _ resolution: Resolution, _ options: ResolveOptions, _ builder: inout BlockBuilder
  ) throws -> [Resolved] {
    let settings = try settings()
    var choices = MergeChoices()
    if case .merge(let given) = resolution { choices = given }
    let results = try ids.map { id in
      guard let row = try store.records.record(id), row.leaves > 0 else { throw KitError.recordNotFound(id) }
      guard let conflict = try conflict(of: row, settings, choices, resolution, options.edit) else {
        return Resolved(id: id)
      }
      var settled = try settled(resolution, conflict)
      if let edit = options.edit {
        settled.open.removeAll { edit.decides($0) }
        settled.content.body = try edit.apply(id, settled.content.body ?? .empty)
        settled.how = .manual
      }
      guard settled.open.isEmpty else { return Resolved(id: id, open: conflict.open(settled.open)) }
      return try end(conflict, settled, &builder)
    }
    let open = results.compactMap(\.open)
    if !open.isEmpty, !options.isPartial { throw KitError.noChoice(open) }
    return results
  }

  /// A record that is large is merged only if its properties are what is chosen from, or if counters and sets go on from what
  /// all sides have.
  private func conflict(
    of row: RecordRow, _ settings: MergeSettings, _ choices: MergeChoices, _ resolution: Resolution,
    _ edit: ResolutionEdit?
  ) throws -> Conflict? {
    var isOfProperties = edit != nil
    if case .merge = resolution { isOfProperties = true }
    let found = try conflict(of: row, settings, choices, inShort: !isOfProperties)
    return try found?.isLarge == true && found?.mayHaveStates == true ? conflict(of: row, settings, choices) : found
  }

  private func settled(_ resolution: Resolution, _ conflict: Conflict) throws -> Settled {
    let wanted: String
    switch resolution {
    case .merge(let choices): return try settle(conflict, choices)
    case .made(let all):
      let made = all[Array(conflict.id.utf8)]
      guard let made, made.leaves == conflict.leaves else {
        throw KitError.stale(
          id: conflict.id, have: conflict.leaves.first, want: made?.leaves.first?.description ?? "none")
      }
      return made
    case .with(let value, let type, let made):
      if let made, !conflict.leaves.contains(made) {
        throw KitError.stale(id: conflict.id, have: conflict.leaves.first, want: made.description)
      }
      let content = Content(type: type ?? conflict.sides[0].type, body: value)
      return Settled(content, leaves: conflict.leaves, how: .manual)
    case .winner: wanted = "winner"
    case .ours: wanted = "ours"
    case .theirs: wanted = "theirs"
    case .take(let text): wanted = text
    }
    // Whatever else is dropped: no count is, and no element that somebody has added.
    var content = try side(wanted, conflict).content
    let clashes = conflict.clashes.map(\.path)
    content.body = content.body?.joining(conflict.merged.body) { path in clashes.contains { $0.overlaps(path) } }
    return Settled(content, leaves: conflict.leaves, how: .manual)
  }

  /// Adds what ends a conflict.
  func end(_ conflict: Conflict, _ settled: Settled, _ builder: inout BlockBuilder) throws -> Resolved {
    let id = conflict.id
    let winner = conflict.sides[0]
    let final = try KitError.naming(id) {
      try settled.content.body.map {
        try Value.adopting($0, previous: conflict.merged.body ?? winner.body, instance: folder.instance)
      }
    }
    let made = try builder.add(
      id, final == nil ? winner.type : settled.content.type, parent: winner.leaf.revision,
      merged: Array(conflict.leaves.dropFirst()), kind: final == nil ? .delete : .put, body: final)
    for side in conflict.sides.dropFirst() {
      try builder.add(id, side.type, parent: side.leaf.revision, kind: .resolved)
    }
    return Resolved(
      id: id, revision: made, isDeleted: final == nil, leaves: conflict.leaves, left: conflict.waiting,
      how: settled.how, content: final.map { Content(type: settled.content.type, body: $0) })
  }
}
