import CSQLite
import SeaCore
import SeaTestSupport
import Testing

/// For ASCII, `LIKE` and `NOCASE` are those of SQLite.
@Suite struct LetterTests {
  @Test func asciiIsComparedAsInSQLite() throws {
    var handle: OpaquePointer?
    try #require(sqlite3_open(":memory:", &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    var find: OpaquePointer?
    let sql = "SELECT ?1 LIKE ?2, ?1 LIKE ?2 ESCAPE '!', (?1 COLLATE NOCASE > ?2) - (?1 COLLATE NOCASE < ?2)"
    try #require(sqlite3_prepare_v2(handle, sql, -1, &find, nil) == SQLITE_OK)
    defer { sqlite3_finalize(find) }
    var random = SeededRandom(TestSeed.value)
    func text(_ letters: String, most: Int) -> [UInt8] {
      let letters = Array(letters.utf8)
      return (0..<Int.random(in: 0...most, using: &random)).map { _ in letters.randomElement(using: &random)! }
    }
    for _ in 0..<20_000 {
      let (a, b) = (text("aAbZ_%!", most: 7), text("aAb_%%!", most: 5))
      sqlite3_reset(find)
      for (k, text) in [a, b].enumerated() {
        let text = text.map { CChar($0) }
        sqlite3_bind_text(find, Int32(k) + 1, text, Int32(text.count), sea_sqlite_transient())
      }
      try #require(sqlite3_step(find) == SQLITE_ROW)
      a.withUnsafeBufferPointer { a in
        b.withUnsafeBufferPointer { b in
          let found = [
            Collation.matches(a, like: b) {} ? 1 : 0, Collation.matches(a, like: b, escape: 0x21) {} ? 1 : 0,
            Int32(Collation.compare(a, b)),
          ]
          let wanted = (0..<3).map { sqlite3_column_int(find, $0) }
          #expect(found == wanted, "\(String(decoding: a, as: UTF8.self)) \(String(decoding: b, as: UTF8.self))")
        }
      }
    }
  }
}
