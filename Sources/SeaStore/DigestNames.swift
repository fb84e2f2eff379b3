import CSQLite
import SeaCore

/// A temporary map from digests to names. When there are too many names in memory, the map moves them to an unnamed
/// file next to the store, if that folder is writable.
package final class DigestNames {
  private let most: Int
  private var recent: [Digest: String] = [:]
  private let connection: Connection
  private var isSpilled = false

  package var inMemory: Int { recent.count }

  package init(beside store: Store, most: Int = 1 << 15) throws(StoreError) {
    self.most = most
    let place = store.connection.spillsIntoFolder ? "" : ":memory:"
    connection = try Connection(place, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try connection.execute(
      """
      PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8192;
      CREATE TABLE name(digest BLOB NOT NULL, name TEXT NOT NULL, PRIMARY KEY(digest, name)) WITHOUT ROWID
      """)
  }

  package func add(_ name: String, for digest: Digest) throws(StoreError) {
    guard recent[digest] == nil else { return try write([(digest, name)]) }
    recent[digest] = name
    guard recent.count >= most else { return }
    // Writing in sorted order writes neighboring entries together.
    try write(recent.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    recent.removeAll(keepingCapacity: true)
  }

  private func write(_ names: [(digest: Digest, name: String)]) throws(StoreError) {
    isSpilled = true
    try connection.execute("BEGIN")
    let insert = try connection.statement("INSERT OR IGNORE INTO name(digest, name) VALUES(?, ?)")
    for one in names { try insert.bind(1, copy: one.digest.bytes).bind(2, one.name).run() }
    try connection.execute("COMMIT")
  }

  package func names(_ digest: Digest, limit: Int) throws(StoreError) -> [String] {
    let first = recent[digest].map { [$0] } ?? []
    guard isSpilled else { return first }
    let find = try connection.statement("SELECT name FROM name WHERE digest = ? LIMIT ?")
    defer { find.reset() }
    find.bind(1, copy: digest.bytes).bind(2, limit)
    var names = first
    while names.count < limit, try find.step() {
      let name = find.text(0)
      if first.isEmpty || !UTF8Text.equal(first[0], name) { names.append(name) }
    }
    return names
  }
}
