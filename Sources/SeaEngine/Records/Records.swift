import SeaCore
import SeaStore

/// Finds records by name, reads them as `RecordView`, and writes them in batches.
package final class Records {
  let author: Author
  var store: Store { author.store }
  package let matches = MatchIndexes()
  private var instance: UUID { author.folder.instance }

  package init(_ author: Author) { self.author = author }

  // MARK: - Reading

  /// Returns a revision of a record, by default the winner. The winner's counters and sets include all leaf revisions.
  package func view(_ row: RecordRow, _ leaf: Leaf? = nil) throws -> RecordView {
    let isContested = row.conflict != .none
    let leaves = leaf == nil || isContested ? try store.records.leaves(of: row) : []
    guard let shown = leaf ?? leaves.first else { throw KitError.recordNotFound(row.id) }
    var content = try store.records.change(of: shown)
    if row.live > 1, let body = content.body, shown.revision == leaves.first?.revision {
      content.body = try RecordGraph(store, row, leaves).shown(body)
    }
    let others = isContested ? leaves.filter { $0.kind != .resolved }.dropFirst().map { $0.revision } : []
    return RecordView(id: row.id, type: content.type, leaf: shown, body: content.body, conflicts: others)
  }

  /// Returns the winner at a past point in time, as readers saw it at the time.
  package func view(_ past: PastRecord) throws -> RecordView {
    guard let shown = past.winner else { throw KitError.recordNotFound(past.row.id) }
    var content = try store.records.change(of: shown)
    if past.row.live > 1, let body = content.body { content.body = try RecordGraph(store, past).shown(body) }
    let isContested = past.row.conflict != .none
    let others = isContested ? past.leaves.filter { $0.kind != .resolved }.dropFirst().map(\.revision) : []
    return RecordView(id: past.row.id, type: content.type, leaf: shown, body: content.body, conflicts: others)
  }

  package func view(_ found: Found) throws -> RecordView {
    try found.past.map { try view($0) } ?? view(found.row, found.leaf)
  }

  /// Returns nil if the record does not exist.
  package func view(_ id: String) throws -> RecordView? { try store.records.record(id).map { try view($0) } }

  /// Returns the number of records that are not deleted.
  package func count() throws -> Int { try types().reduce(0) { $0 + $1.count } }

  /// Calls `body` with records in ascending order of IDs, until `body` returns false.
  package func forEach(_ filter: RecordFilter, _ body: (RecordView) throws -> Bool) throws {
    try store.snapshot { try store.records.forEachRecord(filter) { try body(view($0)) } }
  }

  /// Returns the conflicting revision that this instance wrote last, and the others. Undoing a merge does not change
  /// the author.
  package func sides(of row: RecordRow) throws -> (ours: Leaf?, theirs: [Leaf]) {
    let graph = try RecordGraph(store, row)
    let all = graph.contenders
    var ours: (leaf: Leaf, index: UInt32)?
    for leaf in all {
      let source = try graph.source(of: leaf)
      guard let block = try store.blocks.block(sequence: source.sequence), block.instance == instance else { continue }
      if ours.map({ $0.index < block.index }) ?? true { ours = (leaf, block.index) }
    }
    return (ours?.leaf, all.filter { $0.revision != ours?.leaf.revision })
  }

  // MARK: - Writing

  /// Writes a batch as one block. If any entry cannot be written, writes nothing.
  /// - Parameter fill: adds entries that depend on the current state, under the writer lock in the same transaction.
  /// - Throws: `stale`, `recordNotFound`, `transactionTooLarge`, and errors from the content of the entries.
  package func write(
    _ batch: WriteBatch, dryRun: Bool = false, filling fill: ((WriteBatch) throws -> Void)? = nil
  ) throws -> CommitResult {
    guard fill != nil || !batch.isEmpty else { return CommitResult() }
    if dryRun {
      return try store.snapshot {
        try fill?(batch)
        func builder() throws -> BlockBuilder { try author.builder(label: batch.label) }
        var plan = WritePlan(author, batch, try builder())
        return try plan.makeChecked(builder)
      }
    }
    return try author.write { transaction in
      try fill?(batch)
      return try write(batch, in: transaction)
    }
  }

  /// Writes several batches, each as one block, and waits for the disk only once.
  ///
  /// If a batch cannot be written, the earlier batches are still written. With a reviewer, every batch is written
  /// separately, because the reviewer must see each batch exactly once.
  /// - Parameter done: called for each batch after it is durable.
  package func write(_ batches: [WriteBatch], _ done: (WriteBatch, CommitResult) throws -> Void) throws {
    // A wrong password affects all batches, so prompt for the password before the first batch.
    try author.keychain.prepare()
    var together: [CommitResult]?
    if try batches.count == 1 || !(author.reviewer?.isWanted() ?? false) {
      do {
        together = try author.write { transaction in try batches.map { try write($0, in: transaction) } }
      } catch let failure as StoreError {
        // Do not retry after a disk error or after a failed wait for the lock.
        throw failure
      } catch  where batches.count == 1 {
        throw error
      } catch {}
    }
    for (k, batch) in batches.enumerated() { try done(batch, together?[k] ?? write(batch)) }
  }

  func write(_ batch: WriteBatch, in transaction: BlockTransaction) throws -> CommitResult {
    try KitError.fitting(batch.count) {
      func builder() throws -> BlockBuilder {
        try transaction.builder(label: batch.label, capacity: batch.size)
      }
      var plan = WritePlan(author, batch, try builder())
      var result = try plan.makeChecked(builder)
      guard !plan.builder.isEmpty else { return result }
      try noting((0..<batch.count).lazy.map { batch.id(of: $0) }) {
        result.block = try transaction.append(&plan.builder, label: batch.label)
      }
      // Nothing has been written yet, so a large batch can still be canceled.
      if batch.count > WritePlan.uninterrupted { try author.folder.settings.checkStopOfAll() }
      return result
    }
  }
}

