import SeaCore
import SeaStore
import SeaSystem

/// How a program resolves a conflict.
package enum Decision {
  case resolution(Resolution)
  /// Returns the new content, which has no body if the record is deleted; nil to leave the conflict open.
  case content((Conflict) throws -> Content?)
}

extension Conflicts {
  private static let decidedRecords = 1000
  /// The approximate maximum size of the content that is prepared before it is written.
  private static let decidedBytes = 8 << 20

  /// Returns the result of a decision; nil if the conflict remains.
  package func settled(_ conflict: Conflict, _ decision: Decision) throws -> Settled? {
    switch decision {
    case .content(let make):
      return try make(conflict).map { Settled($0, leaves: conflict.leaves, how: .manual) }
    case .resolution(let resolution):
      var choices = MergeChoices()
      if case .merge(let given) = resolution { choices = given }
      guard let conflict = try self.conflict(of: conflict.row, settings(), choices, resolution, nil) else { return nil }
      let settled = try settled(resolution, conflict)
      return settled.open.isEmpty ? settled : nil
    }
  }

  /// Resolves the conflicts that automatic merging leaves, as a program decides. Other processes can write while the
  /// program decides. A record that has changed in the meantime waits for the next call.
  ///
  /// As with merge programs, a conflict stays open if a side undoes a merge. If several sides are merges, only the
  /// instance that wrote the winner decides. Otherwise, instances that decide differently would keep overruling each
  /// other.
  /// - Parameters:
  ///   - decide: returns how to resolve the conflict of a record; nil to leave it open.
  ///   - failed: called with each record that could not be resolved, and the error.
  /// - Throws: errors that concern more than one record.
  package func resolveOpen(
    label: String, _ decide: (RecordRow) -> Decision?, failed: (_ id: String, _ error: any Error) -> Void
  ) throws -> [Resolved] {
    guard try mayMerge() else { return [] }
    let settings = try settings()
    var resolved: [Resolved] = []
    var made: [(id: String, settled: Settled)] = []
    var bytes = 0
    var last: String?
    while true {
      let rows = try openRows(after: last)
      for row in rows {
        guard let decision = decide(row) else { continue }
        try folder.settings.checkStop()
        do {
          guard let settled = try settled(row, settings, decision) else { continue }
          made.append((row.id, settled))
          bytes += settled.content.storedSize ?? 0
        } catch {
          guard isOfOneRecord(error) else { throw error }
          failed(row.id, error is MergeBudget.Exceeded ? Problem(tooMuchWork: row.id) : error)
        }
        if bytes > Conflicts.decidedBytes {
          resolved += try write(made, label, failed)
          (made, bytes) = ([], 0)
        }
      }
      resolved += try write(made, label, failed)
      (made, bytes) = ([], 0)
      guard rows.count == Conflicts.decidedRecords else { return resolved }
      last = rows.last?.id
    }
  }

  private func openRows(after last: String?) throws -> [RecordRow] {
    var filter = RecordFilter()
    (filter.withDeleted, filter.onlyConflicts, filter.after) = (true, true, last)
    var rows: [RecordRow] = []
    try store.records.forEachRecord(filter) { row in
      rows.append(row)
      return rows.count < Conflicts.decidedRecords
    }
    return rows
  }

  private func settled(_ row: RecordRow, _ settings: MergeSettings, _ decision: Decision) throws -> Settled? {
    let conflict = try store.snapshot { () -> Conflict? in
      guard let row = try store.records.record(row.id), row.conflict != .none else { return nil }
      let graph = try RecordGraph(store, row, nil, MergeBudget(mergeSteps, takesAll: false))
      guard !graph.contenders.contains(where: \.isPurged),
        try graph.leavesToMerge.allSatisfy({ try $0.kind != .put || !graph.repeatsParent($0) })
      else { return nil }
      let own = try canDecide(graph)
      let conflict = try self.conflict(of: row, graph, settings.rules(type: row.type, own: own))
      // A clean conflict is merged by this sync or the next one.
      guard own || conflict.sides[0].isOwn, !conflict.isClean || settings.automatic == .off else { return nil }
      return conflict
    }
    return try conflict.flatMap { try settled($0, decision) }
  }

  private func write(
    _ made: [(id: String, settled: Settled)], _ label: String, _ failed: (String, any Error) -> Void
  ) throws -> [Resolved] {
    if made.isEmpty { return [] }
    func write(_ some: [(id: String, settled: Settled)]) throws -> [Resolved] {
      let contents = Dictionary(some.map { (Array($0.id.utf8), $0.settled) }) { $1 }
      return try resolve(some.map(\.id), .made(contents), label: label)
    }
    return try store.locked {
      let current = try made.filter { one in
        guard let row = try store.records.record(one.id), row.conflict != .none else { return false }
        return try RecordGraph(store, row).leavesToMerge.map(\.revision) == one.settled.leaves
      }
      if current.isEmpty { return [] }
      do { return try write(current) } catch {
        guard isOfOneRecord(error) else { throw error }
      }
      // One of the results cannot be stored or breaks a rule, so write each one in its own block.
      return try current.flatMap { one in
        do { return try write([one]) } catch {
          guard isOfOneRecord(error) else { throw error }
          failed(one.id, error)
          return []
        }
      }
    }
  }

  /// Returns false for errors of the disk or of the whole database, and for cancellation.
  private func isOfOneRecord(_ error: any Error) -> Bool {
    switch error {
    case is StoreError, is SystemError, is Stopped, is CancellationError: false
    default: true
    }
  }
}
