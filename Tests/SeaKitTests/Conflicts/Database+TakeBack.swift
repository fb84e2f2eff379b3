import SeaCore
import SeaStore
import Testing

@testable import SeaKit

extension Database {
  /// Takes the merge back that a record has as its winner: what was merged is there again, the winner as its own child,
  /// the others behind the ends of their branches.
  /// - Returns: the revisions that it wrote; none if there is no such merge.
  @discardableResult
  func takeBack(_ id: String) throws -> [RevisionID] {
    let row = try find(id)
    let leaves = try store.leaves(of: row)
    guard let merge = leaves.first, merge.kind == .put, let winner = try parent(of: merge, row) else { return [] }
    let others = try store.change(of: merge).merged
    let ends = leaves.filter { $0.kind == .resolved && others.contains($0.parentRevision ?? $0.revision) }
    guard !others.isEmpty, ends.count == others.count else { return [] }
    return try writing {
      var builder = try builder(label: "undo")
      try builder.add(id, row.type, parent: merge.revision, merged: [], kind: .resolved, body: nil, false)
      var made: [RevisionID] = []
      for (leaf, upon) in try [(winner, winner)] + ends.map({ (try #require(try parent(of: $0, row)), $0) }) {
        let content = try content(of: leaf)
        var bytes = ByteWriter()
        _ = try content.body?.settled(parentDigest: leaf.revision.digest).encodeBody(into: &bytes)
        made.append(
          try builder.add(
            id, content.type, parent: upon.revision, merged: [], kind: content.body == nil ? .delete : .put,
            body: content.body == nil ? nil : bytes.bytes, false))
      }
      _ = try write(&builder, label: "undo")
      return made
    }
  }

  private func parent(of leaf: Leaf, _ row: RecordRow) throws -> Leaf? {
    try leaf.parentRevision.flatMap { try store.revision($0, of: row) }
  }
}
