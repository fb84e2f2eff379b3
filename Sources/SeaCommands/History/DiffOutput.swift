import SeaCore
import SeaEngine

/// Differences between revisions, in the form that was asked for.
struct DiffOutput {
  let session: Session
  let form: Option?

  func print(_ difference: Difference, _ old: Found?, _ new: Found?) throws {
    switch form?.key {
    case DiffCommand.jsonPatch.key: try line(difference.jsonPatch(), old, new)
    case DiffCommand.mergePatch.key:
      var patch = try difference.mergePatch()
      if !session.options.json, let id = (new ?? old)?.row.id { patch["_id"] = .string(id) }
      try line(Value.dictionary(patch).json(), old, new)
    case DiffCommand.stat.key: try stat(difference, old, new)
    default: try changes(difference, old, new)
    }
  }

  private func changes(_ difference: Difference, _ old: Found?, _ new: Found?) throws {
    var item = names(old, new)
    item.add(["deleted": .mark(difference.deletes)])
    var changes: Item = [:]
    for change in difference.changes {
      let values: Item = ["old": try .value(change.old), "new": try .value(change.new)]
      changes.add([PropertyPath(names: [change.name]).pointer: .object(values)])
    }
    item.add(["changes": .object(changes)])
    try session.terminal.painter.show(
      item,
      lines: {
        let from = old.map { session.terminal.short($0.leaf.revision) } ?? "-"
        let other = isOther(old, new) ? "\(old!.row.id)@" : ""
        let to = new.map { session.terminal.short($0.leaf.revision) } ?? "-"
        let end = difference.deletes ? "  (deleted)" : ""
        let head: Painted =
          "\((new ?? old)?.row.id ?? "", .heading)  \(other)\(from, .revision) → \(to, .revision)\(end)"
        return try [head] + ChangeText.lines(difference)
      })
  }

  /// A patch: bare, or within an object that names the revisions.
  private func line(_ patch: String, _ old: Found?, _ new: Found?) throws {
    guard session.options.json else { return try session.terminal.line(patch) }
    var item = names(old, new)
    item.add(["patch": .json(patch)])
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
    let added = difference.changes.count { $0.old == nil }
    let removed = difference.changes.count { $0.new == nil }
    let changed = difference.changes.count - added - removed
    var item = names(old, new)
    item.add(["changed": .integer(changed), "added": .integer(added), "removed": .integer(removed)])
    try session.terminal.show(item) {
      let end = difference.deletes ? ", deleted" : ""
      return ["\((new ?? old)?.row.id ?? "")  \(changed) changed, \(added) added, \(removed) removed\(end)"]
    }
  }
}
