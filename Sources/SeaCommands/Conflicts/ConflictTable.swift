import SeaCore
import SeaEngine
import SeaWords

/// One conflict property by property: the base, what each leaf made of it, and what merging alone would give.
struct ConflictTable {
  let session: Session
  let names: [UUID: String]
  let conflict: Conflict

  func print() throws {
    let base = conflict.base.map { session.terminal.short($0.leaf.revision) }
    let live = conflict.sides.count { $0.leaf.kind == .put }
    let dead = conflict.sides.count - live
    let more = conflict.waiting > 0 ? " (\(conflict.waiting) more wait for these)" : ""
    let leaves = (dead == 0 ? "\(live) live revisions" : "\(live) live and \(dead) deleted") + more
    let id = Abbreviation.short(conflict.row.id, session.terminal.abbrev)
    let since = base.map { " since \($0)" } ?? ", made independently"
    let type = conflict.row.type.map { "\($0) " } ?? ""
    try session.terminal.painter.wrapped("\(type)\(id, .heading): \(leaves)\(since)")
    var rows = [["", "", base.map { "base \($0)" } ?? "no base"] + conflict.sides.indices.map(title) + [""]]
    rows.append(["", "", time(conflict.base?.author)] + conflict.sides.map { time($0.author) } + [""])
    rows += conflict.paths.map(row)
    var table = Table(rows[0].map { _ in .init("") }, session.terminal)
    for (k, row) in rows.enumerated() { try table.row(row, k < 2 ? [] : slots(conflict.paths[k - 2])) }
    if table.isTooWide { try printTurned(rows) } else { try table.end() }
    let key: [Painted] = [
      "\("!", .problem) needs a choice", "\("=", .good) merges alone", "\("*", .good) current winner",
    ]
    if let width = session.terminal.width, width < 52 {
      for line in key { try session.terminal.painter.line(line) }
    } else {
      try session.terminal.painter.line("\(key[0])   \(key[1])   \(key[2])")
    }
    if conflict.isLarge {
      let more = conflict.isCut ? " and more properties differ" : ""
      try session.terminal.painter.wrapped(
        "The record is too large to be merged for this list: only whole properties are compared\(more.isEmpty ? "." : ",\(more).")"
      )
    }
    let command = session.terminal.shown("sea resolve \(Escape.shellWord(id))\(example)")
    let fits = session.terminal.width.map { TextWidth.of("e.g. \(command)") <= $0 } ?? true
    try session.terminal.line(fits ? "e.g. \(command)" : "e.g.\n  \(command)")
  }

  /// The same where there is no room for the sides beside each other: they stand below each other, for each property.
  private func printTurned(_ rows: [[String]]) throws {
    let sides = 2...(conflict.sides.count + 2)
    // The winner's mark has a column.
    let names = sides.map { rows[0][$0].hasPrefix("* ") ? String(rows[0][$0].dropFirst(2)) : rows[0][$0] }
    var table = Table((0..<4).map { _ in .init("") }, session.terminal)
    func lines(_ row: [String]) throws {
      for (side, name) in zip(sides, names) where side > 2 || conflict.base != nil {
        let isWinner = side == 3
        try table.row(["", isWinner ? "*" : "", name, row[side]], [nil, .good])
      }
    }
    try lines(rows[1])
    for (path, row) in zip(conflict.paths, rows.dropFirst(2)) {
      try table.end()
      table = Table((0..<4).map { _ in .init("") }, session.terminal)
      try session.terminal.painter.line("\(row[0], slots(path)[0]) \(row[1], .heading)")
      try lines(row)
      if !row[row.count - 1].isEmpty { try table.row(["", "", row[row.count - 1]]) }
    }
    try table.end()
  }

  private func slots(_ path: Conflict.Path) -> [ColorSlot?] { [path.state == .clash ? .problem : .good] }

  /// A choice that would end it.
  private var example: String {
    let winner = conflict.leaves[0].short(4)
    if conflict.hasDeletion || conflict.isLarge { return " --take=\(winner)" }
    return " --merge" + conflict.clashes.map { " --pick=\(Escape.shellWord("\($0.pointer)=\(winner)"))" }.joined()
  }

  private func time(_ author: BlockRow?) -> String { author.map { session.terminal.text($0.time) } ?? "" }

  private func title(_ k: Int) -> String {
    let side = conflict.sides[k]
    let author = side.author.map { names[$0.instance] ?? "" } ?? ""
    let end = side.leaf.kind == .put ? "" : " (deleted)"
    return "\(k == 0 ? "* " : "")\(session.terminal.short(side.leaf.revision)) \(author)\(end)"
  }

  private func row(_ path: Conflict.Path) -> [String] {
    let values = zip(conflict.sides, path.values).map { $0.leaf.kind == .put ? $1 : nil }
    let cells = ConflictCells.texts([conflict.base == nil ? nil : path.base] + values + [path.merged])
    let sides = zip(conflict.sides, cells.dropFirst()).map { $0.leaf.kind == .put ? $1 : "" }
    let policy = path.policy.map { " (\($0.rawValue))" } ?? ""
    return [path.state == .clash ? "!" : "=", path.pointer, conflict.base == nil ? "" : cells[0]]
      + sides + [path.state == .merges ? "→ \(cells[cells.count - 1])\(policy)" : ""]
  }
}
