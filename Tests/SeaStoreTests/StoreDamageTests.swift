import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A database file that is not what it was.
@Suite struct StoreDamageTests {
  private let scratch: ScratchFolder
  private var file: String { Path.join(scratch.path, Store.fileName) }

  init() throws {
    scratch = try ScratchFolder()
    try Store.create(folder: scratch.path, meta: [("n", .text("0"))])
  }

  private func overwrite(_ offset: Int64, _ bytes: [UInt8]) throws {
    let opened = try File(file, [.read, .write])
    try opened.seek(to: offset)
    try opened.write(bytes)
    try opened.close()
  }

  private func use() throws -> String? {
    let store = try Store(folder: scratch.path, access: .write, lockWait: 1, command: "test")
    defer { store.close() }
    try store.checkVersion()
    return try store.write { try store.metaText("n") }
  }

  @Test func aDatabaseOfAnotherVersionIsRefused() throws {
    try overwrite(60, [0, 0, 0, 99])
    #expect(throws: StoreError.newer(99)) { try use() }
    try overwrite(60, [0, 0, 0, 12])
    #expect(throws: StoreError.older(12)) { try use() }
  }

  /// Byte 47 of the file is the schema's format; a bit of the name of a table makes it another table.
  @Test func damageIsNotReportedAsDefect() throws {
    try overwrite(47, [0x44])
    #expect(throws: StoreError.damaged("unsupported file format")) { try use() }
    try overwrite(47, [4])
    #expect(try use() == "0")
    let schema = try #require(try File(file).readAll(limit: 1 << 20))
    let name = Array("CREATE TABLE meta(".utf8)
    let at = try #require((0..<schema.count - name.count).first { Array(schema[$0..<$0 + name.count]) == name })
    try overwrite(Int64(at) + 13, Array("m".utf8) + [0x71])
    #expect(throws: StoreError.self) { try use() }
    do { _ = try use() } catch StoreError.defect(let what) { Issue.record("called a defect: \(what)") } catch {}
  }

  @Test func foreignFileIsRefused() throws {
    try overwrite(60, [0, 0, 0, 0])
    #expect(throws: StoreError.damaged("no database of sea")) { try use() }
    try overwrite(0, Array("no database, but a text".utf8))
    do {
      _ = try use()
      Issue.record("accepted")
    } catch StoreError.damaged {}
  }

  @Test func anEmptyOrMissingFileIsRefused() throws {
    let opened = try File(file, [.write])
    try opened.truncate(to: 0)
    try opened.close()
    do {
      _ = try use()
      Issue.record("accepted")
    } catch is StoreError {}
    try Path.remove(file)
    do {
      _ = try use()
      Issue.record("accepted")
    } catch StoreError.missing(let path) { #expect(path == file) }
  }

  /// The journal that is used where memory cannot be shared.
  @Test func databaseWorksWithRollbackJournal() throws {
    // Bytes 18 and 19 say how the file is written: 2 with a write-ahead log, 1 without.
    try overwrite(18, [1, 1])
    for name in ["db-wal", "db-shm"] { try Path.remove(Path.join(scratch.path, name)) }
    let store = try Store(folder: scratch.path, access: .write, lockWait: 1, command: "test")
    try store.write { try store.setMeta("n", .text("1")) }
    store.close()
    let reader = try Store(folder: scratch.path, access: .read)
    #expect(try reader.metaText("n") == "1")
    reader.close()
    #expect(try Path.exists(file + "-wal") == false)
    // Kept from one transaction to the next.
    #expect(try Path.exists(file + "-journal"))
  }
}
