import SeaCore
import SeaKit

/// One conflict property by property: the base, what each leaf made of it, and what merging alone would give.
struct ConflictTable {
  let session: Session
  let names: [UUID: String]
  let conflict: Conflict
  /// Longer values are cut: the table is for seeing, `sea get` for reading.
  private static let widest = 40

  func print() throws {
    let base = conflict.base.map { session.terminal.short($0.leaf.revision) }
    let live = conflict.sides.count { $0.leaf.kind == .put }
    let dead = conflict.sides.count - live
    let leaves = dead == 0 ? "\(live) live revisions" : "\(live) live and \(dead) deleted"
    let id = Abbreviation.short(conflict.row.id, session.terminal.abbrev)
    let since = base.map { " since \($0)" } ?? ", made independently"
    try session.terminal.line(
      session.terminal.shown("\(conflict.row.type.map { "\($0) " } ?? "")\(id): \(leaves)\(since)"))
    var rows = [["", "", base.map { "base \($0)" } ?? "no base"] + conflict.sides.indices.map(title) + [""]]
    rows.append(["", "", time(conflict.base?.author)] + conflict.sides.map { time($0.author) } + [""])
    rows += conflict.paths.map(row)
    var table = Table(rows[0].map { _ in .init("") }, width: session.terminal.width, output: session.terminal.output)
    for row in rows { try table.row(row) }
    try table.end()
    try session.terminal.line("! needs a choice   = merges alone   * current winner")
    try session.terminal.line(session.terminal.shown("e.g. sea resolve \(id)\(example)"))
  }

  /// A choice that would end it.
  private var example: String {
    let winner = conflict.leaves[0].short(4)
    if conflict.hasDeletion { return " --take=\(winner)" }
    return " --merge" + conflict.clashes.map { " --pick=\($0.pointer)=\(winner)" }.joined()
  }

  private func time(_ author: BlockRow?) -> String { author.map { session.terminal.text($0.time) } ?? "" }

  private func title(_ k: Int) -> String {
    let side = conflict.sides[k]
    let author = side.author.map { names[$0.instance] ?? "" } ?? ""
    let end = side.leaf.kind == .put ? "" : " (deleted)"
    return "\(k == 0 ? "* " : "")\(session.terminal.short(side.leaf.revision)) \(author)\(end)"
  }

  private func row(_ path: Conflict.Path) -> [String] {
    let values = zip(conflict.sides, path.values).map { $0.leaf.kind == .put ? text($1) : "" }
    let policy = path.policy.map { " (\($0.rawValue))" } ?? ""
    return [path.state == .clash ? "!" : "=", path.pointer, conflict.base == nil ? "" : text(path.base)]
      + values + [path.state == .merges ? "→ \(text(path.merged))\(policy)" : ""]
  }

  private func text(_ value: Value?) -> String {
    guard let value else { return "-" }
    if case .labelled(let inner, let semanticType) = value {
      return TextWidth.cut("\(text(inner)) [\(Escape.shown(semanticType))]", to: ConflictTable.widest)
    }
    var text = (try? value.json()) ?? "-"
    if case .string(let string) = value { text = string }
    if case .counter(let counter) = value { text = String(counter.value) }
    if case .set(let set) = value { text = set.elements.map { self.text($0) }.joined(separator: " ") }
    return TextWidth.cut(Escape.shown(text), to: ConflictTable.widest)
  }
}
