import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Damaged or malicious SQLite files: reading them ends with an error or with their content.
@Suite struct ForeignDamageTests {
  private let maker: ForeignMaker
  private let page = 512

  init() throws { maker = try ForeignMaker() }

  /// A table with several levels.
  private func deep(_ form: String = "") throws -> String {
    try maker.made(
      "PRAGMA page_size=\(page); CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)\(form)",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
        + " INSERT INTO t SELECT i, 'row ' || i FROM n")
  }

  /// All children of all interior pages point to the page itself, its sibling, or the same leaf.
  @Test(arguments: ["", " WITHOUT ROWID"], [true, false]) func readingCyclicPagesTerminates(
    form: String, toItself: Bool
  )
    throws
  {
    let file = try deep(form)
    #expect(try maker.read(file).count == 20000)
    try maker.edit(file) { bytes in
      for start in stride(from: page, to: bytes.count, by: page) where bytes[start] == 0x05 || bytes[start] == 0x02 {
        let target = toItself ? start / page + 1 : 3
        func point(_ at: Int) { for k in 0..<4 { bytes[at + k] = UInt8(truncatingIfNeeded: target >> (24 - 8 * k)) } }
        point(start + 8)
        for cell in 0..<(Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])) {
          let at = start + 12 + 2 * cell
          point(start + (Int(bytes[at]) << 8 | Int(bytes[at + 1])))
        }
      }
    }
    // Keys that are not numbers are not compared; then there are no more rows than the file can have.
    if !toItself, !form.isEmpty {
      #expect(try maker.read(file).count < 20000)
    } else {
      #expect(throws: ForeignFault.self) { _ = try maker.read(file).count }
    }
  }

  /// The same leaf repeated: a few kilobytes that claim a million rows.
  @Test func endlessRowsAreRefused() throws {
    let file = try deep()
    try maker.edit(file) { bytes in
      for start in stride(from: page, to: bytes.count, by: page) where bytes[start] == 0x05 {
        let cells = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        let places = (0..<cells).map {
          start + (Int(bytes[start + 12 + 2 * $0]) << 8 | Int(bytes[start + 13 + 2 * $0]))
        }
        let first = Array(bytes[places[0]..<places[0] + 4])
        for place in places + [start + 8] { bytes.replaceSubrange(place..<place + 4, with: first) }
      }
      bytes.removeLast(bytes.count / page * page / 2)
      let pages = bytes.count / page
      for k in 0..<4 { bytes[28 + k] = UInt8(truncatingIfNeeded: pages >> (24 - 8 * k)) }
    }
    #expect(throws: ForeignFault.self) { try maker.read(file) }
  }

  /// Tables that share their rows: together they claim more than the file has.
  @Test func tablesSharingRowsAreRefused() throws {
    let file = try maker.made(
      "CREATE TABLE t0(a); INSERT INTO t0 VALUES(hex(zeroblob(50000))); PRAGMA writable_schema=ON;"
        + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) INSERT INTO sqlite_schema"
        + " SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || '(a)' FROM n")
    #expect(throws: ForeignFault.self) {
      let foreign = try ForeignFiles.open(file)
      for table in foreign.tables { _ = try maker.rows(foreign, table.name) }
    }
  }

  @Test func truncatedOrMissingFileIsRefused() throws {
    let file = try deep()
    let whole = try maker.bytes(file)
    for size in [0, 15, 16, 99] {
      try maker.edit(file) { $0 = Array(whole[..<size]) }
      #expect(throws: ForeignFault.notSQLite) { try ForeignFiles.open(file) }
    }
    for size in [100, page - 1, page, page + 1, 10 * page, whole.count - page] {
      try maker.edit(file) { $0 = Array(whole[..<size]) }
      #expect(throws: ForeignFault.self, "\(size) bytes") { try maker.read(file) }
    }
    #expect(throws: ForeignFault.notSQLite) { try ForeignFiles.open("/dev/null") }
    #expect(throws: SystemError.self) { try ForeignFiles.open(maker.path("nothing")) }
    #expect(try !ForeignFiles.isSQLite(maker.path("nothing")))
  }

  /// A schema that does not match its content.
  @Test(arguments: [
    "CREATE VIEW t0 AS SELECT randomblob(1000000000) AS a", "CREATE VIRTUAL TABLE t0 USING fts5(a)",
    "CREATE TABLE t0(a COLLATE nobody, PRIMARY KEY(a)) WITHOUT ROWID", "CREATE TABLE t0(", "SELECT 1",
  ]) func mismatchedSchemaIsRefused(sql: String) throws {
    let file = try maker.made(
      "CREATE TABLE t0(a); INSERT INTO t0 VALUES(1); PRAGMA writable_schema=ON;"
        + "UPDATE sqlite_schema SET sql = '\(sql)'")
    #expect(throws: ForeignFault.self) { try maker.read(file) }
  }

  /// Generated columns are not evaluated, and texts that are not Unicode are reported.
  @Test func invalidUnicodeIsRefused() throws {
    let file = try maker.made(
      "CREATE TABLE t(a, b AS (hex(zeroblob(a || '0'))));"
        + "INSERT INTO t(a) VALUES(CAST(x'61ff' AS TEXT))")
    #expect(throws: ForeignFault.badText) { try maker.read(file) }
    for bad in ["CREATE TABLE \"t\u{1}\u{2}\"(a)", "CREATE TABLE t(\"\u{1}\u{2}\")"] {
      let file = try maker.made(bad, name: "n.db")
      try maker.edit(file) { $0.replace([1, 2], with: [0xC3, 0x28]) }
      #expect(throws: ForeignFault.badName) { try ForeignFiles.open(file) }
      try AtomicFile.write(file, [], replace: true)
    }
  }

  /// Some random bytes of a file are changed: reading it ends and does not change it.
  @Test(arguments: TestSeed.some(60)) func readingDamagedFileLeavesFileUnchanged(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let file = try maker.made(
      "PRAGMA page_size=512; CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b BLOB);"
        + "CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; CREATE INDEX i ON t(a);"
        + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
        + "INSERT INTO t SELECT i, 'row ' || i, zeroblob(i * 7 % 900) FROM n; INSERT INTO w SELECT a, b FROM t")
    try maker.edit(file) { bytes in
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let isHead = Bool.random(using: &random)
        let start = isHead ? Int.random(in: 0..<bytes.count / page, using: &random) * page : 0
        let place = start + Int.random(in: 16..<(isHead ? 40 : bytes.count), using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
    }
    let before = try maker.bytes(file)
    do {
      let foreign = try ForeignFiles.open(file)
      for table in foreign.tables { _ = try maker.rows(foreign, table.name) }
    } catch is ForeignFault {}
    #expect(try maker.bytes(file) == before)
    #expect(try maker.names().subtracting(["a.db-journal", "a.db-wal"]) == ["a.db"])
  }
}
