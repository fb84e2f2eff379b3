import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport

/// Several instances of one database that exchange blocks through a container in memory on request.
final class TestGroup {
  let instances: [Database]
  private let scratch: ScratchFolder
  private let container = MemoryContainer()

  init(_ count: Int = 2) throws {
    scratch = try ScratchFolder(inMemory: true)
    var made: [Database] = []
    for k in 0..<count {
      var creation = Database.Creation()
      creation.name = "i\(k)"
      creation.database = try made.first?.databaseID ?? UUID.random()
      var settings = Database.Settings(access: .write)
      settings.clock = { 1_700_000_000_000 + Int64(k) }
      let place = try Database.create(in: scratch.path("\(k)"), creation, settings)
      made.append(try Database(path: place.path, settings))
    }
    instances = made
    try container.create(ContainerInfo(container: .random(), database: made[0].databaseID, contentType: "test"))
  }

  deinit { for one in instances { one.close() } }

  subscript(_ k: Int) -> Database { instances[k] }

  /// Exchanges until each of the given instances, or all, knows the same.
  /// - Parameter merging: whether they merge automatically, as in a sync.
  func exchange(_ some: [Int]? = nil, merging: Bool = false) throws {
    for _ in 0..<(merging ? 4 : 2) {
      for k in some ?? Array(instances.indices) {
        var exchange = SyncResult()
        try instances[k].exchange.pull(from: container, named: "c", into: &exchange)
        if merging { _ = try instances[k].conflicts.merge() }
        try instances[k].exchange.push(to: container, named: "c", into: &exchange)
        precondition(exchange.problems.isEmpty, "\(exchange.problems)")
      }
    }
  }

  /// All blocks that the first instance knows, by chain.
  func chains() throws -> [[[UInt8]]] {
    try instances[0].store.branches.chains().map { chain in
      var blocks: [[UInt8]] = []
      try instances[0].store.blocks.forEachBlock(of: BranchID(chain.instance), from: 0) { _, bytes in
        blocks.append(bytes)
        return true
      }
      return blocks
    }
  }
}

extension Database {
  /// Writes a record given as JSON; `upon` is its parent revision, by default the winner.
  @discardableResult
  func put(_ json: String, upon revision: RevisionID? = nil) throws -> RevisionID {
    let batch = WriteBatch(label: "put")
    var options = WriteBatch.Options()
    if let revision { options.precondition = .revision(revision.description) }
    try batch.add(json, options)
    return try records.write(batch).results[0].revision
  }

  @discardableResult
  func delete(_ id: String) throws -> RevisionID {
    let batch = WriteBatch(label: "delete")
    batch.addDeletion(id, .none)
    return try records.write(batch).results[0].revision
  }

  func conflict(_ id: String) throws -> Conflict? { try conflicts.conflict(of: records.find(id)) }

  /// The winner as JSON without its revision; nil for a deleted record.
  func json(_ id: String) throws -> String? {
    let row = try records.find(id)
    guard let leaf = try store.records.winner(of: row) else { return nil }
    return try store.content(of: leaf).body?.json()
  }

  /// Every revision and its block.
  func authorText() throws -> [String] {
    var lines: [String] = []
    var filter = RecordFilter()
    filter.withDeleted = true
    try store.records.forEachRecord(filter) { row in
      for one in try store.records.revisions(of: row) {
        let block = try store.blocks.block(sequence: one.sequence)
        lines.append("\(row.id) \(one.revision) \(block.map { "\($0.lamport) \($0.instance) \($0.index)" } ?? "-")")
      }
      return true
    }
    return lines
  }
}
