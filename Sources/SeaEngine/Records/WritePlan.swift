import SeaCore
import SeaStore

struct WritePlan: ~Copyable {
  let store: Store
  let batch: WriteBatch
  private let instance: UUID
  private var faults: [EntryFault] = []
  private var retyped: [CommitResult.Retyped] = []
  var builder: BlockBuilder
  /// The current state of each record, if entries arrive one by one.
  var made = MadeTargets()

  private let author: Author
  let rules: RuleCheck
  /// The records to leave out because they break a rule.
  private var leftOut: [[UInt8]: BrokenRule] = [:]

  init(_ author: Author, _ batch: WriteBatch, _ builder: consuming BlockBuilder) {
    self.author = author
    rules = RuleCheck(author)
    store = author.store
    self.batch = batch
    instance = author.folder.instance
    self.builder = builder
  }

  /// How many entries are processed between checks for cancellation.
  static let uninterrupted = 1000

  /// Processes the entries in order of IDs, because the index is sorted by ID.
  /// - Parameter first: the first entry that is not in the store yet.
  mutating func make(from first: Int = 0) throws -> CommitResult {
    let arena = batch.arena.bytes
    let none = WriteResult(outcome: .unchanged, revision: WritePlan.none, wins: true)
    var results = Array(repeating: none, count: batch.count)
    builder.reserve(changes: batch.count)
    let isEmpty = try store.records.isEmpty()
    var target = WriteTarget()
    var last: UnsafeBufferPointer<UInt8>?
    let meter = batch.tellsProgress ? WorkMeter(author.folder.settings.report, .writing, "") { batch.count } : nil
    for (done, k) in (batch.count == 1 ? [0] : sortedEntries(arena, from: first)).enumerated() {
      if batch.tellsProgress || done % WritePlan.uninterrupted == WritePlan.uninterrupted - 1 {
        try author.folder.settings.checkStopOfAll()
      }
      let entry = batch.entries[Int(k)]
      let id = UnsafeBufferPointer(rebasing: arena[entry.id])
      if last == nil || UTF8Text.compare(last!, id) != 0 {
        target = try isEmpty ? WriteTarget() : self.target(id)
        last = id
      }
      results[Int(k)] = try result(Int(k), id, &target)
      meter?.add()
    }
    return CommitResult(results: results, faults: faults, retyped: retyped, cycle: builder.putReferencesFirst())
  }

  func target(_ id: UnsafeBufferPointer<UInt8>) throws -> WriteTarget {
    guard let row = try store.records.record(id: id), row.leaves > 0 else { return WriteTarget() }
    return try WriteTarget(row, store.records.leaves(of: row))
  }

  private func sortedEntries(_ arena: UnsafeBufferPointer<UInt8>, from first: Int) -> [Int32] {
    var keys = IDOrder(capacity: batch.count)
    for entry in batch.entries[first...] { keys.add(UnsafeBufferPointer(rebasing: arena[entry.id])) }
    return first == 0 ? keys.sorted() : keys.sorted().map { $0 + Int32(first) }
  }

  /// Processes all entries, and checks the records as they would be written.
  /// - Parameter builder: returns a new block, to begin again without the records that break a rule.
  /// - Throws: `breaksRule`.
  mutating func makeChecked(_ builder: () throws -> BlockBuilder) throws -> CommitResult {
    try checkTargets()
    let result = try make()
    let broken = try rules.broken(self.builder.changes, self.builder.bytes, of: batch)
    guard let first = broken.first else { return result }
    guard batch.mayReplace != nil else { throw KitError.breaksRule(first) }
    // A record that others refer to cannot be left out.
    let targets = Set(batch.entries.indices.filter { batch.entries[$0].isTarget }.map { batch.id(of: $0) })
    let target = broken.first { targets.contains($0.id) }
    guard batch.leavesOutFaults, target == nil else {
      let fault = target ?? first
      let entry = (0..<batch.count).first { UTF8Text.equal(batch.id(of: $0), fault.id) } ?? 0
      throw EntryFault(entry: entry, reason: KitError.breaksRule(fault))
    }
    for one in broken { leftOut[Array(one.id.utf8)] = one }
    self.builder = try builder()
    (faults, retyped) = ([], [])
    return try make()
  }

