import SeaCore
import SeaStore

/// The records of a database as people and programs meet them: found by their names, read as views of one revision,
/// selected by a query, and written in batches, each of which becomes one block.
package final class Records {
  let author: Author
  var store: Store { author.store }
  /// Whether somebody looks at what is about to be written.
  var isReviewed: () throws -> Bool = { false }
  /// Which records are named by what they say.
  package let matches = MatchIndexes()
  private var instance: UUID { author.folder.instance }

  package init(_ author: Author) { self.author = author }

  // MARK: - Reading

  /// A revision of a record, the winner unless another one is given. Of the winner counters and sets are shown as all live
  /// leaves say together.
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

  /// The winner of then, as it was shown.
  package func view(_ past: PastRecord) throws -> RecordView {
    guard let shown = past.winner else { throw KitError.recordNotFound(past.row.id) }
    var content = try store.records.change(of: shown)
    if past.row.live > 1, let body = content.body { content.body = try RecordGraph(store, past).shown(body) }
    let isContested = past.row.conflict != .none
    let others = isContested ? past.leaves.filter { $0.kind != .resolved }.dropFirst().map(\.revision) : []
    return RecordView(id: past.row.id, type: content.type, leaf: shown, body: content.body, conflicts: others)
  }

  /// What a name on a command line has found.
  package func view(_ found: Found) throws -> RecordView {
    try found.past.map { try view($0) } ?? view(found.row, found.leaf)
  }

  /// The winner of the record with this id; nil if there is none.
  package func view(_ id: String) throws -> RecordView? { try store.records.record(id).map { try view($0) } }

  /// How many are not deleted.
  package func count() throws -> Int { try types().reduce(0) { $0 + $1.count } }

  /// Records by rising id, until `body` returns false.
  package func forEach(_ filter: RecordFilter, _ body: (RecordView) throws -> Bool) throws {
    try store.snapshot { try store.records.forEachRecord(filter) { try body(view($0)) } }
  }

  /// Among the leaves that disagree, the one that this instance wrote last, and the others. What an undo has put back is
  /// that of who wrote it first.
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

  /// Writes a batch as one block, or nothing if any entry cannot be written.
  /// - Parameter fill: adds what depends on what is there, under the writer lock, in the transaction that writes it.
  /// - Throws: `stale`, `recordNotFound`, `transactionTooLarge`, and what the entries' own content throws.
  package func write(
    _ batch: WriteBatch, dryRun: Bool = false, filling fill: ((WriteBatch) throws -> Void)? = nil
  ) throws -> CommitResult {
    guard fill != nil || !batch.isEmpty else { return CommitResult() }
    if dryRun {
      return try store.snapshot {
        try fill?(batch)
        var plan = WritePlan(author, batch, try author.builder(label: batch.label))
        return try plan.make()
      }
    }
    return try author.write { transaction in
      try fill?(batch)
      return try write(batch, in: transaction)
    }
  }

  /// Writes several batches, each as one block, with one wait for the disk.
  ///
  /// If the content of one of them cannot be written, those before it are, and it throws: as if each had been written by itself.
  /// So they are where somebody looks at them first, who is to see each of them once.
  /// - Parameter done: called for each batch that is durable.
  package func write(_ batches: [WriteBatch], _ done: (WriteBatch, CommitResult) throws -> Void) throws {
    // A password that opens nothing is no fault of a batch: nobody is asked again for each.
    try author.keychain.prepare()
    var together: [CommitResult]?
    if try batches.count == 1 || !isReviewed() {
      do {
        together = try author.write { transaction in try batches.map { try write($0, in: transaction) } }
      } catch let failure as StoreError {
        // What the disk refused is not tried again, and who has waited for the lock does not wait twice.
        throw failure
      } catch  where batches.count == 1 {
        throw error
      } catch {}
    }
    for (k, batch) in batches.enumerated() { try done(batch, together?[k] ?? write(batch)) }
  }

  /// The same in a transaction of the author's.
  func write(_ batch: WriteBatch, in transaction: BlockTransaction) throws -> CommitResult {
    try KitError.fitting(batch.count) {
      var plan = WritePlan(author, batch, try transaction.builder(label: batch.label, capacity: batch.size))
      var result = try plan.make()
      guard !plan.builder.isEmpty else { return result }
      try noting((0..<batch.count).lazy.map { batch.id(of: $0) }) {
        result.block = try transaction.append(&plan.builder, label: batch.label)
      }
      // Who wants that ended while the rows were made wants it ended: none of them is durable yet.
      if batch.count > WritePlan.uninterrupted { try author.folder.settings.checkStopOfAll() }
      return result
    }
  }
}

