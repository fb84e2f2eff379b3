import SeaCore
import SeaEngine

enum ConflictsCommand: Command {
  static var title: Title {
    Title(
      "conflicts", .conflicts, .frozenPorcelain, needs: .database, "list conflicts, or show one property by property")
  }
  static var synopsis: [String] {
    [
      "[-t TYPE] [--kind=KIND] [--since=WHEN] [--at=WHEN] [--count] [--exit-code] [--porcelain[=v1]] "
        + "[--format=FORMAT [--shell]] [[--full] RECORD]"
    ]
  }
  static let only = Option(
    "kind", nil, .choice(["edit/edit", "delete/edit", "add/add", "type/type"]), "KIND",
    "list only conflicts of this kind")
  static let since = Option(
    "since", nil, .text, "WHEN", "list only conflicts with a revision that arrived here at WHEN or later")
  static let count = Option("count", help: "print the number of conflicts")
  static let full = Option("full", help: "with RECORD: print long values completely, as in a pipe")
  static var options: [Option] { [.type, only, since, .at, count, full, .exitCode, .format, .shell] }
  static var operands: [Operand] { [.optional("RECORD", .contested)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "with --exit-code: there are conflicts"),
      Exit(.notFound, "no such record or operation, or the name is ambiguous"),
      Exit(.partial, "too much to compare: some conflicts are shown without a base"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(full), arguments.operand(0) == nil { throw UsageFault.missingOperand("RECORD") }
    let since = try arguments.text(since).map { try session.time($0) }
    func isWanted(_ conflict: Conflict) -> Bool {
      if let type = arguments.text(.type), !UTF8Text.equal(conflict.row.type ?? "", type) { return false }
      if let kind = arguments.text(only), conflict.kind.rawValue != kind { return false }
      return since.map { since in conflict.sides.contains { $0.author.map { $0.arrived >= since } ?? false } } ?? true
    }
    let database = try session.reading()
    return try database.atOneState {
      var (found, left) = (0, 0)
      let output = try ConflictOutput(session, arguments, database)
      func show(_ conflict: Conflict) throws -> Bool {
        guard isWanted(conflict) else { return true }
        found += 1
        if conflict.lacksBase { left += 1 }
        if !arguments.has(count) { try output.add(conflict) }
        return arguments.has(count) || output.prints
      }
      let moment = try session.moment(arguments, database)
      if moment == nil, let type = arguments.text(.type) { try session.check(type: type, in: database) }
      if let text = arguments.operand(0), let moment {
        let past = try database.records.find(text, at: moment, literal: session.literalIDs)
        if let conflict = try database.conflicts.conflict(of: past) { _ = try show(conflict) }
      } else if let text = arguments.operand(0) {
        if let conflict = try database.conflicts.conflict(
          of: try database.records.find(text, literal: session.literalIDs), inShort: true)
        {
          _ = try show(conflict)
        }
      } else if arguments.has(count), since == nil, moment == nil, !arguments.has(only) {
        // Conflicts can be counted without reading their content.
        found = try database.conflicts.ids(type: arguments.text(.type)).count
      } else {
        try database.conflicts.forEach(type: arguments.text(.type), at: moment, inShort: true, show)
      }
      try output.end()
      if arguments.has(count), !(session.options.quiet && arguments.has(.exitCode)) {
        try session.terminal.show(["count": .integer(found)], frozen: ["count"]) { ["\(found)"] }
      }
      if left > 0, !arguments.has(count) {
        session.terminal.warning(
          "too-much-work",
          "\(left) of \(Count(found, "conflict")) compared without a base to limit the work of one command",
          hint: "to compare one in full, run: sea conflicts RECORD")
      }
      let status = left > 0 && !arguments.has(count) ? ExitStatus.partial : .success
      return found > 0 && arguments.has(.exitCode) ? status.and(.conflict) : status
    }
  }
}

final class ConflictOutput {
  private static let fields = ["id", "type", "kind", "leaves", "winner", "others", "base", "paths", "clashes"]
  private let session: Session
  private let names: [UUID: String]
  private let list: Listing
  private let isDetailed: Bool
  private let isFull: Bool
  /// Whether to print conflicts. With `--exit-code -q`, the command stops at the first conflict.
  let prints: Bool