extension Records {
  /// Runs `append`, and then adds the changed records to the indexes.
  func noting(_ ids: some Sequence<String>, _ append: () throws -> Void) throws {
    let last = matches.isEmpty ? nil : try store.blocks.lastSequence()
    try append()
    if let last { try matches.add(ids, behind: last, self) }
  }
}

package struct Found: Sendable {
  package var row: RecordRow
  package var leaf: Leaf
  /// The past state of the record, if the name included a point in time.
  package var past: PastRecord?

  package init(row: RecordRow, leaf: Leaf) {
    self.row = row
    self.leaf = leaf
  }

  package init?(_ past: PastRecord) {
    guard let winner = past.winner else { return nil }
    self.init(row: past.row, leaf: winner)
    self.past = past
  }
}

package struct CommitResult: Sendable {
  package struct Retyped: Sendable {
    package var id: String
    package var old: String
    package var new: String
    package var count = 1
  }

  package var results: [WriteResult] = []
  package var faults: [EntryFault] = []
  /// How many records changed from one type to another, for the first `mostRetyped` pairs of types.
  package var retyped: [Retyped] = []
  static let mostRetyped = 20
  /// The IDs of records whose references form a cycle, so that some records come before records that they refer to.
  package var cycle: [String] = []
  /// Nil if nothing was written.
  package var block: BlockRef?
}

extension Records {
  package func defaults(of type: String?) throws -> [(path: PropertyPath, value: Value)] {
    try type.map { try author.prototypes(of: $0).values(of: $0) } ?? []
  }
}

extension Records {
  /// Adds a change that restores the content of a revision or, if paths are given, only the values at these paths.
  /// - Throws: `revisionDeleted`, `contentPurged`, and `propertyNotFound` for a path that neither revision has.
  package func addRevert(
    to found: Found, _ paths: [PropertyPath], _ precondition: Precondition, in batch: WriteBatch
  ) throws {
    let id = found.row.id
    if found.leaf.isPurged { throw KitError.contentPurged(id: id, found.leaf.revision) }
    let view = try view(found)
    guard found.leaf.kind == .put, let body = view.body else {
      throw KitError.revisionDeleted(id: id, found.leaf.revision)
    }
    let then = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }.draft
    if paths.isEmpty {
      try batch.addEdit(id, type: view.type, precondition, mustExist: false) { _ in then }
      return
    }
    try batch.addEdit(id, type: nil, precondition, mustExist: true) { now in
      var record = now ?? .empty
      for path in paths {
        if let value = then[path] {
          try record.set(value, at: path)
        } else if record[path] != nil {
          record.remove(at: path)
        } else {
          throw KitError.propertyNotFound(id: id, path: path.description)
        }
      }
      return record
    }
  }

  package func previous(_ row: RecordRow) throws -> Found {
    Found(row: row, leaf: try revision("~1", of: row))
  }
}

