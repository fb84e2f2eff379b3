import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

/// One run of `sea dump --format=sqlite`: a table for each type, a column for each property.
///
/// Records are read twice, from one state: what the values of a property are says how they stand in a column.
final class DumpTables {
  private let query: RecordQuery
  private let database: Database
  /// By type; the empty one is that of records without a type.
  private var tables: [ExactName: Table] = [:]

  /// Told of each record, twice.
  private var meter: WorkMeter?

  private struct Table {
    var kinds: [ExactName: ForeignKinds] = [:]
    var number = 0
    var columns: [ExactName: (place: Int, form: ForeignForm)] = [:]
  }

  /// As many columns SQLite has, the id among them.
  private static let mostColumns = 2000

  init(_ query: RecordQuery, _ database: Database) { (self.query, self.database) = (query, database) }

  /// Makes the file, which is there whole or not at all. It takes nothing's place: other programs may have a database open, and what lies
  /// beside it they would take for a part of the new one.
  func run(_ name: String, _ session: Session, at moment: Moment?) throws {
    let path = session.path(name)
    try Location.checkWritable(path)
    for end in ["", "-journal", "-wal"] where try Path.exists(path + end) {
      throw CommandError.tables(file: name + end, .exists)
    }
    let file = try AtomicFile(path)
    do {
      let found = try database.atOneState(at: moment) {
        try database.queries.check(query, selecting: [])
        meter = try database.queries.meter(query, name, times: 2)
        return try write(to: ForeignFiles.create(file.temporaryPath))
      }
      try file.commit(replace: false)
      session.terminal.tell(database.queries.notices)
      try session.terminal.report("dumped", ["file": .text(name), "records": .integer(found)]) {
        "\(name): \(Count(found, "record"))"
      }
    } catch let fault as TablesFault {
      throw CommandError.tables(file: name, fault)
    }
  }

  /// - Returns: how many records there are.
  private func write(to writer: any ForeignWriter) throws -> Int {
    _ = try forEach { [self] _, type, members in
      var table = tables.removeValue(forKey: type) ?? Table()
      for (name, value) in members.entries { table.kinds[ExactName(name), default: []].formUnion(ForeignKinds(value)) }
      tables[type] = table
    }
    var names = PlainNames()
    for type in tables.keys.sorted(by: { UTF8Text.less($0.text, $1.text) }) {
      try begin(type, type.text.isEmpty ? SQLiteSource.untyped : names.name(type.text), writer)
    }
    let count = try forEach { [self] id, type, members in
      guard let table = tables[type] else { return }
      writer.set(table.number, 0, .text(id))
      for (name, value) in members.entries {
        guard let column = table.columns[ExactName(name)] else { continue }
        try column.form.cell(value) { writer.set(table.number, column.place, $0) }
      }
      try writer.insert(table.number)
    }
    try writer.end()
    return count
  }

  private func begin(_ type: ExactName, _ name: String, _ writer: any ForeignWriter) throws {
    var names = PlainNames()
    var columns = [(name: "_id", declared: "TEXT")]
    guard var table = tables[type] else { return }
    for (name, kinds) in table.kinds.sorted(by: { Members.precedes($0.key.text, $1.key.text) }) {
      let form = ForeignForm(kinds)
      table.columns[name] = (columns.count, form)
      columns.append((names.name(name.text), form.declared))
    }
    guard columns.count <= DumpTables.mostColumns else {
      throw TablesFault.tooManyColumns(type: type.text, columns.count - 1, most: DumpTables.mostColumns - 1)
    }
    table.number = try writer.add(table: name, columns)
    tables[type] = table
  }

  private func forEach(
    _ body: @escaping (_ id: UnsafeBufferPointer<UInt8>, _ type: ExactName, _ members: Members) throws -> Void
  ) throws -> Int {
    try database.queries.forEachInPlace(
      query,
      { [self] record in
        defer { meter?.add() }
        let members = try record.body.flatMap { try Value.decode(body: $0).members } ?? Members()
        try body(record.id, ExactName(record.type.map { String(decoding: $0, as: UTF8.self) } ?? ""), members)
      },
      { [self] view in
        defer { meter?.add() }
        let members = try view.body.flatMap { try $0.withUnsafeBufferPointer { try Value.decode(body: $0) }.members }
        var id = view.id
        try id.withUTF8 { try body($0, ExactName(view.type ?? ""), members ?? Members()) }
      })
  }
}

/// Names that SQLite tells from each other: of those that differ in the case of letters alone, or that it keeps for itself, further ones
/// get a number and a colon in front, `_1:`, which no type and no property begins with.
private struct PlainNames {
  private var taken: Set<[UInt8]> = []

  mutating func name(_ name: String) -> String {
    func folded(_ name: String) -> [UInt8] { name.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }
    var found = name
    var number = 1
    while folded(found).starts(with: "sqlite_".utf8) || !taken.insert(folded(found)).inserted {
      found = "_\(number):\(name)"
      number += 1
    }
    return found
  }
}

/// A name that is what its bytes are: texts of Swift are equal where their characters are, however these are written.
private struct ExactName: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: ExactName, b: ExactName) -> Bool { UTF8Text.equal(a.text, b.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
