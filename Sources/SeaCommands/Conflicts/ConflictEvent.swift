import SeaKit

extension JSONObject {
  /// The keys of a `conflict` event that tells all there is to know.
  mutating func conflict(_ conflict: Conflict) throws {
    text("event", "conflict")
    text("id", conflict.row.id)
    text("type", conflict.row.type)
    text("kind", conflict.kind.rawValue)
    text("winner", conflict.sides[0].leaf.revision.description)
    texts("leaves", conflict.sides.map { $0.leaf.revision.description })
    text("base", conflict.base?.leaf.revision.description)
    try object("paths") { paths in
      for path in conflict.paths {
        try paths.object(path.pointer) { one in
          if let base = path.base { one.raw("base", try base.json().utf8) }
          try one.object("values") { values in
            for (side, value) in zip(conflict.sides, path.values) {
              if let value { values.raw(side.leaf.revision.description, try value.json().utf8) }
            }
          }
          one.text("state", path.state == .clash ? "clash" : "merges")
          if path.state == .merges, let merged = path.merged { one.raw("merged", try merged.json().utf8) }
        }
      }
    }
  }
}
