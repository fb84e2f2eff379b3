import SeaCore
import SeaStore

/// The blocks that a run found in a container but did not import because of a limit. Such blocks do not count as
/// withheld.
package struct UnimportedBlocks {
  package let container: String
  private let left: ContainerState.Left

  /// Returns, for each container, the blocks that were not imported and are still missing.
  static func all(_ folder: SeaFolder) throws -> [UnimportedBlocks] {
    try folder.store.peers.containers().compactMap { container in
      guard var left = try folder.state(of: container).left else { return nil }
      left.tails = try left.tails.filter { instance, last in
        try folder.store.branches.chain(instance).map { $0.trunk.head.index < last } ?? true
      }
      return left.isUnseen || !left.tails.isEmpty ? UnimportedBlocks(container: container, left: left) : nil
    }
  }

  package var isUnseen: Bool { left.isUnseen }

  package var chains: Int { left.tails.count }

  /// Whether these blocks explain why a chain's blocks up to an index are missing.
  func explains(_ instance: UUID, upTo index: UInt32) -> Bool { isUnseen || left.tails[instance] ?? 0 >= index }
}

extension ContainerState.Left {
  static let unseen = ContainerState.Left(isUnseen: true)

  init(_ runs: [BlockRun]) {
    self.init(tails: Dictionary(runs.map { ($0.branch.instance, $0.last) }, uniquingKeysWith: max))
  }
}