  init(_ session: Session, _ arguments: Arguments, _ database: Database) throws {
    self.session = session
    names = try database.members.names()
    isDetailed = arguments.operand(0) != nil && !arguments.has(.format)
    isFull = session.terminal.width == nil || session.options.verbose || arguments.has(ConflictsCommand.full)
    prints = !(session.options.quiet && arguments.has(.exitCode))
    list = try Listing(
      session.terminal,
      [
        Column("ID", "id"), Column("TYPE", "type"), Column("KIND", "kind", slot: { _ in .problem }),
        Column("LEAVES", "leaves", right: true), Column("PATHS", "marked"),
      ], fields: Self.fields, frozen: Self.fields.filter { !["base", "clashes"].contains($0) }, arguments)
  }

  func add(_ conflict: Conflict) throws {
    guard prints else { return }
    if session.options.json { return try session.terminal.object(ConflictEvent(names: names).item(conflict)) }
    if isDetailed, !session.options.porcelain {
      return try ConflictTable(session: session, names: names, conflict: conflict, isFull: isFull).print()
    }
    try list.add(item(conflict))
  }

  func end() throws { try list.end() }

  private func item(_ conflict: Conflict) -> Item {
    let others = conflict.sides.dropFirst().map { $0.leaf.revision.description }
    let paths = conflict.paths.map(\.pointer)
    let comma = session.options.porcelain ? "," : " "
    return [
      "id": .id(conflict.row.id), "type": .text(conflict.row.type), "kind": .text(conflict.kind.rawValue),
      "leaves": .integer(conflict.sides.count), "winner": .id(conflict.sides[0].leaf.revision),
      "others": .text(others.joined(separator: comma)), "base": .id(conflict.base?.leaf.revision),
      "paths": .text(paths.joined(separator: comma)),
      "clashes": .text(conflict.clashes.map(\.pointer).joined(separator: comma)),
      // Properties that merge automatically are shown in parentheses.
      "marked": .aside(
        (conflict.paths.map { $0.state == .merges ? "(\($0.pointer))" : $0.pointer } + (conflict.isCut ? ["…"] : []))
          .joined(separator: " ")),
    ]
  }
}

/// Prints one conflict as a table. Each row shows a property: its base value, its value in each revision, and the
/// automatic merge.
struct ConflictTable {
  let session: Session
  let names: [UUID: String]
  let conflict: Conflict
  /// Whether values that are too long for the table are printed completely.
  let isFull: Bool