extension Records {
  /// Runs what appends a block, and takes note of what that says of these records.
  func noting(_ ids: some Sequence<String>, _ append: () throws -> Void) throws {
    let last = matches.isEmpty ? nil : try store.blocks.lastSequence()
    try append()
    if let last { try matches.note(ids, behind: last, self) }
  }
}

/// A record and one revision of it.
package struct Found: Sendable {
  package var row: RecordRow
  package var leaf: Leaf
  /// Of a record that was named with a moment: what it was then.
  package var past: PastRecord?

  package init(row: RecordRow, leaf: Leaf) {
    self.row = row
    self.leaf = leaf
  }

  /// The winner of then.
  package init?(_ past: PastRecord) {
    guard let winner = past.winner else { return nil }
    self.init(row: past.row, leaf: winner)
    self.past = past
  }
}

/// What a batch did.
package struct CommitResult: Sendable {
  package struct Retyped: Sendable {
    /// The first of them.
    package var id: String
    package var old: String
    package var new: String
    package var count = 1
  }

  /// One for each entry, in its order.
  package var results: [WriteResult] = []
  /// The entries that were left out.
  package var faults: [EntryFault] = []
  /// The records that have another type now, by what they were and are; of so many pairs only.
  package var retyped: [Retyped] = []
  static let mostRetyped = 20
  /// Ids of records that refer to each other in a circle, so that not every reference is written before it is used.
  package var cycle: [String] = []
  /// Nil if nothing had to be written.
  package var block: BlockRef?
}

extension Records {
  /// What a record of a type gets when it is made.
  package func defaults(of type: String?) throws -> [(path: PropertyPath, value: Value)] {
    try type.map { try author.prototypes(of: $0).values(of: $0) } ?? []
  }
}

extension Records {
  /// Adds to a batch what makes a record say again what a revision of it said: all of it, or what stood at some paths.
  ///
  /// Counters and sets are changed to what they were, as who writes a record anew changes them.
  /// - Throws: `revisionDeleted`, `contentPurged`, `propertyNotFound` of a path that is neither here nor there.
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

  /// The revision upon which the winner of a record was written.
  package func previous(_ row: RecordRow) throws -> Found {
    Found(row: row, leaf: try revision("~1", of: row))
  }
}

// Records that are named by what they say: TYPE:PROP=VALUE.

