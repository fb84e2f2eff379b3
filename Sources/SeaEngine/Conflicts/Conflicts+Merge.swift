import SeaCore
import SeaStore

/// A record whose conflict was merged automatically.
package struct Merged: Sendable {
  package var id: String
  package var type: String?
  package var revision: RevisionID
  package var leaves: [RevisionID]
  package var how: Settled.How
  /// The paths at which the sides differed, with the author of each merged value. The author is nil if several authors
  /// contributed.
  package var paths: [(path: PropertyPath, author: UUID?)]
}

/// Runs a user's merge program to resolve conflicting properties of a record.
/// - Parameters:
///   - name: the name of the program in the settings.
///   - conflict: the conflict after merging by the settings.
///   - paths: the paths that the program must resolve.
/// - Returns: the content with these paths resolved; nil if the conflict remains.
package typealias MergeProgramCall = (
  _ name: String, _ conflict: Conflict, _ content: Content, _ paths: [Conflict.Path]
) throws -> Content?

extension Conflicts {
  static let label = Author.mergeLabel
  /// The approximate maximum size of all merges in one block; `mergeItems` limits their number.
  private static let mergeBytes = 8 << 20
  private static let mergeItems = 50_000
  /// A merge with a larger body might not fit into a block.
  private static let largestMerge = BlockHeader.largestBlock - (1 << 16)

  private struct Tried {
    var settings: String
    var upTo: String
    var stop: String

    static let alone = Tried(settings: "mergeSettings", upTo: RecordTable.mergedUpTo, stop: "mergeStop")
    static let met = "mergeMet"
    static let programs = Tried(settings: "programSettings", upTo: "programsUpTo", stop: "programStop")
  }

  /// Returns the conflicting records in blocks that arrived since the last attempt, or all conflicting records if the
  /// settings have changed. Also returns the last known block.
  private func untried(
    _ tried: Tried, _ settings: MergeSettings
  ) throws -> (rows: [RecordRow], since: Int64, last: Int64) {
    let isNew = try store.metaBlob(tried.settings) != settings.digest.bytes
    let since = try isNew ? 0 : store.metaInt(tried.upTo) ?? 0
    let last = try store.blocks.lastSequence()
    guard since < last else { return ([], since, last) }
    var rows = try store.records.contested(since: since)
    if let stop = try store.metaText(tried.stop).flatMap({ MergeStop($0) }), stop.follows(since, settings) {
      let new = try Set(store.records.contested(since: stop.last).map(\.key))
      rows.removeAll { UTF8Text.less($0.id, stop.id) && !new.contains($0.key) }
    }
    return (rows, since, last)
  }

  /// Resolves new and changed conflicts where the settings allow it: first without programs, and then with merge
  /// programs. A record is merged completely or not at all.
  ///
  /// All records share one budget. A record that exceeds the whole budget on its own is skipped until it changes. If
  /// the budget runs out, the next run starts with the record at which it ran out.
  /// - Parameter giveUp: called with the ID of each skipped record, and with nil if other records are postponed.
  package func merge(giveUp: (String?) -> Void = { _ in }) throws -> [Merged] {
    guard try mayMerge() else { return [] }
    let settings = try settings()
    let budget = MergeBudget(mergeSteps, takesAll: true)
    return try mergeAlone(settings, budget, giveUp) + mergeWithPrograms(settings, budget, giveUp)
  }

  /// Merges without programs. Instances with the same leaves and shared settings write equal revisions. But if two
  /// instances always receive each other's merges one sync late, their leaves keep differing. Therefore, merges are
  /// themselves merged only if no new merge has arrived since the last attempt.
  private func mergeAlone(
    _ settings: MergeSettings, _ budget: MergeBudget, _ giveUp: (String?) -> Void
  ) throws -> [Merged] {
    guard settings.automatic != .off, try !untried(.alone, settings).rows.isEmpty else { return [] }
    return try author.write { transaction in
      let (rows, since, last) = try untried(.alone, settings)
      var stop: String?
      let met = try store.metaInt(Tried.met) ?? 0
      let fresh = try Set(met == since ? rows.map(\.key) : store.records.contested(since: met).map(\.key))
      var isWaiting = false
      let merged = try end(rows.filter { $0.conflict == .live }, .alone, settings, last, transaction) { row in
        guard let conflict = try automaticConflict(row, settings, budget, &stop, giveUp)?.conflict, conflict.isClean
        else {
          return nil
        }
        if conflict.isOfMerges, fresh.contains(row.key) {
          isWaiting = true
          return nil
        }
        return (conflict, Settled(merging: conflict))
      }
      if isWaiting || met > 0 { try store.setMeta(Tried.met, .int(last)) }
      if isWaiting { try store.setMeta(Tried.alone.upTo, .int(since)) }
      if let stop { try goOn(.alone, at: MergeStop(since, last, settings, stop), giveUp) }
      return merged
    }
  }

