import SeaContainer
import SeaCore
import SeaStore

/// A range of blocks that only one of two sides has.
package struct MissingBlocks: Sendable, Equatable {
  package var head: BlockRef
  package var from: UInt32
}

extension Containers {
  package func heads() throws -> [BlockRef] { try store.branches.heads() }

  /// Returns the last complete block of each branch in a container. The blocks are not verified.
  package static func heads(in container: Container) throws -> [BlockRef] {
    _ = try container.info()
    let place = ContainerPlace(container, named: "")
    return try place.branches().compactMap { run in
      try place.lastWhole(of: run).map { BlockRef(run.branch, index: $0.index, digest: $0.link.digest) }
    }
  }
}

extension MissingBlocks {
  /// Returns the ranges of blocks in `ours` that are missing from a side with the heads `theirs`.
  package static func of(_ theirs: [BlockRef], in ours: [BlockRef]) -> [MissingBlocks] {
    let same = Set(theirs)
    var known = VersionVector()
    for head in theirs { known.raise(head.branch, to: head.index) }
    // The other side may use a different name for the same branch.
    return ours.filter { !same.contains($0) }.flatMap { head in
      known.missing(of: [BlockRun(head.branch, first: 0, last: head.index)]).map {
        MissingBlocks(head: head, from: $0.first)
      }
    }
  }

  /// Returns the branches that are equally long on both sides but have different blocks.
  package static func forks(_ theirs: [BlockRef], in ours: [BlockRef]) -> [BlockRef] {
    let same = Set(theirs)
    let named = Dictionary(theirs.map { ($0.branch, $0.index) }) { _, last in last }
    return ours.filter { !same.contains($0) && named[$0.branch] == $0.index }
  }
}
