import SeaCore
import SeaStore

/// The blocks that a run with a limit found in a container and did not import. They are not withheld.
package struct LeftBehind {
  package let container: String
  private let left: ContainerState.Left

  /// Returns the entries of containers with blocks that are still missing here.
  static func all(_ folder: SeaFolder) throws -> [LeftBehind] {
    try folder.store.peers.containers().compactMap { container in
      guard var left = try folder.state(of: container).left else { return nil }
      left.tails = try left.tails.filter { instance, last in
        try folder.store.branches.chain(instance).map { $0.trunk.head.index < last } ?? true
      }
      return left.isUnseen || !left.tails.isEmpty ? LeftBehind(container: container, left: left) : nil
    }
  }

  /// Whether the container was not read to its end, so that its other content is unknown.
  package var isUnseen: Bool { left.isUnseen }

  /// The number of chains with known blocks that were left.
  package var chains: Int { left.tails.count }

  /// Whether it explains why the blocks of a chain up to an index are missing here.
  func explains(_ instance: UUID, upTo index: UInt32) -> Bool { isUnseen || left.tails[instance] ?? 0 >= index }
}

extension ContainerState.Left {
  static let unseen = ContainerState.Left(isUnseen: true)

  init(_ runs: [BlockRun]) {
    self.init(tails: Dictionary(runs.map { ($0.branch.instance, $0.last) }, uniquingKeysWith: max))
  }
}