extension Records {
  /// Returns up to two records of a type whose property has a value. Only the first search reads all records.
  /// - Parameter isChanged: returns whether an open transaction has changed a record. Such records are skipped.
  func matching(_ match: RecordText.Match, isChanged: (String) -> Bool = { _ in false }) throws -> [RecordRow] {
    var rows: [RecordRow] = []
    guard try matches.isReady(for: match, self) else {
      let filter = RecordFilter(type: match.type)
      try store.records.forEachRecord(filter) { row in
        if !isChanged(row.id), let leaf = try store.records.winner(of: row), try has(leaf, match) { rows.append(row) }
        return rows.count < 2
      }
      return rows
    }
    var gone: Set<Int64> = []
    for key in matches.candidates(match) {
      let row = try store.records.record(key: key)
      if let row, isChanged(row.id) { continue }
      guard let row, !row.isDeleted, let type = row.type, UTF8Text.equal(type, match.type),
        let leaf = try store.records.winner(of: row), try has(leaf, match)
      else {
        gone.insert(key)
        continue
      }
      rows.append(row)
      if rows.count == 2 { break }
    }
    if !gone.isEmpty { matches.remove(gone, match) }
    return rows.sorted { UTF8Text.less($0.id, $1.id) }
  }

  func has(_ leaf: Leaf, _ match: RecordText.Match) throws -> Bool {
    try store.records.body(of: leaf).map { try match.holds(in: $0) } ?? false
  }

  /// Returns the property's value for a new record. It has the kind that all other records use; if they differ, it is a
  /// string.
  /// - Throws: `badValue` if the text cannot be a value of that kind.
  package func value(of match: RecordText.Match) throws -> Value {
    if let json = match.json { return json }
    var kinds: Set<PropertyKind> = []
    try store.records.shapes.forEachKey { _, shape in
      guard let type = shape.type, UTF8Text.equal(type, match.type), match.path.names.count == 1 else { return }
      for one in shape.properties where UTF8Text.equal(one.name, match.path.names[0]) { kinds.insert(one.kind) }
    }
    guard kinds.count == 1, let kind = kinds.first, kind != .text else { return .string(match.value) }
    guard let value = try number(match, kind) ?? match.other(kind) else {
      throw KitError.badValue(id: match.type, path: match.path.description, reason: .otherKind)
    }
    return value
  }

  private func number(_ match: RecordText.Match, _ kind: PropertyKind) throws -> Value? {
    guard kind == .number else { return nil }
    for text in [match.value, "{\"$int\":\"\(match.value)\"}", "{\"$decimal\":\"\(match.value)\"}"] {
      guard let value = try? Value.json(text), let printed = try? value.plain(),
        UTF8Text.equal(printed, match.value)
      else { continue }
      return value
    }
    return match.number
  }
}

extension RecordText.Match {
  func holds(in body: [UInt8]) throws -> Bool {
    try body.withUnsafeBufferPointer { body in
      guard let range = try path.find(in: body) else { return false }
      let found = UnsafeBufferPointer(rebasing: body[range])
      var writer = ByteWriter()
      try JSONWriter.writePlain(value: found, into: &writer)
      return try writer.array().elementsEqual(value.utf8) || means(Value.decode(value: found).unlabeled)
    }
  }
}

package enum Named: Sendable {
  case record(RecordRow)
  case revision(Found)
  case block(BlockRow)
  case instance(UUID)
}

extension Records {
  /// Finds the object that a string names. Tries records, blocks, instances and revisions in this order, because all of
  /// their names may contain `@`.
  /// - Throws: `nothingNamed`, and the errors of a name whose first part exists.
  package func named(_ text: String, literal: Bool = false) throws -> Named {
    do {
      return .record(try find(text, literal: literal))
    } catch KitError.recordNotFound {
      if literal { throw KitError.nothingNamed(text) }
    }
    do { return .block(try block(named: text)) } catch KitError.instanceNotFound {} catch KitError
      .invalidRevisionSpecifier
    {}
    do { return .instance(try author.members.instance(named: text)) } catch KitError.instanceNotFound {}
    guard text.utf8.dropFirst().contains(UInt8(ascii: "@")) else { throw KitError.nothingNamed(text) }
    return .revision(try findRevision(text))
  }

