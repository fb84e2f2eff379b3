import SeaCore
import SeaKit

/// Differences between revisions, in the form that was asked for.
struct DiffOutput {
  private let context: Context
  private let form: Option?

  init(_ context: Context, _ form: Option?) {
    self.context = context
    self.form = form
  }

  func print(_ difference: Difference, _ old: Found?, _ new: Found) throws {
    switch form?.key {
    case DiffCommand.jsonPatch.key: try line(difference.jsonPatch(), old, new)
    case DiffCommand.mergePatch.key:
      var patch = try difference.mergePatch()
      if !context.options.json { patch["_id"] = .string(new.row.id) }
      try line(Value.dictionary(patch).json(), old, new)
    case DiffCommand.stat.key: try stat(difference, old, new)
    default: try context.options.json ? object(difference, old, new) : text(difference, old, new)
    }
  }

  private func text(_ difference: Difference, _ old: Found?, _ new: Found) throws {
    let from = old.map { context.short($0.leaf.revision) } ?? "-"
    let other = old.map { !UTF8Text.equal($0.row.id, new.row.id) } ?? false ? "\(old!.row.id)@" : ""
    let end = difference.deletes ? "  (deleted)" : ""
    try context.line(context.shown("\(new.row.id)  \(other)\(from) → \(context.short(new.leaf.revision))\(end)"))
    for change in difference.changes {
      if let value = change.old { try context.line(context.shown("- \(change.name)  \(value.json())")) }
      if let value = change.new { try context.line(context.shown("+ \(change.name)  \(value.json())")) }
    }
  }

  /// A patch: bare, or within an object that names the revisions.
  private func line(_ patch: String, _ old: Found?, _ new: Found) throws {
    guard context.options.json else { return try context.line(patch) }
    try context.object {
      names(old, new, &$0)
      $0.raw("patch", patch.utf8)
    }
  }

  private func names(_ old: Found?, _ new: Found, _ object: inout JSONObject) {
    object.text("id", new.row.id)
    if let old, !UTF8Text.equal(old.row.id, new.row.id) { object.text("from_id", old.row.id) }
    object.text("from", old?.leaf.revision.description)
    object.text("to", new.leaf.revision.description)
  }

  private func object(_ difference: Difference, _ old: Found?, _ new: Found) throws {
    try context.object { object in
      names(old, new, &object)
      if difference.deletes { object.flag("deleted", true) }
      try object.object("changes") { changes in
        for change in difference.changes {
          try changes.object(PropertyPath(names: [change.name]).pointer) {
            if let value = change.old { $0.raw("old", try value.json().utf8) }
            if let value = change.new { $0.raw("new", try value.json().utf8) }
          }
        }
      }
    }
  }

  private func stat(_ difference: Difference, _ old: Found?, _ new: Found) throws {
    let added = difference.changes.count { $0.old == nil }
    let removed = difference.changes.count { $0.new == nil }
    let changed = difference.changes.count - added - removed
    if context.options.json {
      return try context.object {
        names(old, new, &$0)
        $0.integer("changed", changed)
        $0.integer("added", added)
        $0.integer("removed", removed)
      }
    }
    let end = difference.deletes ? ", deleted" : ""
    try context.line(context.shown("\(new.row.id)  \(changed) changed, \(added) added, \(removed) removed\(end)"))
  }
}