  private func goOn(_ tried: Tried, at stop: MergeStop, _ giveUp: (String?) -> Void) throws {
    giveUp(nil)
    try store.setMeta(tried.upTo, .int(stop.since))
    try store.setMeta(tried.stop, .text(stop.text))
  }

  /// If `merge.auto` is `drivers`, merges records for which the settings name a program for every conflicting property.
  /// Other processes can write while a program runs. A record that has changed in the meantime waits for the next run.
  private func mergeWithPrograms(
    _ settings: MergeSettings, _ budget: MergeBudget, _ giveUp: (String?) -> Void
  ) throws -> [Merged] {
    guard let run = mergeProgram, settings.automatic == .drivers else { return [] }
    let (rows, since, last) = try store.snapshot { try untried(.programs, settings) }
    if rows.isEmpty { return [] }
    var made: [[UInt8]: (conflict: Conflict, settled: Settled)] = [:]
    var stop: String?
    for row in rows {
      let conflict = try store.snapshot { () -> Conflict? in
        guard let row = try store.records.record(row.id), row.conflict == .live else { return nil }
        return try automaticConflict(row, settings, budget, &stop, giveUp).flatMap {
          $0.own && !$0.conflict.isClean ? $0.conflict : nil
        }
      }
      made[Array(row.id.utf8)] = try conflict.flatMap { one in try settled(one, settings, run).map { (one, $0) } }
    }
    return try author.write { transaction in
      let merged = try end(rows.filter { made[Array($0.id.utf8)] != nil }, .programs, settings, last, transaction) {
        row in
        guard let made = made[Array(row.id.utf8)], let now = try store.records.record(row.id), now.conflict == .live,
          try RecordGraph(store, now, nil, budget).leavesToMerge.map(\.revision) == made.conflict.leaves
        else { return nil }
        return made
      }
      if let stop { try goOn(.programs, at: MergeStop(since, last, settings, stop), giveUp) }
      return merged
    }
  }

  func mayMerge() throws -> Bool {
    if try folder.isPending() { return false }
    if let membership = try author.members.membership() {
      guard let role = membership[folder.instance]?.role, role != .read else { return false }
    }
    // An instance that does not have the keys only forwards blocks.
    do {
      try author.keychain.prepare()
      try author.keychain.requireNewestKey()
    } catch KitError.noKey { return false } catch KitError.oldKey { return false }
    return true
  }

  /// Returns the conflict of a record if it may be merged automatically: no side has deleted the record, and no leaf
  /// comes from a merge that was undone.
  /// - Parameters:
  ///   - stop: the record at which the next run will start; records after it are not merged.
  /// - Returns: the conflict, and whether this instance's private settings may decide it.
  private func automaticConflict(
    _ row: RecordRow, _ settings: MergeSettings, _ budget: MergeBudget, _ stop: inout String?,
    _ giveUp: (String?) -> Void
  ) throws -> (conflict: Conflict, own: Bool)? {
    if stop != nil { return nil }
    let isFirst = budget.isWhole
    do { return try automaticConflict(row, settings, budget) } catch is MergeBudget.Exceeded {
      if isFirst { giveUp(row.id) } else { stop = row.id }
      return nil
    }
  }

  private func automaticConflict(
    _ row: RecordRow, _ settings: MergeSettings, _ budget: MergeBudget
  ) throws -> (conflict: Conflict, own: Bool)? {
    let graph = try RecordGraph(store, row, nil, budget)
    let leaves = graph.leavesToMerge
    guard leaves.count > 1, !graph.contenders.contains(where: \.isPurged),
      try leaves.allSatisfy({ try $0.kind == .put && !graph.repeatsParent($0) })
    else { return nil }
    let own = try canDecide(graph)
    return (try conflict(of: row, graph, settings.rules(type: row.type, own: own)), own)
  }

