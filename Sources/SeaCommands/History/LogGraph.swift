import SeaCore
import SeaEngine

/// Prints the revision tree for `sea log --graph RECORD`, with one line per revision and one column per branch.
struct LogGraph {
  let log: LogOutput

  func print(_ row: RecordRow, in past: PastRecord?, _ database: Database) throws {
    var lines = GraphLines(
      winner: try (past?.winner ?? database.records.revision("winner", of: row)).revision, log.session.terminal)
    try log.each { offer in
      try database.history.forEachEvent(of: row, in: past) { event in
        try offer(event.author) {
          var item: Item = ["rev": .id(event.revision), "time": .time(event.author?.time)]
          item.add(try LogRevisions.words(event, database, log))
          lines.add(event, LogRevisions.columns.map { $0.cell(item, log.session.terminal) })
        }
      }
    }
    try lines.print(columns: LogRevisions.columns.count, [.revision])
  }
}

struct GraphLines {
  private let terminal: Terminal
  private var tree = GraphColumns()
  /// The lines of the graph. `below` is drawn next to all text lines after the first.
  private var lines: [(drawing: String, words: [String], below: String)] = []

  init(winner: RevisionID, _ terminal: Terminal) {
    self.terminal = terminal
    tree.expect(winner)
  }

  mutating func add(_ event: Event, _ words: [String]) {
    let mark = event.state == .inner ? (event.leaf.kind == .put ? "*" : "x") : LogRevisions.mark(event)
    for join in tree.joins(before: event.revision) { lines.append((join, [], "")) }
    let drawing = tree.draw(event.revision, mark, parent: event.parent)
    lines.append((drawing, words, terminal.isNarrow ? tree.below : ""))
  }

  func print(columns: Int, _ slots: [ColorSlot?] = []) throws {
    let width = lines.map(\.drawing.utf8.count).max() ?? 0
    var table = Table((0...columns).map { _ in .init("") }, terminal, folds: true)
    for line in lines {
      let room = String(repeating: " ", count: width - line.drawing.utf8.count)
      try table.row([line.drawing + room] + line.words, [nil] + slots, margin: line.below)
    }
    try table.end()
  }
}

/// Assigns columns to branches while a tree is drawn from the leaves to the root.
package struct GraphColumns {
  private var columns: [(next: RevisionID, begun: Bool)?] = []
  private var byRevision: [RevisionID: Set<Int>] = [:]
  /// Columns that have become free. Some of them may be in use again or may no longer exist.
  private var free = Heap<Int>(<)

  package init() {}

  /// Reserves the next column for a branch that begins later.
  package mutating func expect(_ revision: RevisionID) {
    columns.append(nil)
    put((revision, false), at: columns.count - 1)
  }

  private mutating func freePlace() -> Int {
    while let place = free.first {
      if place < columns.count, columns[place] == nil { return place }
      _ = free.pop()
    }
    return columns.count
  }

  /// The maximum number of columns. Any further branches share the last column.
  package static let most = 200

  private func columnIndexes(of revision: RevisionID) -> [Int] { (byRevision[revision] ?? []).sorted() }

  private mutating func put(_ next: (next: RevisionID, begun: Bool)?, at place: Int) {
    if let old = columns[place] {
      byRevision[old.next]?.remove(place)
      if byRevision[old.next]?.isEmpty == true { byRevision[old.next] = nil }
    }
    columns[place] = next
    if let next { byRevision[next.next, default: []].insert(place) } else { free.push(place) }
  }

  /// Returns the lines that join all branches of a revision in the leftmost of their columns.
  package mutating func joins(before revision: RevisionID) -> [String] {
    let places = columnIndexes(of: revision)
    guard let target = places.first else { return [] }
    return places.dropFirst().reversed().compactMap { place in
      put(nil, at: place)
      guard place < GraphColumns.most else {
        trim()
        return nil
      }
      var line = cells { $0?.begun == true ? "|" : " " }
      while line.count < place * 2 { line.append(" ") }
      for gap in stride(from: target * 2 + 1, to: place * 2 - 1, by: 2) { line[gap] = "_" }
      for cell in stride(from: target * 2 + 2, to: place * 2 - 1, by: 2) where line[cell] == " " { line[cell] = "_" }
      line[place * 2 - 1] = "/"
      trim()
      return GraphColumns.text(line)
    }
  }

  /// Returns the line of a revision. Its column continues to the parent.
  package mutating func draw(_ revision: RevisionID, _ mark: String, parent: RevisionID?) -> String {
    let place = columnIndexes(of: revision).first ?? freePlace()
    if place == columns.count { columns.append(nil) }
    put((revision, true), at: place)
    var line = cells { $0?.begun == true ? "|" : " " }
    line[min(place, GraphColumns.most - 1) * 2] = mark
    put(parent.map { ($0, true) }, at: place)
    trim()
    return GraphColumns.text(line)
  }

  package var below: String { GraphColumns.text(cells { $0?.begun == true ? "|" : " " }) }

  private func cells(_ cell: ((next: RevisionID, begun: Bool)?) -> String) -> [String] {
    Array(columns.prefix(GraphColumns.most).map { [cell($0)] }.joined(separator: [" "]))
  }

  private mutating func trim() { while let last = columns.last, last == nil { columns.removeLast() } }

  private static func text(_ line: [String]) -> String {
    var text = line.joined()
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