  /// Returns the block that `INSTANCE/INDEX` or `INSTANCE~DIGITS/INDEX` names. The digits must match only one branch.
  package func block(named text: String) throws -> BlockRow {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")),
      let index = RevisionText.number(text[text.index(after: slash)...])
    else { throw KitError.invalidRevisionSpecifier(text) }
    // An instance's name may also contain `~`, but not followed by digits.
    var name = text[..<slash]
    var digits: String?
    if let tilde = name.utf8.lastIndex(of: UInt8(ascii: "~")), ForkID.isBeginning(name[name.index(after: tilde)...]) {
      digits = String(name[name.index(after: tilde)...])
      name = name[..<tilde]
    }
    let instance = try author.members.instance(named: String(name))
    var branch = BranchID(instance)
    if let digits {
      let named = try store.branches.siblings(of: instance).filter {
        $0.id.fork?.description.hasPrefix(digits) ?? false
      }
      guard named.count == 1 else { throw KitError.blockNotFound(text) }
      branch = named[0].id
    }
    guard let row = try store.blocks.block(branch, index) else { throw KitError.blockNotFound(text) }
    return row
  }

  /// Returns the block in which a revision first arrived.
  package func block(of leaf: Leaf) throws -> BlockRow? { try store.blocks.block(sequence: leaf.sequence) }

  package func bytes(of block: BlockRow) throws -> [UInt8] { try store.content.bytes(of: block) }
}

extension Named {
  /// Returns the shortest unambiguous name with at least `digits` digits.
  package func abbreviated(in records: Records, digits: Int) throws -> String {
    switch self {
    case .record(let row):
      guard UUID(row.id) != nil else { return row.id }
      var count = max(digits, RevisionText.leastDigits)
      while count < 36, try records.store.records.ids(prefix: String(row.id.prefix(count)), limit: 2).count > 1 {
        count += 1
      }
      return String(row.id.prefix(count))
    case .revision(let found):
      let (revision, digest) = (found.leaf.revision, found.leaf.revision.digest.description)
      let others = try records.store.records.revisions(of: found.row).map(\.revision).filter {
        $0.depth == revision.depth
      }
      return revision.short(Named.enough(digest, digits, among: others.map(\.digest.description)))
    case .block(let row): return try abbreviated(row.instance, digits, in: records) + row.tail
    case .instance(let instance): return try abbreviated(instance, digits, in: records)
    }
  }

  private func abbreviated(_ instance: UUID, _ digits: Int, in records: Records) throws -> String {
    let text = instance.description
    return String(
      text.prefix(Named.enough(text, digits, among: try records.store.branches.chains().map(\.instance.description))))
  }

  private static func enough(_ text: String, _ digits: Int, among all: [String]) -> Int {
    var count = max(digits, RevisionText.leastDigits)
    let others = all.filter { $0 != text }
    while count < text.utf8.count, others.contains(where: { $0.utf8.starts(with: text.utf8.prefix(count)) }) {
      count += 1
    }
    return min(count, text.utf8.count)
  }
}

extension KitError {
  /// Whether the error is about an unknown, ambiguous or invalid name.
  package var isAboutNames: Bool {
    switch self {
    case .recordNotFound, .ambiguousRecord, .revisionNotFound, .ambiguousRevision, .propertyNotFound,
      .instanceNotFound, .ambiguousInstance, .blockNotFound, .nothingNamed, .invalidRevisionSpecifier, .badName:
      true
    default: false
    }
  }
}

package struct HistoryRevision: Sendable {
  package var id: String
  package var revision: RevisionID
  package var type: String?
  package var parent: RevisionID?
  package var merged: [RevisionID]
  package var kind: RevisionKind
  package var body: [UInt8]?
  package var isPurged: Bool

  /// Writes a JSON object with all that is needed to compute the id of the revision.
  package func writeJSON(into writer: inout ByteWriter) throws {
    var extra: [(name: String, value: Value)] = []
    if let parent { extra.append(("_revParent", .string(parent.description))) }
    if !merged.isEmpty { extra.append(("_merged", .array(merged.map { .string($0.description) }))) }
    if kind == .resolved { extra.append(("_resolved", .bool(true))) }
    func write(_ body: UnsafeBufferPointer<UInt8>?) throws {
      // The JSON of counters and sets shows only their values, but the revision id depends on their complete state.
      if let body, StoredValue.mayHaveStates(body), try Value.decode(body: body).holdsStates {
        var text = ByteWriter()
        Base64.write(body, into: &text)
        extra.append(("_body", .string(String(decoding: text.bytes, as: UTF8.self))))
      }
      try JSONWriter.writeRecord(
        id: id, type: type, rev: revision, deleted: kind == .delete, extra: extra, body: body, into: &writer)
    }
    if let body { try body.withUnsafeBufferPointer(write) } else { try write(nil) }
  }
}

