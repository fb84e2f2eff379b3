import SeaCore
import SeaKit

/// Conflicts in the form that was asked for.
final class ConflictOutput {
  private static let fields = ["id", "type", "kind", "leaves", "winner", "others", "base", "paths", "clashes"]
  private let context: Context
  private let template: Template?
  private let names: [UUID: String]
  /// Whether the one record that was named is shown in full.
  private let isDetailed: Bool
  private var table: Table
  /// Whether there is any sense in going on: with `--exit-code -q` the first conflict says it all.
  let prints: Bool

  init(_ context: Context, _ arguments: Arguments, _ database: Database) throws {
    self.context = context
    template = try arguments.text(.format).map {
      try Template($0, fields: Self.fields, shell: arguments.has(.shell), zero: context.options.zero)
    }
    names = try database.instanceNames()
    isDetailed = arguments.operand(0) != nil
    prints = !(context.options.quiet && arguments.has(.exitCode))
    table = Table(
      [.init("ID"), .init("TYPE"), .init("KIND"), .init("LEAVES", right: true), .init("PATHS")],
      width: context.width, output: context.output)
  }

  func add(_ conflict: Conflict) throws {
    guard prints else { return }
    if let template { return try context.output.write(template.bytes(fields(conflict), context)) }
    if context.options.porcelain { return try context.fields(porcelain(conflict)) }
    if context.options.json { return try context.object { try $0.conflict(conflict) } }
    if isDetailed { return try ConflictTable(context, names, conflict).print() }
    try table.row([
      shown(conflict.row.id), conflict.row.type ?? "-", conflict.kind.rawValue, "\(conflict.sides.count)",
      paths(conflict, marked: true).joined(separator: " "),
    ])
  }

  func end() throws { try table.end() }

  func print(count: Int) throws {
    if context.options.json { try context.object { $0.integer("count", count) } } else { try context.line("\(count)") }
  }

  private func shown(_ id: String) -> String { Abbreviation.short(id, context.abbrev) }

  /// The properties that are not the same everywhere; in the list those that merge alone stand in brackets.
  private func paths(_ conflict: Conflict, marked: Bool) -> [String] {
    conflict.paths.map { marked && $0.state == .merges ? "(\($0.pointer))" : $0.pointer }
  }

  private func porcelain(_ conflict: Conflict) -> [String] {
    let revisions = conflict.sides.map { $0.leaf.revision.description }
    let paths = paths(conflict, marked: false).joined(separator: ",")
    // No field is empty: a shell takes several TABs for one. No type begins with a dash.
    return [
      conflict.row.id, conflict.row.type ?? "-", conflict.kind.rawValue, "\(conflict.sides.count)", revisions[0],
      revisions.dropFirst().joined(separator: ","), paths.isEmpty ? "-" : paths,
    ]
  }

  private func fields(_ conflict: Conflict) -> FieldTable {
    let lines = porcelain(conflict)
    var item = FieldTable()
    item["id"] = .name(conflict.row.id)
    item["type"] = conflict.row.type.map { .text($0) }
    item["kind"] = .text(lines[2])
    item["leaves"] = .integer(Int64(conflict.sides.count))
    item["winner"] = .name(lines[4])
    item["others"] = .text(conflict.sides.dropFirst().map { $0.leaf.revision.description }.joined(separator: " "))
    item["base"] = conflict.base.map { .name($0.leaf.revision.description) }
    item["paths"] = .text(conflict.paths.map(\.pointer).joined(separator: " "))
    item["clashes"] = .text(conflict.paths.filter { $0.state == .clash }.map(\.pointer).joined(separator: " "))
    return item
  }
}