  private func settled(
    _ conflict: Conflict, _ settings: MergeSettings, _ run: MergeProgramCall
  ) throws -> Settled? {
    var names: [String] = []
    var paths: [String: [Conflict.Path]] = [:]
    for path in conflict.clashes {
      guard let name = settings.driver(type: conflict.row.type, path.path) else { return nil }
      if paths[name] == nil { names.append(name) }
      paths[name, default: []].append(path)
    }
    var settled = Settled(conflict.merged, leaves: conflict.leaves, how: .program(names.joined(separator: ",")))
    for name in names {
      guard let content = try run(name, conflict, settled.content, paths[name] ?? []) else { return nil }
      settled.content = content
    }
    return settled
  }

  private func end(
    _ rows: [RecordRow], _ tried: Tried, _ settings: MergeSettings, _ last: Int64, _ transaction: BlockTransaction,
    _ settle: (RecordRow) throws -> (Conflict, Settled)?
  ) throws -> [Merged] {
    var merged: [Merged] = []
    var builder = try transaction.builder(label: Conflicts.label)
    for row in rows {
      guard let (conflict, settled) = try settle(row) else { continue }
      // Leave a conflict alone if its merged content is too large for a block or cannot be stored.
      guard let size = settled.content.storedSize, size <= Conflicts.largestMerge else { continue }
      let isFull = builder.count + size > Conflicts.mergeBytes || builder.changes.count > Conflicts.mergeItems
      if isFull, !builder.isEmpty {
        try transaction.append(&builder, label: Conflicts.label)
        builder = try transaction.builder(label: Conflicts.label)
      }
      guard let revision = try end(conflict, settled, &builder).revision else { continue }
      let isProgram = if case .program = settled.how { true } else { false }
      merged.append(
        Merged(
          id: conflict.id, type: settled.content.type, revision: revision, leaves: conflict.leaves, how: settled.how,
          paths: conflict.paths.map { ($0.path, isProgram ? nil : conflict.author(of: $0)) }))
    }
    if !builder.isEmpty { try transaction.append(&builder, label: Conflicts.label) }
    try store.setMeta(tried.settings, .blob(settings.digest.bytes))
    try store.setMeta(tried.upTo, .int(last))
    return merged
  }
}

extension Conflict {
  fileprivate var isOfMerges: Bool {
    paths.isEmpty && sides.allSatisfy { $0.content == sides[0].content }
      && sides.contains { $0.author?.label == Conflicts.label }
  }

  fileprivate func author(of path: Path) -> UUID? {
    let sides = zip(sides, path.values).filter { $1 == path.merged && $1 != path.base }
    return sides.count == 1 ? sides[0].0.owner?.instance : nil
  }
}

extension Content {
  /// The size of the body when stored; nil if it cannot be stored. The merge of two valid sides may be invalid, because
  /// a key with a dollar sign increases the depth of a dictionary.
  var storedSize: Int? {
    guard let body else { return 0 }
    var writer = ByteWriter()
    return (try? body.encodeBody(into: &writer)).map { _ in writer.count }
  }
}

/// The point at which the merge budget was used up. Records with smaller IDs have been tried, up to a certain block.
struct MergeStop {
  /// The last block of the previous attempt; `last` is the last block known now.
  let since: Int64
  let last: Int64
  private let settings: String
  /// The first record that has not been tried. IDs never contain spaces.
  let id: String

  init(_ since: Int64, _ last: Int64, _ settings: MergeSettings, _ id: String) {
    (self.since, self.last, self.settings, self.id) = (since, last, settings.digest.description, id)
  }

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 3)
    guard parts.count == 4, let since = Int64(parts[0]), let last = Int64(parts[1]) else { return nil }
    (self.since, self.last, settings, id) = (since, last, String(parts[2]), String(parts[3]))
  }

  var text: String { "\(since) \(last) \(settings) \(id)" }

  /// Whether this stop is from an attempt with the same start and the same settings.
  func follows(_ since: Int64, _ settings: MergeSettings) -> Bool {
    self.since == since && self.settings == settings.digest.description
  }
}
