import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Tests/vectors/merge: the merge of a record's leaf revisions equals that of another program, byte for byte.
@Suite struct MergeVectorTests {
  static let vectors = Vector.all("merge")

  @Test func vectorFilesAreFound() { #expect(Self.vectors.count > 200) }

  @Test(arguments: vectors) func mergeMatchesVector(_ vector: Vector) throws {
    let scratch = try ScratchFolder()
    let settings = Database.Settings(access: .write)
    let place = try Database.create(in: scratch.path("one"), Database.Creation(), settings)
    let database = try Database(path: place.path, settings)
    defer { database.close() }
    var exchange = SyncResult()
    try database.exchange.pull(from: vector.container(database.databaseID), named: "c", into: &exchange)
    #expect(exchange.problems.isEmpty, "\(exchange.problems)")

    let row = try database.records.find("r")
    let live = try database.store.records.leaves(of: row).filter { $0.kind == .put }.map { "\($0.revision)" }
    #expect(live == words(vector["leaves"]))
    #expect(try shown(database, row) == Hex.bytes(vector["shown"]) ?? [])
    if vector["expect"] == "clash" {
      let clashes = try #require(try database.conflicts.conflict(of: row)).clashes.map(\.pointer)
      let wanted = try Value.json(#"{"clashes":\#(vector["clashes"])}"#).members?["clashes"]
      #expect(wanted == .array(clashes.sorted(by: UTF8Text.less).map { .string($0) }), "\(clashes)")
    }

    let merged = try database.conflicts.merge()
    let leaves = try database.store.records.leaves(of: database.records.find("r")).map { "\($0.revision)" }
    guard vector["expect"] == "merged" else {
      #expect(merged.isEmpty && leaves.starts(with: live))
      return
    }
    #expect(merged.map { "\($0.revision)" } == [vector["merged"]])
    #expect(leaves.first == vector["merged"])
    #expect(Set(leaves).isSuperset(of: words(vector["resolved"])))
    // More than 65 leaf revisions need more than one merge.
    #expect(try database.conflicts.merge().isEmpty == (live.count <= 65))
  }

  private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

  /// The visible content, with tags as a child revision would have them.
  private func shown(_ database: Database, _ row: RecordRow) throws -> [UInt8] {
    let view = try database.records.view(row)
    guard let body = view.body else { return [] }
    let value = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
    return value.inherited(from: view.revision.digest).encoding
  }
}
