import CSQLite
import SeaCore

/// A search in a text index (https://sqlite.org/fts5.html#full_text_query_syntax).
struct TextSearch {
  private let index: KeptIndex
  private let words: String
  private let connection: Connection

  init(_ index: KeptIndex, _ words: String, _ connection: Connection) {
    self.index = index
    self.words = words
    self.connection = connection
  }

  /// Returns the sorted keys of the matching records.
  /// - Throws: `QueryFault.failed` if the search text is invalid.
  func records() throws -> [Int64] {
    let find = try statement("rowid", "")
    var found: [Int64] = []
    while try step(find) { found.append(Int64(find.int(0))) }
    return found
  }

  func statement(_ column: String, _ also: String) throws -> Statement {
    // FTS5 treats a leading asterisk as a special command, and its result would look like record keys.
    guard words.utf8.first != 0x2A else { throw QueryFault.failed("MATCH: fts5: syntax error near \"*\"") }
    return try Statement(
      connection, "SELECT \(column) FROM \(index.words) WHERE \(index.words) MATCH ?1\(also)"
    ).bind(1, words)
  }

  func step(_ find: Statement) throws -> Bool {
    do throws(StoreError) { return try find.step() } catch {
      if case .damaged(let message) = error, !message.hasSuffix("malformed") {
        throw QueryFault.failed("MATCH: \(message)")
      }
      throw error
    }
  }
}

/// A text search match in one record, used by `snippet` and `rank`.
final class FoundText {
  private let search: TextSearch
  private let index: KeptIndex
  private let record: Int64

  private static let kind: StaticString = "sea-text"

  init(_ index: KeptIndex, _ words: String, _ record: Int64, _ connection: Connection) {
    search = TextSearch(index, words, connection)
    self.index = index
    self.record = record
  }

  /// Passes the match to SQL functions as a pointer, which SQL sees as NULL (https://sqlite.org/bindptr.html).
  func hand(to context: OpaquePointer?) {
    sqlite3_result_pointer(context, Unmanaged.passRetained(self).toOpaque(), FoundText.name, FoundText.release)
  }

  static func handed(_ value: OpaquePointer?) -> FoundText? {
    guard let found = sqlite3_value_pointer(value, name) else { return nil }
    return Unmanaged<FoundText>.fromOpaque(found).takeUnretainedValue()
  }

  private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { found in
    Unmanaged<FoundText>.fromOpaque(found!).release()
  }

  private static var name: UnsafePointer<CChar> { UnsafeRawPointer(kind.utf8Start).assumingMemoryBound(to: CChar.self) }

  /// Returns an excerpt of the text around the match.
  /// - Parameter arguments: the strings to put before and after each matching word, the ellipsis, and the number of
  ///   words.
  func snippet(_ arguments: [String]) throws -> QueryValue {
    let texts = arguments.prefix(3) + ["[", "]", "…"].dropFirst(arguments.count)
    let count = arguments.count > 3 ? Int(arguments[3]) ?? 16 : 16
    let find = try search.statement("snippet(\(index.words), -1, ?3, ?4, ?5, ?6)", " AND rowid = ?2")
    find.bind(2, record as Int64?).bind(3, texts[0]).bind(4, texts[1]).bind(5, texts[2]).bind(6, max(1, min(count, 64)))
    return try search.step(find) ? .text(find.text(0)) : .null
  }

  func rank() throws -> QueryValue {
    let find = try search.statement("rank", " AND rowid = ?2").bind(2, record as Int64?)
    return try search.step(find) ? .double(find.double(0)) : .null
  }
}
