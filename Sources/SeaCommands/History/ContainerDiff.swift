import SeaCore
import SeaEngine
import SeaWords

import enum SeaContainer.BundleSource

/// What only this instance has (`<`), and what only a container has (`>`).
struct ContainerDiff {
  private struct Total {
    var chain: UUID
    var isHere: Bool
    var blocks = 0
    var changes = 0
  }

  let session: Session
  let counts: Bool

  /// With a container.
  /// - Returns: whether there is a difference.
  func print(_ name: String, _ database: Database) throws -> Bool {
    try print(database) { try database.exchange.forEachMissing(in: name, $0) }
  }

  /// With a bundle. Nothing is printed of one that is damaged.
  func print(bundle name: String, _ database: Database) throws -> Bool {
    let source = BundleSource.file(path: session.path(name))
    return try print(database) { try database.bundles.forEachMissing(in: source, named: name, $0) }
  }

  private func print(
    _ database: Database, _ forEachMissing: (@escaping (MissingBlock) throws -> Bool) throws -> Void
  ) throws -> Bool {
    var totals: [Total] = []
    let names = try database.members.names()
    try forEachMissing { block in
      if totals.last?.chain != block.instance || totals.last?.isHere != block.isHere {
        totals.append(Total(chain: block.instance, isHere: block.isHere))
      }
      totals[totals.count - 1].blocks += 1
      totals[totals.count - 1].changes += block.changes.count
      if !counts { for change in block.changes { try line(change, block) } }
      return true
    }
    if counts { for total in totals { try line(total, names[total.chain] ?? "") } }
    return !totals.isEmpty
  }

  private func line(_ change: MissingBlock.Change, _ block: MissingBlock) throws {
    try session.terminal.painter.show(
      [
        "only": .text(block.isHere ? "here" : "there"), "id": .id(change.id), "rev": .id(change.revision),
        "kind": .text(change.kind.rawValue), "block": .id(block.place),
      ],
      lines: {
        let what = change.kind == .put ? "" : "  (\(change.kind == .delete ? "deleted" : "resolved"))"
        return [
          "\(sign(block.isHere)) \(change.id)  \(session.terminal.short(change.revision), .revision)\(what)"
        ]
      })
  }

  private func sign(_ isHere: Bool) -> Painted { isHere ? Painted("<", .old) : Painted(">", .new) }

  private func line(_ total: Total, _ name: String) throws {
    try session.terminal.painter.show(
      [
        "only": .text(total.isHere ? "here" : "there"), "instance": .id(total.chain), "name": .text(name),
        "blocks": .integer(total.blocks), "changes": .integer(total.changes),
      ],
      lines: {
        let title = name.isEmpty ? session.terminal.short(total.chain) : name
        let what = "\(Count(total.blocks, "block")), \(Count(total.changes, "change"))"
        return ["\(sign(total.isHere)) \(title)  \(what)"]
      })
  }
}