  /// Checks in the order of the input that references name records, unless such entries are left out.
  private func checkTargets() throws {
    guard !batch.leavesOutFaults else { return }
    for k in batch.missing.keys.sorted() {
      guard let text = batch.missing(in: k) else { continue }
      let fault = KitError.noTarget(text, similar: try SimilarRecord(Records(author)).find(text))
      throw batch.mayReplace == nil ? fault : EntryFault(entry: k, reason: fault)
    }
  }

  /// If an entry fails, no part of it is added to the block.
  private mutating func result(
    _ k: Int, _ id: UnsafeBufferPointer<UInt8>, _ target: inout WriteTarget
  ) throws -> WriteResult {
    do {
      if !leftOut.isEmpty, let broken = leftOut[Array(id)] { throw KitError.breaksRule(broken) }
      if let text = batch.missing(in: k) { throw KitError.noTarget(text, similar: nil) }
      return try work(batch.entries[k], id, &target)
    } catch let error as KitError where batch.mayReplace != nil {
      let fault = EntryFault(entry: k, reason: error)
      guard batch.leavesOutFaults else { throw fault }
      faults.append(fault)
      return WriteResult(outcome: .rejected, revision: WritePlan.none, wins: true)
    }
  }

  private static let none = RevisionID(depth: 1, digest: .zero)

  mutating func work(
    _ entry: WriteBatch.Entry, _ id: UnsafeBufferPointer<UInt8>, _ target: inout WriteTarget
  ) throws -> WriteResult {
    if entry.only == .new && target.isLive || entry.only == .known && !target.isLive {
      return WriteResult(outcome: .skipped, revision: target.winner ?? WritePlan.none, wins: true)
    }
    if entry.mustExist, !target.isLive { throw KitError.recordNotFound(String(decoding: id, as: UTF8.self)) }
    let parent = try parent(of: entry, id, target)
    if case .delete = entry.content { return try delete(id, &target) }
    let type = entry.type ?? target.madeType ?? target.row?.type
    if entry.keepsType, target.isLive, let type, let have = target.madeType ?? target.row?.type,
      !UTF8Text.equal(have, type)
    {
      throw KitError.replacesType(id: String(decoding: id, as: UTF8.self), path: "/_type", have: have, want: type)
    }
    let before = try parent.flatMap { try content(of: $0, target) }
    // The previous body, if the type does not change.
    let same = before.flatMap { UTF8Text.equal($0.type ?? "", type ?? "") ? $0.body : nil }
    let defaults = try target.isLive ? [] : self.defaults(of: type)
    if defaults.isEmpty, let range = entry.content.body(hasState: before != nil) {
      let body = UnsafeBufferPointer(rebasing: batch.arena.bytes[range])
      return try put(id, type, parent, unless: same, body, entry.hasReferences, &target)
    }
    let old = try before.map { try value($0.body, of: parent!, target) }
    let new = try KitError.naming(id) { try newValue(entry, old, defaults) }
    // Compare values and not bytes, because the parent's bytes do not state which revision added each set element.
    if let parent, same != nil, old == new { return unchanged(parent, target) }
    var bytes = ByteWriter()
    let hasReferences = try KitError.naming(id) { try counted(new, old, target) }.encodeBody(into: &bytes)
    // If this revision adds a set element that the parent also added, the bytes are equal but the tags differ.
    return try put(id, type, parent, unless: nil, bytes.bytes, hasReferences, &target)
  }

  private func parent(
    of entry: WriteBatch.Entry, _ id: UnsafeBufferPointer<UInt8>, _ target: WriteTarget
  ) throws -> RevisionID? {
    func stale(_ want: String) -> KitError {
      .stale(id: String(decoding: id, as: UTF8.self), have: target.isLive ? target.winner : nil, want: want)
    }
    switch entry.precondition {
    case .none: return target.winner
    case .absent:
      if target.isLive { throw stale("none") }
      return target.winner
    case .revision(let text):
      if let winner = target.winner, RevisionText.matches(winner, text) { return winner }
      if target.made == nil {
        let found = target.liveEnds.filter { RevisionText.matches($0.revision, text) }
        if found.count == 1 { return found[0].revision }
      }
      throw stale(text)
    }
  }

