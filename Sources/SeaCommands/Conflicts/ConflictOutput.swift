import SeaCore
import SeaEngine

/// Conflicts in the form that was asked for.
final class ConflictOutput {
  private static let fields = ["id", "type", "kind", "leaves", "winner", "others", "base", "paths", "clashes"]
  private let session: Session
  private let names: [UUID: String]
  private let list: Listing
  /// Whether the one record that was named is shown in full.
  private let isDetailed: Bool
  /// Whether there is any sense in going on: with `--exit-code -q` the first conflict says it all.
  let prints: Bool

  init(_ session: Session, _ arguments: Arguments, _ database: Database) throws {
    self.session = session
    names = try database.members.names()
    isDetailed = arguments.operand(0) != nil && !arguments.has(.format)
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
      return try ConflictTable(session: session, names: names, conflict: conflict).print()
    }
    try list.add(item(conflict))
  }

  func end() throws { try list.end() }

  /// The short form, for templates, frozen lines and the table.
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
      // Those that merge alone stand in brackets.
      "marked": .aside(
        (conflict.paths.map { $0.state == .merges ? "(\($0.pointer))" : $0.pointer } + (conflict.isCut ? ["…"] : []))
          .joined(separator: " ")),
    ]
  }
}