  func print() throws {
    let base = conflict.base.map { session.terminal.short($0.leaf.revision) }
    let live = conflict.sides.count { $0.leaf.kind == .put }
    let dead = conflict.sides.count - live
    let more = conflict.waiting > 0 ? " (\(conflict.waiting) more to resolve after these)" : ""
    let leaves =
      (dead == 0 ? "\(live) conflicting revisions" : "\(live) conflicting and \(dead) deleted revisions") + more
    let id = Abbreviation.short(conflict.row.id, session.terminal.abbrev)
    let since = base.map { " since \($0)" } ?? ", made independently"
    let type = conflict.row.type.map { "\($0) " } ?? ""
    try session.terminal.painter.wrapped("\(type)\(id, .heading): \(leaves)\(since)")
    var rows = [["", "", base.map { "base \($0)" } ?? "no base"] + conflict.sides.indices.map(title) + [""]]
    rows.append(["", "", time(conflict.base?.owner)] + conflict.sides.map { time($0.owner) } + [""])
    rows += conflict.paths.map(row)
    var table = Table(rows[0].map { _ in .init("") }, session.terminal)
    for (k, row) in rows.enumerated() { try table.row(row, k < 2 ? [] : slots(conflict.paths[k - 2])) }
    var isCut = !conflict.paths.allSatisfy { ConflictCells.areWhole([$0.base] + $0.values + [$0.merged]) }
    if isFull, isCut || table.isTooWide {
      try printWhole(rows)
      isCut = false
    } else if table.isTooWide {
      isCut = try printTurned(rows) || isCut
    } else {
      try table.end()
    }
    let key: [Painted] = [
      "\("!", .problem) needs a choice", "\("=", .good) merges automatically", "\("*", .good) current winner",
    ]
    if let width = session.terminal.width, width < 52 {
      for line in key { try session.terminal.painter.line(line) }
    } else {
      try session.terminal.painter.line("\(key[0])   \(key[1])   \(key[2])")
    }
    if isCut { try session.terminal.painter.wrapped("Some values are truncated; to print them, use --full.") }
    if conflict.isLarge {
      let more = conflict.isCut ? ", and more of them differ" : ""
      try session.terminal.painter.wrapped(
        "Only whole properties are compared\(more), because the record is too large."
      )
    }
    let command = session.terminal.shown("sea resolve \(Escape.shellWord(id))\(example)")
    let fits = session.terminal.width.map { TextWidth.of("e.g. \(command)") <= $0 } ?? true
    try session.terminal.line(fits ? "e.g. \(command)" : "e.g.\n  \(command)")
  }

  private var sides: ClosedRange<Int> { 2...(conflict.sides.count + 2) }

  /// The titles of the sides, without the mark of the winner, which gets its own column.
  private func titles(_ row: [String]) -> [String] {
    sides.map { row[$0].hasPrefix("* ") ? String(row[$0].dropFirst(2)) : row[$0] }
  }

  /// Prints each value as JSON on its own line, piece by piece, because it may be large.
  private func printWhole(_ rows: [[String]]) throws {
    let painter = session.terminal.painter
    let names = titles(rows[0])
    let width = names.map { TextWidth.of(session.terminal.shown($0)) }.max() ?? 0
    let starts = zip(sides, names).map { side, name in
      let pad = String(repeating: " ", count: width - TextWidth.of(session.terminal.shown(name)))
      return "  \(side == 3 ? "*" : " ") \(name)\(pad)  "
    }
    let first = conflict.base == nil ? 1 : 0
    for k in first..<starts.count { try painter.line("\(starts[k])\(rows[1][k + 2])") }
    for path in conflict.paths {
      try painter.line("\(path.state == .clash ? "!" : "=", slots(path)[0]) \(path.pointer, .heading)")
      let values = zip(conflict.sides, path.values).map { $0.leaf.kind == .put ? $1 : nil }
      for (k, value) in ([path.base] + values).enumerated() where k >= first {
        try line(starts[k], value)
      }
      if path.state == .merges { try line("  → \(path.policy.map { "(\($0.rawValue)) " } ?? "")", path.merged) }
    }
  }

  private func line(_ start: String, _ value: Value?) throws {
    guard let value else { return try session.terminal.painter.line("\(start)-") }
    try session.terminal.painter.line(start, StoredValue(value), nil)
  }

  /// - Returns: whether a line was cut.
  private func printTurned(_ rows: [[String]]) throws -> Bool {
    let names = titles(rows[0])
    var isCut = false
    var table = Table((0..<4).map { _ in .init("") }, session.terminal)
    func lines(_ row: [String]) throws {
      for (side, name) in zip(sides, names) where side > 2 || conflict.base != nil {
        let isWinner = side == 3
        try table.row(["", isWinner ? "*" : "", name, row[side]], [nil, .good])
      }
    }
    try lines(rows[1])
    for (path, row) in zip(conflict.paths, rows.dropFirst(2)) {
      isCut = isCut || table.isTooWide
      try table.end()
      table = Table((0..<4).map { _ in .init("") }, session.terminal)
      try session.terminal.painter.line("\(row[0], slots(path)[0]) \(row[1], .heading)")
      try lines(row)
      if !row[row.count - 1].isEmpty { try table.row(["", "", row[row.count - 1]]) }
    }
    isCut = isCut || table.isTooWide
    try table.end()
    return isCut
  }

