/// The changes between two states of a record, property by property.
///
/// The bodies are read in place, because even a small block can contain a record with tens of millions of values.
package struct Difference: Sendable {
  package struct Change: Sendable {
    package var name: String
    package var old: StoredValue?
    package var new: StoredValue?
  }

  /// The changed properties, sorted by name. The first few changes are stored; the rest are computed on demand.
  package struct Changes: Sequence, IteratorProtocol, Sendable {
    fileprivate var known: ArraySlice<Change> = []
    fileprivate var rest: Walk?

    package mutating func next() -> Change? { known.popFirst() ?? rest?.next() }
  }

  package private(set) var changes = Changes()
  /// Whether the second state is a deleted record and the first is not.
  package let deletes: Bool

  private static let mostKept = 64

  /// - Parameters: the two states. Content without a body represents a deleted record.
  package init(from old: StoredContent, to new: StoredContent) throws(CoreError) {
    deletes = old.body != nil && new.body == nil
    var walk = Walk(
      pairs: DifferingEntries(try Difference.entries(old), try Difference.entries(new)),
      type: Difference.typeChange(old, new))
    var known: [Change] = []
    while known.count < Difference.mostKept, let one = walk.next() { known.append(one) }
    changes.known = known[...]
    if known.count == Difference.mostKept { changes.rest = walk }
  }

  private static func entries(_ content: StoredContent) throws(CoreError) -> StoredEntries {
    guard let body = content.body else { return StoredEntries() }
    return try StoredEntries(body: body)
  }

  private static func typeChange(_ old: StoredContent, _ new: StoredContent) -> Change? {
    let (x, y) = (old.body == nil ? nil : old.type, new.body == nil ? nil : new.type)
    switch (x, y) {
    case (nil, nil): return nil
    case (let x?, let y?) where UTF8Text.equal(x, y): return nil
    default:
      return Change(
        name: Merge.typeName, old: x.map { StoredValue(.string($0)) }, new: y.map { StoredValue(.string($0)) })
    }
  }

  /// Walks both bodies in parallel. The type is treated as a property.
  fileprivate struct Walk: Sendable {
    var pairs: DifferingEntries
    var type: Change?
    private var ahead: Change?

    init(pairs: DifferingEntries, type: Change?) {
      (self.pairs, self.type) = (pairs, type)
    }

    mutating func next() -> Change? {
      if let one = ahead {
        ahead = nil
        return one
      }
      let found = pairs.next().map {
        Change(name: ($0.new ?? $0.old)?.name ?? "", old: $0.old?.value, new: $0.new?.value)
      }
      guard let type else { return found }
      if let found, Members.precedes(found.name, type.name) { return found }
      (self.type, ahead) = (nil, found)
      return type
    }
  }

  package var isEmpty: Bool { changes.known.isEmpty && !deletes }

  // MARK: - Patches

  package func writeJSONPatch(_ out: inout JSONOutput, _ w: inout ByteWriter) {
    out.open(0x5B, &w)
    func operation(_ word: String, _ path: String) {
      out.item(&w)
      out.open(0x7B, &w)
      out.member("op", word, &w)
      out.member("path", path, &w)
    }
    if deletes {
      operation("add", "/_deleted")
      out.name("value", &w)
      w.append("true")
      out.close(0x7D, &w)
    } else {
      for change in changes {
        operation(
          change.old == nil ? "add" : change.new == nil ? "remove" : "replace",
          PropertyPath(names: [change.name]).pointer)
        if let new = change.new {
          out.name("value", &w)
          new.write(&out, &w)
        }
        out.close(0x7D, &w)
      }
    }
    out.close(0x5D, &w)
  }

  /// Checks that a JSON Merge Patch can represent the difference.
  /// - Throws: `nullValue` if a dictionary contains null, which means "remove" in a merge patch.
  package func checkMergePatch() throws(CoreError) {
    for change in changes { if let new = change.new { try Difference.check(change.old, new) } }
  }

  private static func check(_ old: StoredValue?, _ new: StoredValue) throws(CoreError) {
    guard let after = new.entries else { return }
    var all = after
    while let entry = all.next() { if entry.value.isNull { throw .badJSON(.nullValue, offset: 0) } }
    var pairs = DifferingEntries(old?.entries ?? StoredEntries(), after)
    while let pair = pairs.next() { if let new = pair.new { try check(pair.old?.value, new.value) } }
  }

  /// Writes the difference as a JSON Merge Patch (RFC 7396).
  /// - Parameter id: the record id; nil to omit it from the patch.
  package func writeMergePatch(id: String?, _ out: inout JSONOutput, _ w: inout ByteWriter) {
    out.open(0x7B, &w)
    var id = id
    func names(before name: String?) {
      guard let text = id, name.map({ Members.precedes("_id", $0) }) ?? true else { return }
      id = nil
      out.member("_id", text, &w)
    }
    if deletes {
      names(before: nil)
      out.name("_deleted", &w)
      w.append("true")
    } else {
      for change in changes {
        names(before: change.name)
        out.name(change.name, &w)
        Difference.patch(change.old, change.new, &out, &w)
      }
      names(before: nil)
    }
    out.close(0x7D, &w)
  }

  private static func patch(_ old: StoredValue?, _ new: StoredValue?, _ out: inout JSONOutput, _ w: inout ByteWriter) {
    guard let new else { return w.append("null") }
    guard let after = new.entries else { return new.write(&out, &w) }
    let pairs = DifferingEntries(old?.entries ?? StoredEntries(), after)
    var look = pairs
    var isWrapped = false
    while !isWrapped, let pair = look.next() { isWrapped = (pair.new ?? pair.old)?.isReserved == true }
    out.open(0x7B, &w)
    if isWrapped {
      out.name("$dict", &w)
      out.open(0x7B, &w)
    }
    var rest = pairs
    while let pair = rest.next() {
      out.name((pair.new ?? pair.old)?.name ?? "", &w)
      patch(pair.old?.value, pair.new?.value, &out, &w)
    }
    if isWrapped { out.close(0x7D, &w) }
    out.close(0x7D, &w)
  }
}
