/// What changed between two states of a record, property by property.
package struct Difference: Sendable {
  package struct Change: Sendable {
    package var name: String
    package var old: Value?
    package var new: Value?
  }

  package private(set) var changes: [Change] = []
  /// Whether the second state is a deleted record, and the first is none.
  package private(set) var deletes = false

  /// - Parameters: the bodies, as their revisions carry them; nil for a deleted record.
  package init(from old: Value?, to new: Value?) throws(CoreError) {
    deletes = old != nil && new == nil
    let (before, after) = (old?.members ?? Members(), new?.members ?? Members())
    for name in Members.keys(of: [before, after]) {
      let (x, y) = (before[name], after[name])
      // States of counters and sets may differ where what they say does not.
      if x == y { continue }
      if let x, let y, try x.json() == y.json() { continue }
      changes.append(Change(name: name, old: x, new: y))
    }
  }

  package var isEmpty: Bool { changes.isEmpty && !deletes }

  /// As a JSON Patch (RFC 6902).
  package func jsonPatch() throws(CoreError) -> String {
    var operations: [String] = []
    if deletes { operations.append("{\"op\":\"add\",\"path\":\"/_deleted\",\"value\":true}") }
    for change in deletes ? [] : changes {
      let operation = change.old == nil ? "add" : change.new == nil ? "remove" : "replace"
      let path = try Value.string(PropertyPath(names: [change.name]).pointer).json()
      var value = ""
      if let new = change.new { value = try ",\"value\":" + new.json() }
      operations.append("{\"op\":\"\(operation)\",\"path\":\(path)\(value)}")
    }
    return "[" + operations.joined(separator: ",") + "]"
  }

  /// The members of a JSON Merge Patch (RFC 7396).
  /// - Throws: `nullValue` where a dictionary is to hold null, which such a patch takes for "remove".
  package func mergePatch() throws(CoreError) -> Members {
    var patch = Members()
    if deletes {
      patch["_deleted"] = .bool(true)
      return patch
    }
    for change in changes { patch[change.name] = try Difference.patch(change.old, change.new) }
    return patch
  }

  private static func patch(_ old: Value?, _ new: Value?) throws(CoreError) -> Value {
    guard let new else { return .null }
    guard case .dictionary(let after) = new else { return new }
    let before = old?.members ?? Members()
    var patch = Members()
    for name in before.keys where after[name] == nil { patch[name] = .null }
    for (name, value) in after.entries {
      if case .null = value { throw .badJSON(.nullValue, offset: 0) }
      if before[name] != value { patch[name] = try Difference.patch(before[name], value) }
    }
    return .dictionary(patch)
  }
}
