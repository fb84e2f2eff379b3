import CSQLite
import Glibc
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// SQLite files of other programs: an intact file is read unchanged, and a damaged or malicious one gives an error.
@Suite struct ForeignFileTests {
  private let maker: ForeignMaker

  init() throws { maker = try ForeignMaker() }

  // MARK: - Intact files

  @Test func cellsKeepTypesAndValues() throws {
    let file = try maker.made(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT, c BLOB);
      INSERT INTO t VALUES(1, 9223372036854775807, 'ü', x'00ff'), (2, 1.5, '', x''), (5, NULL, char(97, 0, 98), 7);
      """)
    #expect(try ForeignFiles.isSQLite(file))
    #expect(
      try maker.read(file) == [
        ["i1", "i9223372036854775807", "tü", "x00ff"], ["i2", "d1.5", "t", "x"], ["i5", "null", "ta\0b", "i7"],
      ])
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"]) func utf16TextIsReadExactly(encoding: String) throws {
    let file = try maker.made(
      "PRAGMA encoding = '\(encoding)'", "CREATE TABLE \"tä\"(\"spalte ß\"); INSERT INTO \"tä\" VALUES('a😀ü'), ('')")
    #expect(try ForeignFiles.open(file).tables.map { "\($0.name) \($0.columns[0].name)" } == ["tä spalte ß"])
    #expect(try maker.read(file) == [["ta😀ü"], ["t"]])
    // SQLite would convert a lone surrogate to another character.
    try maker.edit(file) { bytes in
      let units: [UInt8] = encoding == "UTF-16le" ? [0x3D, 0xD8] : [0xD8, 0x3D]
      bytes.replace(units, with: units.map { $0 == 0x3D ? 0x00 : $0 })
      bytes.replace(encoding == "UTF-16le" ? [0x00, 0xDE] : [0xDE, 0x00], with: [0x00, 0x41])
    }
    #expect(throws: ForeignFault.badText) { try maker.read(file) }
  }

  @Test func ordinaryTablesAreReadInAllForms() throws {
    let file = try maker.made(
      """
      CREATE TABLE pair(b TEXT, a INT, v, PRIMARY KEY(a, b)) WITHOUT ROWID;
      INSERT INTO pair VALUES('y', 2, 1), ('x', 1, 2);
      CREATE TABLE gen(a, v AS (a * 2), s AS (a * 3) STORED);
      INSERT INTO gen VALUES(7);
      CREATE INDEX by_v ON pair(v);
      CREATE VIEW seen AS SELECT randomblob(1000000000) FROM pair;
      CREATE TRIGGER boom AFTER INSERT ON gen BEGIN SELECT raise(FAIL, 'no'); END;
      CREATE VIRTUAL TABLE words USING fts5(body);
      INSERT INTO words VALUES('one');
      CREATE TABLE words_data_of_mine(a);
      CREATE TABLE seq(id INTEGER PRIMARY KEY AUTOINCREMENT);
      ANALYZE;
      """)
    let foreign = try ForeignFiles.open(file)
    #expect(foreign.tables.map(\.name) == ["pair", "gen", "words_data_of_mine", "seq"])
    #expect(foreign.leftOut == ["words"])
    #expect(foreign.tables[0].columns.map(\.keyPlace) == [2, 1, nil])
    #expect(foreign.tables[1].computed == ["v"])
    #expect(try maker.rows(foreign, "pair") == [["tx", "i1", "i2"], ["ty", "i2", "i1"]])
    #expect(try maker.rows(foreign, "gen") == [["i7", "i21"]])
  }

  @Test func unusualNamesAreRead() throws {
    let odd = ["a\"b", "", " ", "x'y", "[z]", "line\nfeed", "--", "select", "%_"]
    let columns = odd.map { "\"" + $0.replacing("\"", with: "\"\"") + "\" DEFAULT 'x'" }.joined(separator: ", ")
    var sql = "CREATE TABLE \"q\"\"'; DROP TABLE x\"(\(columns));"
    sql += "INSERT INTO \"q\"\"'; DROP TABLE x\" DEFAULT VALUES;"
    let foreign = try ForeignFiles.open(maker.made(sql, name: "o?mode=rwc&x=%41#.db"))
    #expect(foreign.tables.map(\.name) == ["q\"'; DROP TABLE x"])
    #expect(foreign.tables[0].columns.map(\.name) == odd)
    #expect(try maker.rows(foreign) == [odd.map { _ in "tx" }])
    #expect(try maker.names() == ["o?mode=rwc&x=%41#.db"])
  }

  @Test func twoThousandColumnsAreRead() throws {
    let names = (0..<2000).map { "column \($0) " + String(repeating: "x", count: 500) }
    let file = try maker.made(
      "CREATE TABLE wide(\(names.map { "\"\($0)\" DEFAULT 1" }.joined(separator: ",")))",
      "INSERT INTO wide DEFAULT VALUES")
    #expect(try maker.read(file) == [names.map { _ in "i1" }])
  }

  /// Values that an old row lacks come from the column's default and are bounded by the file.
  @Test func rowsWithAddedColumnsAreRead() throws {
    let file = try maker.made(
      "CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
        + " INSERT INTO t SELECT i FROM n; ALTER TABLE t ADD COLUMN b TEXT DEFAULT '\(String(repeating: "x", count: 900))'"
    )
    #expect(try maker.read(file).count == 500)
  }

  // MARK: - Journals and logs

  /// Copies a database during a write under another name, like a crash.
  private func crashed(_ mode: String, _ parts: [String]) throws -> String {
    let live = try ForeignMaker.Connection(maker.path("live.db"))
    live.run("PRAGMA journal_mode=\(mode); PRAGMA cache_size=1; PRAGMA wal_autocheckpoint=0; PRAGMA page_size=512")
    live.run("CREATE TABLE t(a); INSERT INTO t VALUES('old')")
    if mode == "WAL" { live.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    live.run("BEGIN; UPDATE t SET a = 'new'")
    live.run("INSERT INTO t SELECT hex(randomblob(400)) FROM t, (VALUES(1),(2),(3),(4),(5),(6),(7),(8),(9))")
    live.run("INSERT INTO t SELECT a || '2' FROM t; INSERT INTO t SELECT a || '3' FROM t")
    if mode == "WAL" { live.run("COMMIT") }
    for part in parts {
      let bytes = try maker.bytes(maker.path("live.db" + part))
      try AtomicFile.write(maker.path("copy.db" + part), bytes, replace: true)
    }
    if mode != "WAL" { live.run("ROLLBACK") }
    return maker.path("copy.db")
  }

  @Test(arguments: ["DELETE", "PERSIST", "TRUNCATE"]) func hotJournalIsReported(mode: String) throws {
    let file = try crashed(mode, ["", "-journal"])
    let before = try maker.bytes(file + "-journal")
    #expect(throws: ForeignFault.unfinished(file + "-journal")) { try maker.read(file) }
    #expect(try maker.bytes(file + "-journal") == before)
  }

  @Test func writeAheadLogWithChangesIsReported() throws {
    let file = try crashed("WAL", ["", "-wal"])
    #expect(throws: ForeignFault.unfinished(file + "-wal")) { try maker.read(file) }
    // The same through a link, and for a file whose header denies a log.
    #expect(symlink("copy.db", maker.path("link.db")) == 0)
    #expect(throws: ForeignFault.unfinished(file + "-wal")) { try maker.read(maker.path("link.db")) }
    try maker.edit(file) { ($0[18], $0[19]) = (1, 1) }
    #expect(throws: ForeignFault.unfinished(file + "-wal")) { try maker.read(file) }
    #expect(try maker.names() == ["live.db", "copy.db", "copy.db-wal", "link.db"])
  }

  @Test func finishedJournalsAreIgnored() throws {
    let persisted = try maker.made(
      "PRAGMA journal_mode=PERSIST; CREATE TABLE t(a); INSERT INTO t VALUES(1)", name: "p.db")
    let logged = try maker.made("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(2)", name: "w.db")
    try AtomicFile.write(maker.path("w.db-wal"), [], replace: true)
    #expect(try maker.names() == ["p.db", "p.db-journal", "w.db", "w.db-wal"])
    #expect(try maker.read(persisted) == [["i1"]])
    #expect(try maker.read(logged) == [["i2"]])
    #expect(try maker.names() == ["p.db", "p.db-journal", "w.db", "w.db-wal"])
    #expect(try maker.bytes(persisted + "-journal").count > 0)
  }

  @Test func concurrentWriterIsBlockedOrDetected() throws {
    let file = try maker.made("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)")
    do {
      let foreign = try ForeignFiles.open(file)
      let writer = try ForeignMaker.Connection(file)
      #expect(sqlite3_exec(writer.handle, "DELETE FROM t", nil, nil, nil) == SQLITE_BUSY)
      #expect(try maker.rows(foreign) == [["i1"], ["i2"]])
    }
    let writer = try ForeignMaker.Connection(file)
    writer.run("PRAGMA journal_mode=WAL")
    do {
      let foreign = try ForeignFiles.open(file)
      writer.run("DELETE FROM t; PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(throws: ForeignFault.changed) { try maker.rows(foreign) }
    }
    #expect(try maker.read(file) == [])
  }
}
