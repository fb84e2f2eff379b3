import SeaCore
import SeaStore

/// The records whose leaves disagree: what each side says, what they merge to, and how the conflict ends, by itself or as
/// somebody has decided.
package final class Conflicts {
  let records: Records
  private let shared: SharedSettings
  /// What one command may spend on merging, or on a list of conflicts.
  package var mergeSteps = MergeBudget.ofCommand
  /// Runs merge programs; nil where none may be run.
  package var mergeProgram: MergeProgramCall?
  var author: Author { records.author }
  var folder: SeaFolder { author.folder }
  var store: Store { folder.store }

  package init(_ records: Records, _ shared: SharedSettings) {
    self.records = records
    self.shared = shared
  }

  /// What the leaves of a record disagree about; nil if they do not.
  /// - Parameters:
  ///   - settings: what decides clashes; read anew unless given.
  ///   - choices: what decides before and after them, if somebody has been asked.
  ///   - inShort: whether it is enough to know, of what is too large to be merged for that, which properties differ.
  package func conflict(
    of row: RecordRow, _ settings: MergeSettings? = nil, _ choices: MergeChoices? = nil, inShort: Bool = false
  ) throws -> Conflict? {
    guard row.conflict != .none else { return nil }
    return try conflict(of: row, RecordGraph(store, row), settings ?? self.settings(), choices, inShort: inShort)
  }

  /// What there is no budget left for, is compared as what is too large.
  private func conflict(
    of row: RecordRow, _ graph: RecordGraph, _ settings: MergeSettings, _ choices: MergeChoices? = nil,
    inShort: Bool = true
  ) throws -> Conflict? {
    do {
      if inShort, let large = try largeConflict(of: row, graph) { return large }
      return try conflict(
        of: row, graph,
        choices?.rules(settings, type: row.type) ?? settings.rules(type: row.type, own: canDecide(graph)))
    } catch is MergeBudget.Exceeded { return try largeConflict(of: row, graph, isLeft: true) }
  }

  /// The same of the record with this id.
  package func conflict(of id: String, _ choices: MergeChoices? = nil, inShort: Bool = false) throws -> Conflict? {
    try store.records.record(id).flatMap { try conflict(of: $0, nil, choices, inShort: inShort) }
  }

  func conflict(of row: RecordRow, _ graph: RecordGraph, _ rules: MergeRules) throws -> Conflict {
    func side(_ leaf: Leaf) throws -> Conflict.Side {
      try self.side(leaf, graph.content(of: leaf.revision) ?? .deleted, source: graph.source(of: leaf))
    }
    let leaves = graph.ending
    let sides = try leaves.map(side)
    let live = sides.filter { $0.leaf.kind == .put }
    let merge = try LeafMerge(
      live.map {
        let lamport = try store.records.earnedLamport(of: $0.leaf, in: row)
        return MergeLeaf($0.leaf.revision, $0.content, lamport: lamport, isOwn: $0.isOwn)
      }, graph.graph, rules: rules)
    let base = try graph.base(of: leaves).map(side)
    return Conflict(
      row: row, kind: Conflict.kind(row, live, base), base: base, sides: sides,
      waiting: graph.contenders.count - leaves.count,
      paths: Conflict.paths(base, sides, merge),
      merged: merge.content ?? .deleted)
  }

  /// - Parameter source: the revision that says whose it is.
  func side(_ leaf: Leaf, _ content: Content, source: Leaf) throws -> Conflict.Side {
    let author = try store.blocks.block(sequence: leaf.sequence)
    let owner = source.sequence == leaf.sequence ? author : try store.blocks.block(sequence: source.sequence)
    return Conflict.Side(
      leaf: leaf, type: content.type, body: content.body, author: author, isOwn: owner?.instance == folder.instance)
  }

  /// Whether settings that only this instance has may settle something unasked. Not between merges: instances with
  /// different settings would answer each other for ever.
  func canDecide(_ graph: RecordGraph) throws -> Bool {
    try graph.ending.count { try $0.kind == .put && graph.isMerge($0.revision) } < 2
  }

  package func count() throws -> Int { try store.records.countConflicts() }

  /// How many of the records with these ids are in conflict.
  package func count(among ids: [String]) throws -> Int {
    try Set(ids.map { Array($0.utf8) }).count { id in
      try id.withUnsafeBufferPointer { try store.records.record(id: $0) }.map { $0.conflict != .none } ?? false
    }
  }

  /// The ids of all records in conflict.
  package func ids(type: String? = nil) throws -> [String] {
    var ids: [String] = []
    try store.records.forEachRecord(Conflicts.filter(type)) { row in
      ids.append(row.id)
      return true
    }
    return ids
  }

  private static func filter(_ type: String?) -> RecordFilter {
    var filter = RecordFilter()
    filter.type = type
    filter.withDeleted = true
    filter.onlyConflicts = true
    return filter
  }

  /// Of the records with these ids those that are in conflict, each once and in short.
  package func forEach(among ids: [String], _ body: (Conflict) throws -> Bool) throws {
    if ids.isEmpty { return }
    let (settings, budget) = (try settings(), MergeBudget(mergeSteps, takesAll: false))
    var seen: Set<[UInt8]> = []
    for id in ids where seen.insert(Array(id.utf8)).inserted {
      guard let row = try store.records.record(id), row.conflict != .none,
        let conflict = try conflict(of: row, RecordGraph(store, row, nil, budget), settings)
      else { continue }
      guard try body(conflict) else { return }
    }
  }

  /// What the leaves of a record disagreed about at a moment, in short and by the settings of now; nil if they did not.
  package func conflict(of past: PastRecord) throws -> Conflict? {
    guard past.row.conflict != .none else { return nil }
    return try conflict(of: past.row, RecordGraph(store, past), settings())
  }

  /// - Parameter inShort: as above, and with one budget for all; of a moment it is so in any case.
  package func forEach(
    type: String? = nil, at moment: Moment? = nil, inShort: Bool = false, _ body: (Conflict) throws -> Bool
  ) throws {
    let (settings, budget) = (try settings(), MergeBudget(mergeSteps, takesAll: false))
    if let moment {
      return try store.records.forEachRecord(Conflicts.filter(type), at: moment) { past in
        guard past.row.conflict != .none else { return true }
        return try conflict(of: past.row, RecordGraph(store, past, budget), settings).map(body) ?? true
      }
    }
    try store.records.forEachRecord(Conflicts.filter(type)) { row in
      guard row.conflict != .none else { return true }
      let graph = try RecordGraph(store, row, nil, inShort ? budget : nil)
      return try conflict(of: row, graph, settings, inShort: inShort).map(body) ?? true
    }
  }

  /// What the settings say of merging, those of this instance on top of those that all share.
  package func settings() throws -> MergeSettings {
    let own = try folder.settings.ownConfig()
    let shared = try self.shared.counting(SharedGroup(section: "merge")).map {
      Config.Entry(key: $0.key, value: $0.value, origin: ConfigOrigin(.shared))
    }
    return try MergeSettings(
      own.filter { $0.origin.scope < .shared } + shared + own.filter { $0.origin.scope > .shared })
  }
}