  private func unchanged(_ revision: RevisionID, _ target: WriteTarget) -> WriteResult {
    WriteResult(outcome: .unchanged, revision: revision, wins: revision == target.winner)
  }

  private mutating func put(
    _ id: UnsafeBufferPointer<UInt8>, _ type: String?, _ parent: RevisionID?, unless old: [UInt8]?,
    _ body: UnsafeBufferPointer<UInt8>, _ hasReferences: Bool, _ target: inout WriteTarget
  ) throws -> WriteResult {
    if let parent, let old, old.withUnsafeBufferPointer({ UTF8Text.compare($0, body) == 0 }) {
      return unchanged(parent, target)
    }
    // Creating a deleted record again ends the deletions on all branches.
    let ended = try target.isLive ? [] : deletions(target, but: parent)
    let change = try builder.add(
      id: id, type, parent: parent, merged: ended.map(\.revision), kind: .put, body: body, hasReferences: hasReferences)
    for one in ended { _ = try builder.add(id: id, one.type, parent: one.revision, kind: .resolved) }
    let wins = !target.isLive || parent == target.winner || target.winner! < change.revision
    let result = WriteResult(outcome: target.isLive ? .updated : .created, revision: change.revision, wins: wins)
    if target.isLive { recordRetyped(id, target.madeType ?? target.row?.type, type) }
    target.follow(parent, with: change, type, wins: wins)
    return result
  }

  private mutating func recordRetyped(_ id: UnsafeBufferPointer<UInt8>, _ old: String?, _ new: String?) {
    guard let old, let new, !UTF8Text.equal(old, new) else { return }
    if let at = retyped.firstIndex(where: { UTF8Text.equal($0.old, old) && UTF8Text.equal($0.new, new) }) {
      retyped[at].count += 1
    } else if retyped.count < CommitResult.mostRetyped {
      retyped.append(.init(id: String(decoding: id, as: UTF8.self), old: old, new: new))
    }
  }

  private func deletions(
    _ target: WriteTarget, but parent: RevisionID?
  ) throws -> [(revision: RevisionID, type: String?)] {
    var found = target.deletions
    for leaf in target.ends where leaf.kind == .delete && leaf.revision != parent {
      found.append((leaf.revision, try store.records.front(of: leaf).type))
    }
    return found.sorted { $0.revision < $1.revision }.suffix(Change.mostMerged)
  }

  private mutating func delete(_ id: UnsafeBufferPointer<UInt8>, _ target: inout WriteTarget) throws -> WriteResult {
    var ends: [(RevisionID, String?)] = []
    if let made = target.made, made.kind == .put { ends.append((made.revision, target.madeType)) }
    for other in target.others { ends.append((other.change.revision, other.type)) }
    for leaf in target.liveEnds { ends.append((leaf.revision, try store.records.front(of: leaf).type)) }
    var winner: Change?
    var made: [(revision: RevisionID, type: String?)] = []
    for (end, type) in ends {
      let change = try builder.add(id: id, type, parent: end, kind: .delete)
      made.append((change.revision, type))
      if winner == nil || winner!.revision < change.revision { winner = change }
    }
    guard let winner else { throw KitError.recordNotFound(String(decoding: id, as: UTF8.self)) }
    let madeType = target.madeType
    target.end(with: winner, madeType, made.filter { $0.revision != winner.revision })
    return WriteResult(outcome: .deleted, revision: winner.revision, wins: true)
  }

  // MARK: - Content

  private func content(of revision: RevisionID, _ target: WriteTarget) throws -> (type: String?, body: [UInt8])? {
    if let made = target.made, made.revision == revision {
      return made.body.map { (target.madeType, Array(builder.bytes[$0])) }
    }
    guard let leaf = target.leaves.first(where: { $0.revision == revision }), leaf.kind == .put else { return nil }
    let change = try store.records.change(of: leaf)
    return change.body.map { (change.type, $0) }
  }

