import SeaCore
import SeaStore

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

  fileprivate func commit() throws {
    if builder.isEmpty { return }
    _ = try KitError.fitting(made.count) { try records.author.append(&builder, label: label) }
  }
}

extension Records {
  /// How many revisions wait for what came before them.
  package func countWaiting() throws -> Int { try store.records.countWaiting() }

  /// Takes in revisions as one block, or none of them.
  package func takeHistory(label: String, dryRun: Bool, _ body: (HistoryTransaction) throws -> Void) throws {
    func run() throws {
      let open = try HistoryTransaction(self, label: label)
      try body(open)
      if !dryRun { try open.commit() }
    }
    return try dryRun ? store.snapshot(run) : author.write(run)
  }
}