  private func slots(_ path: Conflict.Path) -> [ColorSlot?] { [path.state == .clash ? .problem : .good] }

  private var example: String {
    let winner = conflict.leaves[0].short(4)
    if conflict.hasDeletion || conflict.isLarge { return " --take=\(winner)" }
    return " --merge" + conflict.clashes.map { " --pick=\(Escape.shellWord("\($0.pointer)=\(winner)"))" }.joined()
  }

  private func time(_ owner: BlockRow?) -> String { owner.map { session.terminal.text($0.time) } ?? "" }

  private func title(_ k: Int) -> String {
    let side = conflict.sides[k]
    let author = side.owner.map { names[$0.instance] ?? "" } ?? ""
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

/// Formats values as table cells. If long values begin with the same text, each cell starts shortly before the first
/// difference.
package enum ConflictCells {
  /// The maximum width of a value. The table is only an overview.
  private static let widest = 40
  /// The number of Unicode scalars shown before the first difference.
  private static let context = 8

  package static func texts(_ values: [Value?]) -> [String] {
    let wholes = values.map { $0.map(whole) }
    let said = wholes.compactMap { $0 }
    let isCut = said.contains { TextWidth.of(beginning(of: $0[...])) > widest }
    // The number of UTF-8 bytes to omit from the start of each value.
    let left = isCut ? alike(said) : 0
    return zip(values, wholes).map { value, whole in
      guard let value, let whole else { return "-" }
      let start = whole.utf8.index(whole.startIndex, offsetBy: left, limitedBy: whole.endIndex) ?? whole.endIndex
      let shown = (left > 0 ? TextWidth.mark : "") + beginning(of: whole[start...])
      guard case .labeled(_, let semanticType) = value else { return TextWidth.cut(shown, to: widest) }
      return TextWidth.cut("\(shown) [\(Escape.shown(semanticType))]", to: widest)
    }
  }

  /// Returns whether `texts` shows the values completely.
  static func areWhole(_ values: [Value?]) -> Bool {
    values.allSatisfy { value in
      guard let value else { return true }
      guard value.summary == nil else { return false }
      var text = whole(value)
      if case .labeled(_, let semanticType) = value { text += " [\(semanticType)]" }
      return text.utf8.count <= 4 * widest && TextWidth.of(Escape.shown(text)) <= widest
    }
  }

  private static func whole(_ value: Value) -> String {
    switch value {
    case .string(let string): string
    case .counter(let counter): String(counter.value)
    case .set(let set): set.elements.map { beginning(of: whole($0)[...]) }.joined(separator: " ")
    case .labeled(let inner, _): whole(inner)
    default: value.summary ?? (try? value.json()) ?? "-"
    }
  }

  /// Escapes only the beginning of the text, because the whole text may be large.
  private static func beginning(of text: Substring) -> String {
    Escape.shown(String(String.UnicodeScalarView(text.unicodeScalars.prefix(16 * widest))))
  }

  private static func alike(_ texts: [String]) -> Int {
    guard let first = texts.first, texts.contains(where: { $0 != first }) else { return 0 }
    var most = first.utf8.count
    for text in texts.dropFirst() {
      var same = 0
      for (a, b) in zip(first.utf8, text.utf8) {
        guard same < most, a == b else { break }
        same += 1
      }
      most = same
    }
    var place = first.utf8.index(first.startIndex, offsetBy: most)
    // Different scalars may begin with the same bytes, so step back to the start of the scalar.
    while place < first.endIndex, first.utf8[place] & 0xC0 == 0x80 { place = first.utf8.index(before: place) }
    let shown = first.unicodeScalars.index(place, offsetBy: -context, limitedBy: first.startIndex) ?? first.startIndex
    return first.utf8.distance(from: first.startIndex, to: shown)
  }
}
