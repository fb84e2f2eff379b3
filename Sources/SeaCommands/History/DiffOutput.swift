import SeaCore
import SeaEngine

/// Differences between revisions, in the form that was asked for.
struct DiffOutput {
  let session: Session
  let form: Option?

  func print(_ difference: Difference, _ old: Found?, _ new: Found?) throws {
    switch form?.key {
    case DiffCommand.jsonPatch.key:
      try line(.written { out, w in difference.writeJSONPatch(&out, &w) }, old, new)
    case DiffCommand.mergePatch.key:
      try difference.checkMergePatch()
      let id = session.options.json ? nil : (new ?? old)?.row.id
      try line(.written { out, w in difference.writeMergePatch(id: id, &out, &w) }, old, new)
    case DiffCommand.stat.key: try stat(difference, old, new)
    default: try changes(difference, old, new)
    }
  }

  private func changes(_ difference: Difference, _ old: Found?, _ new: Found?) throws {
    var item = names(old, new)
    item.add(["deleted": .mark(difference.deletes)])
    item.add(["changes": ChangeText.changes(difference)])
    try session.terminal.painter.show(
      item,
      lines: {
        let from = old.map { session.terminal.short($0.leaf.revision) } ?? "-"
        let other = isOther(old, new) ? "\(old!.row.id)@" : ""
        let to = new.map { session.terminal.short($0.leaf.revision) } ?? "-"
        let end = difference.deletes ? "  (deleted)" : ""
        let head: Painted =
          "\((new ?? old)?.row.id ?? "", .heading)  \(other)\(from, .revision) → \(to, .revision)\(end)"
        return [head]
      })
    try ChangeText.print(difference, session.terminal)
  }

  /// A patch: bare, or within an object that names the revisions.
  private func line(_ patch: Field, _ old: Found?, _ new: Found?) throws {
    guard session.options.json else { return try session.terminal.painter.json(patch) }
    var item = names(old, new)
    item.add(["patch": patch])
    try session.terminal.object(item)
  }

  private func names(_ old: Found?, _ new: Found?) -> Item {
    [
      "id": .id((new ?? old)?.row.id), "from_id": isOther(old, new) ? .id(old?.row.id) : .absent,
      "from": .id(old?.leaf.revision), "to": .id(new?.leaf.revision),
    ]
  }

  private func isOther(_ old: Found?, _ new: Found?) -> Bool {
    guard let old, let new else { return false }
    return !UTF8Text.equal(old.row.id, new.row.id)
  }

  private func stat(_ difference: Difference, _ old: Found?, _ new: Found?) throws {
    var (added, removed, changed) = (0, 0, 0)
    for change in difference.changes {
      if change.old == nil { added += 1 } else if change.new == nil { removed += 1 } else { changed += 1 }
    }
    var item = names(old, new)
    item.add(["changed": .integer(changed), "added": .integer(added), "removed": .integer(removed)])
    try session.terminal.show(item) {
      let end = difference.deletes ? ", deleted" : ""
      return ["\((new ?? old)?.row.id ?? "")  \(changed) changed, \(added) added, \(removed) removed\(end)"]
    }
  }
}
