import SeaContainer
import SeaCore
import SeaStore

/// What one side has and another lacks of a chain.
package struct Lack: Sendable, Equatable {
  package var head: BlockRef
  /// The first block that is lacked.
  package var from: UInt32
}

extension Containers {
  /// The heads of all chains that this instance knows, and of their branches.
  package func heads() throws -> [BlockRef] { try store.branches.heads() }

  /// The heads of all branches in a container: of each the last block that is whole. Nothing is verified.
  package static func heads(in container: Container) throws -> [BlockRef] {
    _ = try container.info()
    let place = ContainerPlace(container, named: "")
    return try place.branches().compactMap { run in
      try place.lastWhole(of: run).map { BlockRef(run.branch, index: $0.index, digest: $0.link.digest) }
    }
  }
}

extension Lack {
  /// What a side with the heads `theirs` lacks of `ours`.
  package static func of(_ theirs: [BlockRef], in ours: [BlockRef]) -> [Lack] {
    let same = Set(theirs)
    var known = Frontier()
    for head in theirs { known.raise(head.branch, to: head.index) }
    // A branch of ours may have another name on the other side.
    return ours.filter { !same.contains($0) }.flatMap { head in
      known.missing(of: [BlockRun(head.branch, first: 0, last: head.index)]).map { Lack(head: head, from: $0.first) }
    }
  }

  /// The branches of which both sides have the same length and different blocks.
  package static func forks(_ theirs: [BlockRef], in ours: [BlockRef]) -> [BlockRef] {
    let same = Set(theirs)
    let named = Dictionary(theirs.map { ($0.branch, $0.index) }) { _, last in last }
    return ours.filter { !same.contains($0) && named[$0.branch] == $0.index }
  }
}