  private func value(_ body: [UInt8], of revision: RevisionID, _ target: WriteTarget) throws -> Value {
    let old = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }.inherited(from: revision.digest)
    guard let row = target.row, row.live > 1, revision == target.leaves.first?.revision, old.hasStates else {
      return old
    }
    // A counter continues from the displayed value, and a set from the elements in this revision.
    return try old.counting(as: RecordGraph(store, row, target.leaves).joinedCounters(of: target.leaves).shown?.body)
  }

  /// Continues counters from the joined value, because another leaf revision may include more counts by this instance.
  private func counted(_ new: Value, _ old: Value?, _ target: WriteTarget) throws -> Value {
    guard let row = target.row, row.live > 1, target.made == nil, new.hasStates else { return new }
    return try RecordGraph(store, row, target.leaves).joinedCounters(of: target.leaves).counting(
      on: new, from: old, by: instance)
  }

  private func defaults(of type: String?) throws -> [(path: PropertyPath, value: Value)] {
    guard let type, batch.givesDefaults else { return [] }
    return try rules.defaults(of: type)
  }

  private func newValue(
    _ entry: WriteBatch.Entry, _ old: Value?, _ defaults: [(path: PropertyPath, value: Value)]
  ) throws -> Value {
    func draft(_ range: Range<Int>) throws -> Value {
      try Value.decodeDraft(UnsafeBufferPointer(rebasing: batch.arena.bytes[range]))
    }
    var new: Value
    switch entry.content {
    case .draft(let range): new = try added(draft(range), to: .empty, entry)
    case .patch(let range): new = try (old ?? .empty).merged(patch: draft(range))
    case .edit(let edit, _): new = try edit(old)
    case .addition(let range, _): new = try added(draft(range), to: old ?? .empty, entry)
    case .body(let range): new = try draft(range)
    case .delete: preconditionFailure("has no value")
    }
    // If a default conflicts with a property of the record, keep the property.
    for one in defaults where new[one.path] == nil { try? new.set(one.value, at: one.path) }
    return try Value.adopting(new, previous: old, instance: instance)
  }

  private func added(_ new: Value, to old: Value, _ entry: WriteBatch.Entry) throws -> Value {
    guard case .dictionary(let changes) = new, case .dictionary(var members) = old else { return new }
    for (name, value) in changes.entries {
      if case .null = value {
        members[name] = nil
        continue
      }
      if let known = members[name] {
        let id = UnsafeBufferPointer(rebasing: batch.arena.bytes[entry.id])
        try batch.mayReplace?(String(decoding: id, as: UTF8.self), name, known, value)
        members[name] = value.labeled(as: known)
      } else {
        members[name] = value
      }
    }
    return .dictionary(members)
  }
}

struct MadeTargets {
  /// The first entry of each record, with either its only change or its position in `targets`.
  private var made: [(entry: Int32, change: Int32, target: Int32)] = []
  private var targets: [WriteTarget] = []
  private var places = IDTable()
  fileprivate var isFirst: Bool?

  fileprivate func position(of id: UnsafeBufferPointer<UInt8>, _ batch: WriteBatch) -> Int? {
    places.find(id) { UnsafeBufferPointer(rebasing: batch.arena.bytes[batch.entries[Int(made[$0].entry)].id]) }
  }

  fileprivate func target(_ place: Int, _ batch: WriteBatch, _ changes: [Change]) -> WriteTarget {
    let one = made[place]
    guard one.target < 0 else { return targets[Int(one.target)] }
    var target = WriteTarget()
    target.follow(nil, with: changes[Int(one.change)], batch.entries[Int(one.entry)].type, wins: true)
    return target
  }

