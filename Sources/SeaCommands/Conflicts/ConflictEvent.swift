import SeaCore
import SeaKit

/// A conflict as one JSON object, wherever it is told of.
struct ConflictEvent {
  private let names: [UUID: String]

  init(_ names: [UUID: String]) { self.names = names }

  func object(_ conflict: Conflict) throws -> JSONObject {
    var object = JSONObject()
    object.text("event", "conflict")
    object.text("id", conflict.id)
    object.text("type", conflict.row.type)
    object.text("kind", conflict.kind.rawValue)
    object.text("winner", conflict.leaves[0].description)
    object.texts("leaves", conflict.leaves.map(\.description))
    object.text("base", conflict.base?.leaf.revision.description)
    object.objects("sides", conflict.sides, side)
    try object.object("paths") { paths in
      for path in conflict.paths { try paths.object(path.pointer) { try place(path, conflict, &$0) } }
    }
    return object
  }

  private func side(_ side: Conflict.Side, _ object: inout JSONObject) {
    object.text("rev", side.leaf.revision.description)
    object.text("type", side.type)
    if side.leaf.kind != .put { object.flag("deleted", true) }
    guard let author = side.author else { return }
    object.text("instance", author.instance.description)
    object.text("name", names[author.instance] ?? "")
    object.text("time", DateStyle.machine(author.time))
    object.text("label", author.label)
  }

  private func place(_ path: Conflict.Path, _ conflict: Conflict, _ object: inout JSONObject) throws {
    if let base = path.base { object.raw("base", try base.json().utf8) }
    try object.object("values") { values in
      for (side, value) in zip(conflict.sides, path.values) {
        if let value { values.raw(side.leaf.revision.description, try value.json().utf8) }
      }
    }
    object.text("state", path.state == .clash ? "clash" : "merges")
    object.text("policy", path.policy?.rawValue)
    if path.state == .merges, let merged = path.merged { object.raw("merged", try merged.json().utf8) }
  }
}
