import SeaCore
import SeaStore

/// Finds conflicts, which are records with different leaves, and resolves them automatically or as the user decides.
package final class Conflicts {
  let records: Records
  private let shared: SharedSettings
  package var mergeSteps = MergeBudget.ofCommand
  package var mergeProgram: MergeProgramCall?
  var author: Author { records.author }
  var folder: SeaFolder { author.folder }
  var store: Store { folder.store }

  package init(_ records: Records, _ shared: SharedSettings) {
    self.records = records
    self.shared = shared
  }

  /// - Parameters:
  ///   - settings: the merge rules; nil to read them from the configuration.
  ///   - choices: the user's decisions: some take precedence over the settings, others apply where the settings do not
  ///     decide.
  ///   - inShort: whether a large record is only compared property by property and not merged.
  package func conflict(
    of row: RecordRow, _ settings: MergeSettings? = nil, _ choices: MergeChoices? = nil, inShort: Bool = false
  ) throws -> Conflict? {
    guard row.conflict != .none else { return nil }
    return try conflict(of: row, RecordGraph(store, row), settings ?? self.settings(), choices, inShort: inShort)
  }

  /// If the budget is too small, treats the record like a large record.
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

  package func conflict(of id: String, _ choices: MergeChoices? = nil, inShort: Bool = false) throws -> Conflict? {
    try store.records.record(id).flatMap { try conflict(of: $0, nil, choices, inShort: inShort) }
  }

  func conflict(of row: RecordRow, _ graph: RecordGraph, _ rules: MergeRules) throws -> Conflict {
    func side(_ leaf: Leaf) throws -> Conflict.Side {
      try self.side(leaf, graph.content(of: leaf.revision) ?? .deleted, source: graph.source(of: leaf))
    }
    let leaves = graph.leavesToMerge
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

  /// - Parameter source: the revision that determines the owner.
  func side(_ leaf: Leaf, _ content: Content, source: Leaf) throws -> Conflict.Side {
    let author = try store.blocks.block(sequence: leaf.sequence)
    let owner = source.sequence == leaf.sequence ? author : try store.blocks.block(sequence: source.sequence)
    return Conflict.Side(
      leaf: leaf, type: content.type, body: content.body, author: author, owner: owner,
      isOwn: owner?.instance == folder.instance)
  }

  /// Whether this instance's private settings may decide automatically. They must not decide between two merges;
  /// otherwise, instances with different settings would keep overruling each other forever.
  func canDecide(_ graph: RecordGraph) throws -> Bool {
    try graph.leavesToMerge.count { try $0.kind == .put && graph.isMerge($0.revision) } < 2
  }

  package func count() throws -> Int { try store.records.countConflicts() }

  package func count(among ids: [String]) throws -> Int { try open(among: ids).count }

  /// Returns the given ids whose records are in conflict, without duplicates.
  package func open(among ids: [String]) throws -> [String] {
    var seen: Set<[UInt8]> = []
    return try ids.filter { id in
      try seen.insert(Array(id.utf8)).inserted && store.records.record(id).map { $0.conflict != .none } ?? false
    }
  }

  package func ids(type: String? = nil) throws -> [String] {
    var ids: [String] = []
    try store.records.forEachRecord(Conflicts.filter(type)) { row in
      ids.append(row.id)
      return true
    }
    return ids
  }

  private static func filter(_ type: String?) -> RecordFilter {
    var filter = RecordFilter(type: type)
    filter.withDeleted = true
    filter.onlyConflicts = true
    return filter
  }

  /// Visits the conflicts of the given records, without duplicates. Large records are only compared property by
  /// property.
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

  /// Returns the conflict that a record had at a point in time, according to the current settings; nil if it had none.
  /// A large record is only compared property by property.
  package func conflict(of past: PastRecord) throws -> Conflict? {
    guard past.row.conflict != .none else { return nil }
    return try conflict(of: past.row, RecordGraph(store, past), settings())
  }

  /// - Parameter inShort: whether large records are only compared property by property; always true for a point in
  ///   time.
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

  /// Returns the merge settings. Private settings of this instance override shared settings.
  package func settings() throws -> MergeSettings {
    try MergeSettings(folder.settings.config().sharing(shared.settings(of: "merge.")).entries())
  }
}

extension Conflicts {
  /// The maximum number of values in a conflict that is merged only for display. Decoded values need a hundred times as
  /// much memory as stored ones.
  private static let mostValues = 500_000

  /// Returns the conflict of a record with more than `mostValues` values, without decoding them; nil for a smaller
  /// record.
  /// - Parameter isLeft: whether to omit the base, because no budget is left to find it.
  func largeConflict(of row: RecordRow, _ graph: RecordGraph, isLeft: Bool = false) throws -> Conflict? {
    let leaves = graph.leavesToMerge
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
    // Only a first revision can be without an ancestor.
    if isLeft, conflict.kind == .addition, live.allSatisfy({ sides[$0].leaf.revision.depth > 1 }) {
      conflict.kind = .edit
    }
    (conflict.isLarge, conflict.lacksBase) = (true, isLeft)
    let compared = live.count == 1 ? [before ?? .deleted, stored[live[0]]] : live.map { stored[$0] }
    var names = try DifferingNames(compared)
    (conflict.paths, conflict.isCut) = try (conflict.paths(at: &names, stored, before), names.isCut)
    return conflict
  }
}

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

  /// Returns each side's values of the named properties. If sides changed a property differently, it counts as
  /// conflicting.
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

extension Conflicts {
  /// Resolves a conflict property by property: automatically, then by the user's picks, then by the user's preference.
  /// - Parameters:
  ///   - conflict: the conflict, computed with the same choices.
  ///   - program: runs a merge program for a path and returns the result; nil if the conflict remains.
  /// - Throws: `propertyNotFound` if the user picked a property that no side has, `revisionNotFound` for a revision
  ///   that is not a leaf.
  package func settle(
    _ conflict: Conflict, _ choices: MergeChoices,
    program: (_ name: String, _ path: Conflict.Path) throws -> Value?? = { _, _ in nil }
  ) throws -> Settled {
    var settled = Settled(merging: conflict)
    if conflict.hasDeletion || conflict.hasPurged {
      guard let side = try preferred(conflict, choices.prefer) else {
        // Without a base, it is unknown what changed.
        settled.open = conflict.paths.isEmpty ? [conflict.whole] : conflict.paths
        return settled
      }
      settled.how = .manual
      if side.leaf.kind != .put {
        settled.content = .deleted
        return settled
      }
      try conflict.requireContent(of: side)
    }
    let clashes = conflict.hasDeletion ? conflict.clashes.filter { $0.path.names.isEmpty } : conflict.clashes
    for path in clashes
    where !(try choose(choices.pick(path.path) ?? choices.prefer, path, conflict, &settled, program)) {
      settled.open.append(path)
    }
    for (path, choice) in choices.picks { try pick(path, choice, conflict, clashes, &settled, program) }
    return settled
  }

  private func pick(
    _ path: PropertyPath, _ choice: MergeChoices.Choice, _ conflict: Conflict, _ clashes: [Conflict.Path],
    _ settled: inout Settled, _ program: (String, Conflict.Path) throws -> Value??
  ) throws {
    if clashes.contains(where: { $0.pointer == path.pointer }) { return }
    let values = conflict.sides.map { $0.content[path] }
    let base = conflict.base?.content[path]
    guard base != nil || values.contains(where: { $0 != nil }) else {
      throw KitError.propertyNotFound(id: conflict.id, path: path.description)
    }
    if case .policy = choice { return }
    let place = Conflict.Path(path: path, base: base, values: values, state: .clash, merged: settled.content[path])
    _ = try choose(choice, place, conflict, &settled, program)
  }

  private func choose(
    _ choice: MergeChoices.Choice?, _ path: Conflict.Path, _ conflict: Conflict, _ settled: inout Settled,
    _ program: (String, Conflict.Path) throws -> Value??
  ) throws -> Bool {
    let value: Value?
    switch choice {
    // The merge rules have already applied policies.
    case nil, .policy?: return false
    case .base?: value = path.base
    case .revision(let text)?: value = try side(text, conflict).content[path.path]
    case .program(let name)?:
      guard let answer = try program(name, path) else { return false }
      settled.content = try settled.content.replacing(path.path, with: answer)
      settled.how = .program(name)
      return true
    }
    settled.content = try settled.content.replacing(path.path, with: value?.deciding(about: settled.content[path.path]))
    settled.how = .manual
    return true
  }

  /// Returns the side with this revision. If the string is the name of an author who wrote exactly one side, returns
  /// this side.
  package func side(_ text: String, _ conflict: Conflict) throws -> Conflict.Side {
    if let side = try side(by: text, conflict) {
      try conflict.requireContent(of: side)
      return side
    }
    let wanted = try records.revision(text, of: conflict.row).revision
    guard let side = conflict.sides.first(where: { $0.leaf.revision == wanted }) else {
      throw KitError.revisionNotFound(id: conflict.id, revision: text)
    }
    try conflict.requireContent(of: side)
    return side
  }

  /// Finds a side by its author. Returns nil if the string may be a revision, or is one of the words for a side.
  private func side(by name: String, _ conflict: Conflict) throws -> Conflict.Side? {
    if RevisionText.isRevision(name) || name.hasPrefix("~") || name == "base" || Policy(rawValue: name) != nil {
      return nil
    }
    let names = try conflict.sides.map { side in
      try side.owner.flatMap { try store.branches.chain($0.instance)?.name } ?? ""
    }
    let found = conflict.sides.indices.filter { UTF8Text.equal(names[$0], name) }
    if found.count > 1 { throw KitError.ambiguousRevision(id: conflict.id, revision: name) }
    guard let found = found.first else {
      if let first = name.utf8.first, (0x30...0x39).contains(first) { return nil }
      let sides = zip(conflict.sides, names).map { LookupFault.Side(revision: $0.leaf.revision, name: $1) }
      throw KitError.badName(.side(id: conflict.id, name, of: sides))
    }
    return conflict.sides[found]
  }

  private func preferred(_ conflict: Conflict, _ choice: MergeChoices.Choice?) throws -> Conflict.Side? {
    switch choice {
    case .revision(let text)?: try side(text, conflict)
    case .policy(.newest)?:
      conflict.sides.max { ($0.author?.lamport ?? 0, $0.leaf.revision) < ($1.author?.lamport ?? 0, $1.leaf.revision) }
    default: nil
    }
  }
}

extension Conflict {
  fileprivate func requireContent(of side: Side) throws {
    if side.leaf.isPurged { throw KitError.contentPurged(id: id, side.leaf.revision) }
  }

  package var whole: Path {
    Path(path: PropertyPath(names: []), base: base?.body, values: sides.map(\.body), state: .clash, merged: merged.body)
  }
}

package struct Resolved: Sendable {
  package var id: String
  /// Nil if there was no conflict.
  package var revision: RevisionID?
  package var isDeleted = false
  package var leaves: [RevisionID] = []
  /// The number of leaves that still conflict, because a single revision cannot merge them all.
  package var left = 0
  package var how = Settled.How.manual
  /// The paths that are still undecided. If there are any, nothing was written.
  package var open: OpenConflict?
  package var content: Content?
}

package struct ResolveOptions {
  package var edit: ResolutionEdit?
  /// Whether to resolve records that are decided even if other records are not.
  package var isPartial = false
  package var dryRun = false

  package init(edit: ResolutionEdit? = nil, isPartial: Bool = false, dryRun: Bool = false) {
    self.edit = edit
    self.isPartial = isPartial
    self.dryRun = dryRun
  }
}

extension Conflicts {
  /// Resolves conflicts in one block. Adds a merging revision to the winning branch, and a tombstone of kind `resolved`
  /// to each of the other leaves. Unless partial results are allowed, either all conflicts are resolved or nothing is
  /// written.
  /// - Throws: `noChoice` for a path that neither `resolution` nor the edit decides, `stale` if the input is based on
  ///   another state of the record.
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
      return try author.write { transaction in
        var builder = try transaction.builder(label: label)
        let results = try resolve(ids, resolution, options, &builder)
        if !builder.isEmpty { try transaction.append(&builder, label: label) }
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
    try records.check(builder)
    return results
  }

  /// Merges a large record only if the user picks individual properties, or if counters and sets of all sides must be
  /// kept.
  func conflict(
    of row: RecordRow, _ settings: MergeSettings, _ choices: MergeChoices, _ resolution: Resolution,
    _ edit: ResolutionEdit?
  ) throws -> Conflict? {
    var isOfProperties = edit != nil
    if case .merge = resolution { isOfProperties = true }
    let found = try conflict(of: row, settings, choices, inShort: !isOfProperties)
    return try found?.isLarge == true && found?.mayHaveStates == true ? conflict(of: row, settings, choices) : found
  }

  func settled(_ resolution: Resolution, _ conflict: Conflict) throws -> Settled {
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
    // The counter increments and set elements of all sides are kept.
    var content = try side(wanted, conflict).content
    let clashes = conflict.clashes.map(\.path)
    content.body = content.body?.joining(conflict.merged.body) { path in clashes.contains { $0.overlaps(path) } }
    return Settled(content, leaves: conflict.leaves, how: .manual)
  }

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