extension Records {
  /// Calls `visit` with all revisions, even of deleted records, in ascending order of IDs and with ancestors first.
  package func forEachRevision(types: [String], _ visit: (HistoryRevision) throws -> Void) throws {
    var filter = RecordFilter()
    filter.types = types
    filter.withDeleted = true
    try store.records.forEachRecord(filter) { row in
      for leaf in try store.records.revisions(of: row).sorted(by: { $0.revision < $1.revision }) {
        let content = try store.records.change(of: leaf)
        try visit(
          HistoryRevision(
            id: row.id, revision: leaf.revision, type: content.type, parent: content.parent, merged: content.merged,
            kind: content.kind, body: content.body, isPurged: leaf.isPurged))
      }
      return true
    }
  }
}

/// A transaction that imports revisions unchanged in a single block.
package final class HistoryTransaction {
  private let records: Records
  private let label: String
  private var builder: BlockBuilder
  private var made: Set<Key> = []

  private struct Key: Hashable {
    let id: [UInt8]
    let revision: RevisionID
  }

  fileprivate init(_ records: Records, label: String) throws {
    self.records = records
    self.label = label
    builder = try records.author.builder(label: label)
  }

  /// - Parameters:
  ///   - input: the parsed JSON line of the revision.
  ///   - body: the body in the line.
  /// - Returns: whether the revision is new.
  /// - Throws: `otherRevision` if the content does not match the revision given in the line.
  package func add(_ input: RecordInput, _ body: UnsafeBufferPointer<UInt8>) throws -> Bool {
    guard var id = input.id else { throw KitError.noID(isPatch: false) }
    guard let revision = input.rev else { throw KitError.badValue(id: id, path: "_rev", reason: .notText) }
    let kind: RevisionKind = input.isResolved ? .resolved : input.deleted ? .delete : .put
    let name = id
    func bad() -> KitError { .otherRevision(id: name, revision) }
    guard input.merged.count <= Change.mostMerged, input.parent?.depth ?? 0 < .max,
      kind != .put || !input.needsState || input.stored != nil
    else { throw bad() }
    // Decode the change as a receiver would, because nothing else would detect a block that no instance can read.
    var writer = ByteWriter()
    writer.cborArray(6)
    var type = input.type ?? ""
    let written = id.withUTF8 { id in
      type.withUTF8 { type in
        (input.stored ?? []).withUnsafeBufferPointer { stored in
          Change.write(
            into: &writer, id: id, type: input.type == nil ? nil : type, parent: input.parent, merged: input.merged,
            kind: kind, body: kind != .put ? nil : input.stored == nil ? body : stored, hasReferences: false)
        }
      }
    }
    guard writer.count < BlockHeader.largestBlock else { throw KitError.transactionTooLarge(records: 1) }
    var cursor = CBORCursor(writer.bytes)
    guard written.revision == revision, (try? cursor.count(4, least: 1)) == 6, let change = try? Change(&cursor),
      cursor.atEnd, change.revision == revision
    else { throw bad() }
    if kind == .put, let stored = input.stored {
      // People read and edit the JSON in the line, so it must match the stored body.
      guard let said = try? stored.withUnsafeBufferPointer({ try Value.decode(body: $0) }),
        let shown = try? Value.decodeDraft(body), said.draft == shown
      else { throw bad() }
    }
    let key = Key(id: Array(id.utf8), revision: revision)
    if made.contains(key) { return false }
    if let row = try records.store.records.record(id), try records.store.records.revision(revision, of: row) != nil {
      return false
    }
    let bytes = writer.bytes
    _ = try KitError.fitting(made.count + 1) {
      try builder.add(
        id: UnsafeBufferPointer(rebasing: bytes[change.id]),
        type: change.type.map { UnsafeBufferPointer(rebasing: bytes[$0]) }, parent: change.parent, merged: input.merged,
        kind: kind, body: change.body.map { UnsafeBufferPointer(rebasing: bytes[$0]) },
        hasReferences: change.hasReferences)
    }
    made.insert(key)
    return true
  }

  fileprivate func commit(in transaction: BlockTransaction) throws {
    if builder.isEmpty { return }
    _ = try KitError.fitting(made.count) { try transaction.append(&builder, label: label) }
  }
}

extension Records {
  package func countWaiting() throws -> Int { try store.records.countWaiting() }

  /// Imports all revisions in a single block, or imports nothing.
  package func importHistory(label: String, dryRun: Bool, _ body: (HistoryTransaction) throws -> Void) throws {
    func run(_ transaction: BlockTransaction?) throws {
      let open = try HistoryTransaction(self, label: label)
      try body(open)
      if let transaction { try open.commit(in: transaction) }
    }
    return try dryRun ? store.snapshot { try run(nil) } : author.write(run)
  }
}