  /// - Parameters:
  ///   - place: the position of the record's earlier state, if any.
  ///   - change: the index of the only change of a new record.
  fileprivate mutating func insert(
    _ target: WriteTarget, at place: Int?, _ id: UnsafeBufferPointer<UInt8>, entry: Int, change: Int?
  ) {
    if let place, made[place].target >= 0 {
      targets[Int(made[place].target)] = target
      return
    }
    var one = (entry: Int32(entry), change: Int32(change ?? 0), target: Int32(-1))
    if change == nil {
      one.target = Int32(targets.count)
      targets.append(target)
    }
    if let place {
      one.entry = made[place].entry
      made[place] = one
    } else {
      places.add(id, made.count)
      made.append(one)
    }
  }
}

extension WritePlan {
  /// Processes the last entry of the batch, based on the state after all earlier entries.
  mutating func makeLast() throws -> WriteResult {
    let entry = batch.entries[batch.count - 1]
    let id = UnsafeBufferPointer(rebasing: batch.arena.bytes[entry.id])
    let known = made.position(of: id, batch)
    var target = try known.map { made.target($0, batch, builder.changes) } ?? newTarget(id)
    let before = builder.changes.count
    let result = try work(entry, id, &target)
    let isNew = known == nil && target.row == nil && target.made != nil && builder.changes.count == before + 1
    made.insert(target, at: known, id, entry: batch.count - 1, change: isNew ? before : nil)
    return result
  }

  private mutating func newTarget(_ id: UnsafeBufferPointer<UInt8>) throws -> WriteTarget {
    let isFirst = try made.isFirst ?? store.records.isEmpty()
    made.isFirst = isFirst
    return try isFirst ? WriteTarget() : target(id)
  }

  /// Returns the state of a record after the entries so far; nil if no entry changed the record.
  func made(
    _ id: [UInt8]
  ) -> (revision: RevisionID, isLive: Bool, type: String?, body: [UInt8]?, conflicts: [RevisionID])? {
    guard let place = id.withUnsafeBufferPointer({ [made, batch] in made.position(of: $0, batch) }) else { return nil }
    let target = made.target(place, batch, builder.changes)
    guard let change = target.made else { return nil }
    return (
      change.revision, target.isLive, target.madeType, change.body.map { Array(builder.bytes[$0]) }, target.conflicts
    )
  }
}

struct WriteTarget {
  let row: RecordRow?
  let leaves: [Leaf]
  /// The latest winning change to the record in this batch.
  var made: Change?
  var madeType: String?
  /// Changes in this batch that do not win. Each of them is a leaf revision.
  var others: [(change: Change, type: String?)] = []
  private(set) var ends: [Leaf]

  init(_ row: RecordRow? = nil, _ leaves: [Leaf] = []) { (self.row, self.leaves, ends) = (row, leaves, leaves) }

  var liveEnds: [Leaf] { ends.filter { $0.kind == .put } }
  private(set) var deletions: [(revision: RevisionID, type: String?)] = []

  mutating func end(with winner: Change, _ type: String?, _ deletions: [(revision: RevisionID, type: String?)]) {
    ends.removeAll { $0.kind == .put }
    (made, madeType, others) = (winner, type, [])
    self.deletions += deletions
  }

  /// The revisions in conflict with the change, best first.
  var conflicts: [RevisionID] {
    guard let row, row.conflict != .none, isLive else { return [] }
    return (ends.filter { $0.kind != .resolved }.map(\.revision) + others.map(\.change.revision)).sorted(by: >)
  }

  mutating func follow(_ parent: RevisionID?, with change: Change, _ type: String?, wins: Bool) {
    if let parent {
      ends.removeAll { $0.revision == parent }
      others.removeAll { $0.change.revision == parent }
    }
    if !isLive {
      ends.removeAll { $0.kind == .delete }
      deletions = []
    }
    guard wins else { return others.append((change, type)) }
    if let made, made.revision != parent, made.kind == .put { others.append((made, madeType)) }
    (made, madeType) = (change, type)
  }

  var isLive: Bool { made.map { $0.kind == .put } ?? (leaves.first?.kind == .put) }
  var winner: RevisionID? { made?.revision ?? leaves.first?.revision }
}