extension Records {
  /// The live records of a type whose property has a value, at most two. Who asks once has all of them looked at; for who asks
  /// again it is remembered which record may have which value.
  /// - Parameter isChanged: whether a transaction that is not over has made something of a record: what it was is then passed over.
  func matching(_ match: RecordText.Match, isChanged: (String) -> Bool = { _ in false }) throws -> [RecordRow] {
    var rows: [RecordRow] = []
    guard try matches.isReady(for: match, self) else {
      var filter = RecordFilter()
      filter.type = match.type
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

  /// Whether the property of a revision has the value.
  func has(_ leaf: Leaf, _ match: RecordText.Match) throws -> Bool {
    try store.records.body(of: leaf).map { try match.holds(in: $0) } ?? false
  }

  /// What a record that is made has there: what was said, of the kind that all others have there if they have one, else a text.
  /// - Throws: `badValue` of what is none of that kind.
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

  /// A number with the digits that were written, if it can have them.
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
  /// Whether a record has the value.
  func holds(in body: [UInt8]) throws -> Bool {
    try body.withUnsafeBufferPointer { body in
      guard let range = try path.find(in: body) else { return false }
      let found = UnsafeBufferPointer(rebasing: body[range])
      var writer = ByteWriter()
      try JSONWriter.writePlain(value: found, into: &writer)
      return try writer.array().elementsEqual(value.utf8) || means(Value.decode(value: found).unlabelled)
    }
  }
}

/// What a text on a command line can name.
package enum Named: Sendable {
  case record(RecordRow)
  case revision(Found)
  case block(BlockRow)
  case instance(UUID)
}

extension Records {
  /// The one thing that a text names: a record before a block, a block before an instance, an instance before a
  /// revision, as `@` may stand in all of them.
  /// - Throws: `nothingNamed`, and what is wrong with a name whose first part is known.
  package func named(_ text: String, literal: Bool = false) throws -> Named {
    do {
      return .record(try find(text, literal: literal))
    } catch KitError.recordNotFound {
      if literal { throw KitError.nothingNamed(text) }
    }
    do { return .block(try block(named: text)) } catch KitError.instanceNotFound {} catch KitError.badSpec {}
    do { return .instance(try author.members.instance(named: text)) } catch KitError.instanceNotFound {}
    guard text.utf8.dropFirst().contains(UInt8(ascii: "@")) else { throw KitError.nothingNamed(text) }
    return .revision(try findRevision(text))
  }

  /// The block that `INSTANCE/INDEX` or `INSTANCE~DIGITS/INDEX` names: of the digits of a branch so many that no other one has them.
  package func block(named text: String) throws -> BlockRow {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")),
      let index = RevisionText.number(text[text.index(after: slash)...])
    else { throw KitError.badSpec(text) }
    // `~` may stand in an instance's name too, which no digits follow then.
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

  /// The block that a revision came with first.
  package func block(of leaf: Leaf) throws -> BlockRow? { try store.blocks.block(sequence: leaf.sequence) }

  /// A block as it is stored.
  package func bytes(of block: BlockRow) throws -> [UInt8] { try store.content.bytes(of: block) }
}

extension Named {
  /// The shortest form of a name, with at least so many digits, that still names nothing else.
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

  /// How many characters it takes to tell a text from others.
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
  /// Whether a name names nothing, or more than one thing.
  package var isAboutNames: Bool {
    switch self {
    case .recordNotFound, .ambiguousRecord, .revisionNotFound, .ambiguousRevision, .propertyNotFound,
      .instanceNotFound, .ambiguousInstance, .blockNotFound, .nothingNamed, .badSpec, .badName:
      true
    default: false
    }
  }
}

/// One revision of a record, with what it follows.
package struct HistoryRevision: Sendable {
  package var id: String
  package var revision: RevisionID
  package var type: String?
  package var parent: RevisionID?
  package var merged: [RevisionID]
  package var kind: RevisionKind
  package var body: [UInt8]?
  /// Its content was purged.
  package var isPurged: Bool
}

extension Records {
  /// All revisions of the records of a type, or of all, deleted ones too: by rising id, and of a record each behind those that it follows.
  package func forEachRevision(type: String?, _ visit: (HistoryRevision) throws -> Void) throws {
    var filter = RecordFilter()
    filter.type = type
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

/// Revisions that are taken in as they were made elsewhere, and become one block together.
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

  /// Takes in one revision.
  /// - Parameters:
  ///   - input: what its line says.
  ///   - body: the body that the line says.
  /// - Returns: whether it is new.
  /// - Throws: `otherRevision` if it is not what its line says it is.
  package func add(_ input: RecordInput, _ body: UnsafeBufferPointer<UInt8>) throws -> Bool {
    guard var id = input.id else { throw KitError.noID(isPatch: false) }
    guard let revision = input.rev else { throw KitError.badValue(id: id, path: "_rev", reason: .notText) }
    let kind: RevisionKind = input.isResolved ? .resolved : input.deleted ? .delete : .put
    let name = id
    func bad() -> KitError { .otherRevision(id: name, revision) }
    guard input.merged.count <= Change.mostMerged, input.parent?.depth ?? 0 < .max,
      kind != .put || !input.needsState || input.stored != nil
    else { throw bad() }
    // It is read as what comes from elsewhere is: nothing else would tell a block that nobody can read.
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
      // Who reads the line, or has changed it, goes by its JSON.
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
  /// How many revisions wait for what came before them.
  package func countWaiting() throws -> Int { try store.records.countWaiting() }

  /// Takes in revisions as one block, or none of them.
  package func takeHistory(label: String, dryRun: Bool, _ body: (HistoryTransaction) throws -> Void) throws {
    func run(_ transaction: BlockTransaction?) throws {
      let open = try HistoryTransaction(self, label: label)
      try body(open)
      if let transaction { try open.commit(in: transaction) }
    }
    return try dryRun ? store.snapshot { try run(nil) } : author.write(run)
  }
}
