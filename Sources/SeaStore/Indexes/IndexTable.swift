import SeaCore

/// The property indexes, which are updated whenever a record changes.
///
/// `property_index` lists the indexes. A value index has a row in `index_entry` for each key of a record. A text index
/// is an FTS5 table (https://sqlite.org/fts5.html) with the record's key as rowid and the unchanged text. A record with
/// several conflicting revisions has the empty key, which every lookup finds, because its displayed body is merged only
/// when it is read. In a text index, such a record has the words of all its conflicting revisions.
package final class IndexTable {
  private let connection: Connection
  private var kept: [(index: KeptIndex, insert: Statement?)] = []
  private var isPaused = false
  /// For a record in conflict, the maximum number of revisions whose words are indexed.
  static let mostLeaves = 8

  init(_ connection: Connection) { self.connection = connection }

  package func all() throws(StoreError) -> [KeptIndex] {
    let scan = try connection.statement("SELECT slot, name, kind, definition FROM property_index ORDER BY name")
    defer { scan.reset() }
    var all: [KeptIndex] = []
    while try scan.step() {
      guard let kind = IndexDefinition.Kind(rawValue: scan.int(2)), let definition = IndexDefinition(kind, scan.text(3))
      else { throw .damaged("property_index") }
      all.append(KeptIndex(slot: scan.int(0), name: scan.text(1), definition: definition))
    }
    return all
  }

  // MARK: - Updates

  func begin() throws(StoreError) {
    kept.removeAll(keepingCapacity: true)
    guard connection.state.hasIndexes else { return }
    for index in try all() { kept.append((index, nil)) }
  }

  func end() { kept.removeAll(keepingCapacity: true) }

  var isNeeded: Bool { !kept.isEmpty && !isPaused }

  func paused<Result>(_ body: () throws -> Result) rethrows -> Result {
    isPaused = true
    defer { isPaused = false }
    return try body()
  }

  func remove(_ record: Int64) throws(StoreError) {
    try connection.statement("DELETE FROM index_entry WHERE record = ?").bind(1, record as Int64?).run()
    for (index, _) in kept where index.definition.kind == .text {
      try Statement(connection, "DELETE FROM \(index.words) WHERE rowid = ?").bind(1, record as Int64?).run()
    }
  }

  /// Adds a record that is not yet in any index.
  /// - Parameter bodies: the bodies of the live leaves, best first.
  func insert(_ record: Int64, type: String?, _ bodies: [[UInt8]], isMerged: Bool) throws(StoreError) {
    guard let type else { return }
    for k in kept.indices where UTF8Text.equal(type, kept[k].index.definition.type) {
      try insert(record, into: k, bodies, isMerged: isMerged)
    }
  }

  private func insert(_ record: Int64, into at: Int, _ bodies: [[UInt8]], isMerged: Bool) throws(StoreError) {
    let index = kept[at].index
    if index.definition.kind == .text {
      if kept[at].insert == nil { kept[at].insert = try IndexTable.insertion(index, connection) }
      if let insert = kept[at].insert { try IndexTable.insert(record, into: index, bodies, insert) }
      return
    }
    var keys: [[UInt8]] = isMerged ? [[]] : []
    if !isMerged, let body = bodies.first { keys = try index.keys(body) }
    guard !keys.isEmpty else { return }
    let insert = try connection.statement("INSERT OR IGNORE INTO index_entry(slot, key, record) VALUES(?, ?, ?)")
    for key in keys { try insert.bind(1, index.slot).bind(2, copy: key).bind(3, record as Int64?).run() }
  }

  static func insert(
    _ record: Int64, into index: KeptIndex, _ bodies: [[UInt8]], _ insert: Statement
  ) throws(StoreError) {
    var texts: [String] = []
    for path in index.definition.paths { texts.append(try IndexTable.texts(path, bodies)) }
    guard texts.contains(where: { !$0.isEmpty }) else { return }
    insert.bind(1, record as Int64?)
    for (k, text) in texts.enumerated() { insert.bind(Int32(k) + 2, text) }
    try insert.run()
  }

  static func making(_ index: KeptIndex, in schema: String = "") -> String {
    let names = index.definition.paths.indices.map { "c\($0)" }.joined(separator: ", ")
    let options = "tokenize = 'unicode61 remove_diacritics 2'"
    return "CREATE VIRTUAL TABLE \(schema)\(index.words) USING fts5(\(names), \(options))"
  }

  static func insertion(_ index: KeptIndex, _ connection: Connection) throws(StoreError) -> Statement {
    let places = index.definition.paths.indices
    let names = places.map { "c\($0)" }.joined(separator: ", ")
    return try Statement(
      connection,
      "INSERT INTO \(index.words)(rowid, \(names)) VALUES(?\(String(repeating: ", ?", count: places.count)))")
  }

  private static func texts(_ path: PropertyPath, _ bodies: [[UInt8]]) throws(StoreError) -> String {
    var found: [[UInt8]] = []
    for body in bodies {
      guard let value = try KeptIndex.value(path, body) else { continue }
      var text: [UInt8] = []
      collect(value, into: &text)
      if !text.isEmpty, !found.contains(text) { found.append(text) }
    }
    let all = Array(found.joined(separator: [0x0A]))
    var end = min(all.count, mostText)
    while end < all.count, end > 0, all[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: all[..<end], as: UTF8.self)
  }

  /// The maximum number of bytes indexed for each path of a record. A text index takes many times the size of the
  /// compressed text.
  private static let mostText = 1 << 20

  /// Collects all strings, including those in lists and dictionaries, and the text form of all other values.
  private static func collect(_ value: Value, into text: inout [UInt8]) {
    func add(_ bytes: some Sequence<UInt8>) {
      guard text.count < mostText else { return }
      if !text.isEmpty { text.append(0x0A) }
      // FTS5 would end the text at a zero byte.
      text += bytes.lazy.map { $0 == 0 ? 0x20 : $0 }
    }
    switch value {
    case .null, .data: break
    case .string(let string), .reference(let string, _): add(string.utf8)
    case .date(let time): add(PlainJSON.sortable(time).utf8)
    case .day(let day): add(CalendarDay.text(day).utf8)
    case .array(let values): for one in values { collect(one, into: &text) }
    case .set(let set): for one in set.elements { collect(one, into: &text) }
    case .dictionary(let members): for (_, one) in members.entries { collect(one, into: &text) }
    case .labeled(let inner, _): collect(inner, into: &text)
    case .asset(let asset): add(asset.mime.utf8)
    default: add(PlainJSON.bytes(value))
    }
  }

  // MARK: - Creating and removing

  func create(_ name: String, _ definition: IndexDefinition) throws(StoreError) -> KeptIndex {
    try drop(name)
    let insert = try connection.statement("INSERT INTO property_index(name, kind, definition) VALUES(?, ?, ?)")
    try insert.bind(1, name).bind(2, definition.kind.rawValue).bind(3, definition.description).run()
    let made = KeptIndex(slot: Int(connection.lastKey), name: name, definition: definition)
    connection.state.hasIndexes = true
    kept.append((made, nil))
    return made
  }

  @discardableResult func drop(_ name: String) throws(StoreError) -> Bool {
    guard let index = try all().first(where: { UTF8Text.equal($0.name, name) }) else { return false }
    kept.removeAll { $0.index.slot == index.slot }
    try connection.statement("DELETE FROM index_entry WHERE slot = ?").bind(1, index.slot).run()
    if index.definition.kind == .text { try connection.execute("DROP TABLE IF EXISTS \(index.words)") }
    try connection.statement("DELETE FROM property_index WHERE slot = ?").bind(1, index.slot).run()
    return true
  }

  /// Empties an index. The table of a text index is dropped, because deleting rows would leave words in its pages.
  func clear(_ index: KeptIndex) throws(StoreError) {
    try connection.statement("DELETE FROM index_entry WHERE slot = ?").bind(1, index.slot).run()
    guard index.definition.kind == .text else { return }
    for k in kept.indices where kept[k].index.slot == index.slot { kept[k].insert = nil }
    try connection.execute("DROP TABLE IF EXISTS \(index.words);" + IndexTable.making(index))
  }

  func insert(_ record: Int64, into index: KeptIndex, _ bodies: [[UInt8]], isMerged: Bool) throws(StoreError) {
    guard let at = kept.firstIndex(where: { $0.index.slot == index.slot }) else {
      throw .damaged("index \(index.name)")
    }
    try insert(record, into: at, bodies, isMerged: isMerged)
  }
}

extension IndexTable {
  /// Returns the records that a value index contains for a value of its first property, and the records in conflict.
  package func keys(in index: KeptIndex, like value: Value) throws(StoreError) -> [Int64] {
    guard let key = IndexKey.keys(value.unlabeled).first else { return [] }
    let find = try connection.statement(
      """
      SELECT record FROM index_entry WHERE slot = ?1 AND key = x''
      UNION ALL SELECT record FROM index_entry WHERE slot = ?1 AND key >= ?2 AND key < ?3
      """)
    defer { find.reset() }
    find.bind(1, index.slot).bind(2, copy: key).bind(3, copy: IndexKey.end(key))
    var found: [Int64] = []
    while try find.step() { found.append(Int64(find.int(0))) }
    return found
  }
}
