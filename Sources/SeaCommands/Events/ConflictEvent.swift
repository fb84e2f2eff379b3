import SeaCore
import SeaEngine

struct ConflictEvent {
  let names: [UUID: String]

  func item(_ conflict: Conflict) -> Item {
    var paths: Item = [:]
    for path in conflict.paths { paths.add([path.pointer: .object(item(path, conflict))]) }
    return Item(
      event: "conflict",
      [
        "id": .id(conflict.id), "type": .text(conflict.row.type), "kind": .text(conflict.kind.rawValue),
        "winner": .id(conflict.leaves[0]), "leaves": .texts(conflict.leaves),
        "base": .id(conflict.base?.leaf.revision), "large": .mark(conflict.isLarge),
        "sides": .items(conflict.sides, side), "paths": .object(paths),
      ])
  }

  private func side(_ side: Conflict.Side) -> Item {
    [
      "rev": .id(side.leaf.revision), "type": .text(side.type), "deleted": .mark(side.leaf.kind != .put),
      "instance": .id(side.owner?.instance), "name": .text(side.owner.map { names[$0.instance] ?? "" }),
      "time": .time(side.owner?.time), "label": .text(side.owner?.label),
    ]
  }

  private func item(_ path: Conflict.Path, _ conflict: Conflict) -> Item {
    var values: Item = [:]
    for (side, value) in zip(conflict.sides, path.values) {
      values.add([side.leaf.revision.description: .stored(value)])
    }
    return [
      "base": .stored(path.base), "values": .object(values),
      "state": .text(path.state == .clash ? "clash" : "merges"), "policy": .text(path.policy?.rawValue),
      "merged": path.state == .merges ? .stored(path.merged) : .absent,
    ]
  }
}
